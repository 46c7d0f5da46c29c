#include "core/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

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

TEST(Parallel, ThreadsMayRunOnTheCoresOfTheirCaller) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  for (int i = 0; i < 20; ++i)
    with_threads(4, [&] {
      parallel_for(64, 1, [&](std::size_t, std::size_t) {
        cpu_set_t own;
        EXPECT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
        EXPECT_TRUE(CPU_EQUAL(&own, &mine));
      });
    });
}

TEST(Parallel, WithThreadsSetsTheLimit) {
  with_threads(3, [] { EXPECT_EQ(thread_count(), 3); });
}

}  // namespace wald
