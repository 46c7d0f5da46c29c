#include "learn/private_boost_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace wald {
namespace {

TEST(NumberStart, ComesNearMeanAndSpreadAndIsNotMovedFarByNoise) {
  std::vector<double> cells(48, 0.0);
  for (const std::size_t i : {9, 10, 11}) cells[i] = 1000;
  for (const double spurious : {0.0, 80.0}) {  // more than three deviations: in 48 cells noise has it in 6 runs of 100
    cells[47] = spurious;
    const NumberStart start = start_of({.count = cells, .deviation = 24, .rows = 3000, .low = 0, .width = 1});
    EXPECT_NEAR(start.mean, 10.5, 1e-9);
    EXPECT_LT(start.clip, 2);
  }
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 24);
  int far = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = (i >= 9 && i <= 11 ? 1000 : 0) + noise(random);
    far += std::fabs(start_of({.count = cells, .deviation = 24, .rows = 3000, .low = 0, .width = 1}).mean - 10.5) > 0.3;
  }
  EXPECT_LE(far, 5);
}

TEST(NumberStart, CutsResidualsOffFurtherOutTheLongerTheTailAndTheLessTheNoise) {
  std::vector<double> even(48, 100), tail(48, 0);
  tail[0] = 4000;
  for (std::size_t i = 1; i < tail.size(); ++i) tail[i] = 800.0 / static_cast<double>(i * i);
  const auto query = [](const std::vector<double>& cells, double noise) {
    return mean_query(start_of({.count = cells, .deviation = 1, .rows = 4800, .low = 0, .width = 1}), noise, 0.9);
  };
  EXPECT_EQ(query(even, 0.001).doublings, 0);
  EXPECT_GE(query(tail, 0.0001).doublings, 2);
  EXPECT_LT(query(tail, 0.1).doublings, query(tail, 0.0001).doublings);
  EXPECT_GT(query(tail, 0.001).share, query(even, 0.001).share) << "a mean that is harder to tell is worth more";
}

TEST(NumberStart, AsksForTheMeanAtTheLeastCostOfAllClipsAndShares) {
  const NumberStart start{.mean = 0, .clip = 1, .bias = {0.3, 0.12, 0.05, 0.02, 0.001}};
  const double left = 0.9;
  for (const double noise : {1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 0.1}) {
    const auto cost = [&](int k, double share) {
      const double wide = std::ldexp(noise, k), bias = start.bias[static_cast<std::size_t>(k)];
      return bias * bias + wide * wide / share + 0.005 * share;
    };
    const MeanQuery best = mean_query(start, noise, left);
    ASSERT_GE(best.share, 0.002 * left);
    ASSERT_LE(best.share, 0.25 * left);
    for (int k = 0; k < 5; ++k)
      for (double share = 0.002 * left; share <= 0.25 * left; share += 0.001)
        EXPECT_LE(cost(best.doublings, best.share), cost(k, share) * (1 + 1e-12)) << noise << ' ' << k << ' ' << share;
  }
}

TEST(NumberStart, LooksLessCloselyWhereNoiseHidesTheCells) {
  std::vector<double> cells(48, 0.0);
  for (std::size_t i = 0; i < 24; ++i) cells[i] = 40;
  const NumberStart start = start_of({.count = cells, .deviation = 20, .rows = 960, .low = 0, .width = 1});
  EXPECT_NEAR(start.mean, 12, 1);
  EXPECT_EQ(start_of({.count = cells, .deviation = 2000, .rows = 960, .low = 0, .width = 1}).mean, 24);
}

// A range that is far too wide is seen in most draws; one that is used, a tail, and noise that could hide one, never.
TEST(NumberStart, TellsACrowdFromATail) {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(0, 20);
  std::vector<double> crowd(48, 0.0), used(48, 0.0), tail(48, 0.0);
  crowd[20] = 3000, crowd[21] = 2000;
  for (std::size_t i = 10; i < 30; ++i) used[i] = 250;
  tail[0] = 4000;
  for (std::size_t i = 1; i < 48; ++i) tail[i] = 1000.0 / 47;
  const auto seen = [&](const std::vector<double>& exact, double loudness) {
    int out = 0;
    for (int draw = 0; draw < 200; ++draw) {
      std::vector<double> cells = exact;
      for (double& cell : cells) cell += loudness * noise(random);
      const auto found = crowd_of({.count = cells, .deviation = 20 * loudness, .rows = 5000, .low = -100, .width = 10});
      out += found.has_value();
      if (found && &exact == &crowd) {
        EXPECT_LE(found->low, 100);
        EXPECT_GE(found->high, 120);
        EXPECT_LE(found->high - found->low, 30);
      }
    }
    return out;
  };
  EXPECT_EQ(seen(crowd, 0.4), 200);
  EXPECT_GE(seen(crowd, 3), 190);
  EXPECT_EQ(seen(tail, 3), 0);
  EXPECT_EQ(seen(crowd, 10), 0);
  EXPECT_EQ(seen(used, 0.5), 0);
  EXPECT_EQ(seen(tail, 0.5), 0);
}

}  // namespace
}  // namespace wald
