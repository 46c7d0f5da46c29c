#include "core/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace wald {
namespace {

std::atomic<std::uint64_t> order_seed{0};

std::vector<std::size_t> drawn_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Random random(seed, Purpose::Sample);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
  return order;
}

}  // namespace

void with_threads(int threads, FunctionRef<void()> work) {
  const int count = threads > 0 ? threads : tbb::info::default_concurrency();
  // More threads than cores are allowed too: the tests of "same bits for any number of threads" need them.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  tbb::task_arena arena(count);
  arena.execute([&] { work(); });
}

int thread_count() { return tbb::this_task_arena::max_concurrency(); }

int thread_index() { return std::max(0, tbb::this_task_arena::current_thread_index()); }

void parallel_for(std::size_t n, std::size_t grain, FunctionRef<void(std::size_t, std::size_t)> body) {
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (n + grain - 1) / grain;
  const auto piece = [&](std::size_t i) { body(i * grain, std::min(n, (i + 1) * grain)); };
  const std::uint64_t seed = order_seed.load(std::memory_order_relaxed);
  const std::vector<std::size_t> order = seed != 0 ? drawn_order(pieces, seed) : std::vector<std::size_t>{};
  const auto nth = [&](std::size_t i) { piece(order.empty() ? i : order[i]); };
  if (pieces == 1 || thread_count() == 1) {
    for (std::size_t i = 0; i < pieces; ++i) nth(i);
  } else if (pieces > 1) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) nth(i);
        },
        tbb::simple_partitioner());
  }
}

void shuffle_work(std::uint64_t seed) { order_seed.store(seed, std::memory_order_relaxed); }

}  // namespace wald
