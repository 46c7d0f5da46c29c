#include "core/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
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

// Sends a thread off the core of the one that called it. Some systems, virtual machines above all, rather begin a
// thread there than wake a core that sleeps. There it waits behind its caller for some milliseconds, which may be the
// whole work.
void leave_core(int core) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(core), &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0)  // which moves it, ...
    sched_setaffinity(0, sizeof all, &all);               // ... and later it may go where it is sent
}

std::atomic<std::uint64_t> calls{0};  // of with_threads
// Of these, the one that the thread made or served last: it leaves its core at most once in each.
thread_local std::uint64_t last_served = 0;

// Whether the thread will be the first to offer work to others, who may then wait behind it.
thread_local bool calls_first = false;

}  // namespace

void with_threads(int threads, FunctionRef<void()> work) {
  const int count = threads > 0 ? threads : tbb::info::default_concurrency();
  // More threads than cores are allowed too: the tests of "same bits for any number of threads" need them.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  tbb::task_arena arena(count);
  calls_first = count > 1, last_served = ++calls;
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
    const int core = sched_getcpu();
    const std::uint64_t call = calls.load(std::memory_order_relaxed);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, pieces, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          if (std::exchange(calls_first, false)) sched_yield();  // the other pieces are on offer by now
          if (std::exchange(last_served, call) != call && core >= 0 && sched_getcpu() == core) leave_core(core);
          for (std::size_t i = range.begin(); i < range.end(); ++i) nth(i);
        },
        tbb::simple_partitioner());
  }
}

void shuffle_work(std::uint64_t seed) { order_seed.store(seed, std::memory_order_relaxed); }

}  // namespace wald
