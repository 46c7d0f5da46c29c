#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace wald {

TEST(Parallel, EveryIndexIsVisitedOnceForAnyThreadsGrainAndOrder) {
  for (const int threads : {1, 2, 7})
    for (const std::size_t n : {0u, 1u, 10u, 1000u})
      for (const std::size_t grain : {0u, 1u, 3u, 5000u})
        for (const std::uint64_t seed : {0u, 9u}) {
          shuffle_work(seed);
          std::vector<std::atomic<int>> seen(n);
          with_threads(threads, [&] {
            parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i) ++seen[i];
            });
          });
          shuffle_work(0);
          for (const auto& s : seen) EXPECT_EQ(s, 1);
        }
}

TEST(Parallel, WithThreadsSetsTheLimit) {
  with_threads(3, [] { EXPECT_EQ(thread_count(), 3); });
}

}  // namespace wald
