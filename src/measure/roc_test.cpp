#include "measure/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace wald {
namespace {

struct Rows {
  std::vector<double> score, weight;
  std::vector<std::int32_t> code;
};

// Few distinct scores, so that ties abound.
Rows drawn(std::uint64_t seed, std::size_t n) {
  const Random random(seed, Purpose::Sample);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.code.push_back(static_cast<std::int32_t>(random.below(2, 3 * i)));
    rows.score.push_back(static_cast<double>(random.below(12, 3 * i + 1) + 3 * rows.code.back()) / 16);
    rows.weight.push_back(static_cast<double>(random.below(5, 3 * i + 2)));
  }
  return rows;
}

// By definition: over all pairs of a positive and a negative row.
double mann_whitney(const Rows& r) {
  double won = 0, pairs = 0;
  for (std::size_t i = 0; i < r.code.size(); ++i)
    for (std::size_t j = 0; j < r.code.size(); ++j) {
      if (r.code[i] != 1 || r.code[j] != 0) continue;
      const double w = r.weight[i] * r.weight[j];
      pairs += w;
      won += w * (r.score[i] > r.score[j] ? 1 : r.score[i] == r.score[j] ? 0.5 : 0);
    }
  return won / pairs;
}

TEST(Roc, TheAreaIsTheMannWhitneyStatistic) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Rows r = drawn(seed, 50);
    EXPECT_NEAR(roc_area(roc_curve(r.score, r.code, 1, r.weight)), mann_whitney(r), 1e-14);
  }
}

TEST(Roc, EqualScoresMakeOnePoint) {
  const std::vector<double> score = {0.5, 0.5, 0.5, 0.9};
  const std::vector<std::int32_t> code = {0, 1, 1, 1};
  const Roc roc = roc_curve(score, code, 1);
  EXPECT_EQ(roc.points, (std::vector<RocPoint>{{0, 0, INFINITY}, {0, 1, 0.9}, {1, 3, 0.5}}));
}

TEST(Roc, NoPointLiesAboveTheHullAndItsSlopesFall) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Rows r = drawn(seed, 60);
    const Roc roc = roc_curve(r.score, r.code, 1);
    const std::vector<RocPoint> hull = roc_hull(roc);
    EXPECT_EQ(hull.front(), roc.points.front());
    EXPECT_EQ(hull.back(), roc.points.back());
    for (std::size_t i = 1; i < hull.size(); ++i) {
      const double dx = hull[i].fp - hull[i - 1].fp, dy = hull[i].tp - hull[i - 1].tp;
      for (const RocPoint& p : roc.points)
        EXPECT_LE((p.tp - hull[i].tp) * dx, (p.fp - hull[i].fp) * dy + 1e-9) << "above edge " << i;
      if (i + 1 < hull.size()) { EXPECT_LT((hull[i + 1].tp - hull[i].tp) * dx, (hull[i + 1].fp - hull[i].fp) * dy); }
    }
  }
}

TEST(OperatingPoint, NoThresholdIsCheaperByTrialOfAll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Rows r = drawn(seed, 60);
    const Roc roc = roc_curve(r.score, r.code, 1);
    const Costs costs{.false_positive = 1, .false_negative = static_cast<double>(seed)};
    const OperatingPoint best = *operating_point(roc, costs);
    double least = INFINITY;
    for (int step = 0; step <= 17; ++step) {
      const double threshold = step == 17 ? INFINITY : static_cast<double>(step) / 16;
      double cost = 0;
      for (std::size_t i = 0; i < r.code.size(); ++i) {
        const bool called = r.score[i] >= threshold;
        cost += called && r.code[i] == 0 ? costs.false_positive : !called && r.code[i] == 1 ? costs.false_negative : 0;
      }
      least = std::min(least, cost / static_cast<double>(r.code.size()));
    }
    EXPECT_NEAR(best.cost, least, 1e-12);
  }
}

TEST(OperatingPoint, OddsReplaceTheSharesOfTheRows) {
  const std::vector<double> score = {0.9, 0.8, 0.7, 0.1};
  const std::vector<std::int32_t> code = {1, 0, 1, 0};
  const Roc roc = roc_curve(score, code, 1);
  EXPECT_EQ(operating_point(roc, {.odds = 100})->at.threshold, 0.9);   // positives are rare: call few
  EXPECT_EQ(operating_point(roc, {.odds = 0.01})->at.threshold, 0.7);  // positives abound: miss none
}

TEST(OperatingPoint, WithoutBothClassesThereIsNone) {
  const std::vector<double> score = {0.9, 0.8};
  const std::vector<std::int32_t> code = {1, 1};
  const Roc roc = roc_curve(score, code, 1);
  EXPECT_FALSE(operating_point(roc, {}));
  EXPECT_TRUE(std::isnan(roc_area(roc)));
}

}  // namespace
}  // namespace wald
