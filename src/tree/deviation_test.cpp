#include "tree/deviation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/parallel.h"
#include "tree/chi_square.h"
#include "tree/grow.h"
#include "tree/many_targets.h"
#include "tree/naive_test.h"
#include "tree/refit.h"

namespace wald {
namespace {

using testing::all_rows, testing::Data, testing::random_data;

double weight_of(std::span<const std::int64_t> weight, Row r) {
  return weight.empty() ? 1 : std::ldexp(static_cast<double>(weight[r]), -30);
}

// By the definition: the least sum of w |y - m| over all m among the targets.
double deviation(const Data& data, std::span<const std::int64_t> weight, std::span<const Row> rows) {
  double best = rows.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const Row m : rows) {
    double sum = 0;
    for (const Row r : rows) sum += weight_of(weight, r) * std::fabs(data.y[r] - data.y[m]);
    best = std::min(best, sum);
  }
  return best;
}

double best_gain(const Data& data, const Binned& x, std::span<const std::int64_t> weight, const std::vector<Row>& rows,
                 double min_leaf) {
  const double parent = deviation(data, weight, rows);
  double best = 0;
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    for (const bool missing_left : {true, false})
      for (int cut = 1; cut < x.columns[c].codes; ++cut) {
        std::vector<Row> side[2];
        double w[2] = {0, 0};
        for (const Row r : rows) {
          const int code = x.columns[c].at(r);
          const bool right = code == 0 ? !missing_left : code > cut;
          side[right].push_back(r), w[right] += weight_of(weight, r);
        }
        if (side[0].empty() || side[1].empty() || w[0] < min_leaf || w[1] < min_leaf) continue;
        best = std::max(best, parent - deviation(data, weight, side[0]) - deviation(data, weight, side[1]));
      }
  }
  return best;
}

TEST(Deviation, EveryNodeTakesTheBestSplitOfItsDefinition) {
  for (int trial = 0; trial < 6; ++trial) {
    const Data data = random_data(static_cast<std::uint64_t>(700 + trial), 70, 3, 0, 0, 2);
    const Binned x = *bin(data.table, 255);
    const std::span<const std::int64_t> weight =
        trial % 2 ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{};
    const FixedTarget fixed = fix_target(data.y, {});
    const Deviation criterion{.target = data.y, .row_weight = weight, .fixed = &fixed};
    const GrowOptions how{.max_depth = 4, .min_leaf = trial % 3 ? 3.0 : 1.0};
    const Tree tree = grow(x, all_rows(70), criterion, how, {});
    EXPECT_GT(tree.nodes.size(), 5u);
    std::vector<std::vector<Row>> at(tree.nodes.size());
    std::vector<int> depth(tree.nodes.size());
    at[0] = all_rows(70);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const double best = best_gain(data, x, weight, at[n], how.min_leaf);
      if (tree.nodes[n].test == wald::Test::Leaf) {
        EXPECT_TRUE(best < 1e-9 || depth[n] == 4) << best;
        continue;
      }
      EXPECT_NEAR(tree.gain[n], best, 1e-9);
      for (const Row r : at[n]) at[child_of(tree, x, n, r)].push_back(r);
      for (std::uint32_t k = 0; k < 2; ++k) depth[tree.nodes[n].child + k] = depth[n] + 1;
    }
  }
}

TEST(Deviation, CategoriesAreDividedInTheOrderOfTheirMedians) {
  Data data;
  data.table.rows = 9;
  data.table.columns.push_back({"c", Categories{{0, 0, 0, 1, 1, 1, 2, 2, 2}, {"a", "b", "c"}}});
  data.y = {1, 2, 9, 30, 31, 90, 3, 4, 5};
  const Binned x = *bin(data.table, 255);
  const FixedTarget fixed = fix_target(data.y, {});
  const Tree tree = grow(x, all_rows(9), Deviation{.target = data.y, .fixed = &fixed}, {.max_depth = 1}, {});
  ASSERT_EQ(tree.nodes[0].test, wald::Test::Set);
  EXPECT_EQ(tree.sets[0], 0b101u);  // a and c against b
}

TEST(Deviation, ThreadsAndTheOrderOfRowsLeaveEveryBitAlone) {
  const Data data = random_data(731, 12'000, 4, 2, 6, 2, 3000);
  const Binned x = *bin(data.table, 255);
  const FixedTarget fixed = fix_target(data.y, {});
  const Deviation criterion{.target = data.y, .row_weight = data.weight, .fixed = &fixed};
  std::vector<Row> backwards = all_rows(12'000);
  std::ranges::reverse(backwards);
  std::vector<Tree> trees;
  for (const int threads : {1, 3})
    for (const auto& rows : {all_rows(12'000), backwards})
      with_threads(threads, [&] { trees.push_back(grow(x, rows, criterion, {.min_leaf = 20}, {})); });
  for (const Tree& tree : trees) EXPECT_TRUE(tree == trees[0]);
}

TEST(Refit, QuantilesAreThoseOfTheRowsOfEveryNode) {
  const Data data = random_data(741, 300, 3, 1, 4, 2);
  const Binned x = *bin(data.table, 255);
  const FixedTarget fixed = fix_target(data.y, {});
  Tree tree = grow(x, all_rows(300), Variance{.target = data.y, .fixed = &fixed}, {.min_leaf = 5}, {});
  for (const double q : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    refit_quantile(tree, x, all_rows(300), data.y, {}, q);
    std::vector<std::vector<double>> at(tree.nodes.size());
    for (Row r = 0; r < 300; ++r)
      for (std::uint32_t n = 0;; n = child_of(tree, x, n, r)) {
        at[n].push_back(data.y[r]);
        if (tree.nodes[n].test == wald::Test::Leaf) break;
      }
    for (std::size_t n = 0; n < at.size(); ++n) {
      const auto below = std::ranges::count_if(at[n], [&](double v) { return v < tree.values[n]; });
      const auto not_above = std::ranges::count_if(at[n], [&](double v) { return v <= tree.values[n]; });
      EXPECT_LE(static_cast<double>(below), q * static_cast<double>(at[n].size()) + 1e-9);
      EXPECT_GE(static_cast<double>(not_above), q * static_cast<double>(at[n].size()) - 1e-9);
    }
  }
}

TEST(Refit, TheMedianOfAnEvenNumberIsTheMiddleAndAWeightOfTwoIsARowTwice) {
  Data data;
  data.table.rows = 4;
  data.table.columns.push_back({"x", Numbers(std::vector<double>{1, 1, 1, 1})});
  data.y = {4, 1, 2, 8};
  const Binned x = *bin(data.table, 255);
  Tree tree{.nodes = {{}}, .threshold = {0}, .values = {0}, .cover = {4}, .gain = {0}};
  refit_quantile(tree, x, all_rows(4), data.y, {}, 0.5);
  EXPECT_EQ(tree.values[0], 3);
  const std::vector<std::int64_t> weight{1, 1, 3, 1};
  refit_quantile(tree, x, all_rows(4), data.y, weight, 0.5);
  EXPECT_EQ(tree.values[0], 2);
  refit_mean(tree, x, all_rows(4), data.y, {});
  EXPECT_EQ(tree.values[0], 3.75);
}

// scipy.stats.chi2_contingency([[10, 10, 20], [20, 20, 20]]): statistic 2.7777777777777777, p 0.24935220877729622.
TEST(ChiSquare, TheGainOfASplitIsPearsonsStatisticAndItsPValueStops) {
  std::vector<double> side;
  Data data;
  for (const auto& [s, k, n] : {std::array{0, 0, 10}, {0, 1, 10}, {0, 2, 20}, {1, 0, 20}, {1, 1, 20}, {1, 2, 20}})
    for (int i = 0; i < n; ++i) side.push_back(s), data.label.push_back(k);
  data.table.rows = 100;
  data.table.columns.push_back({"side", Numbers(side)});
  const Binned x = *bin(data.table, 255);
  ChiSquare criterion{};
  criterion.label = data.label, criterion.classes = 3;
  EXPECT_NEAR(grow(x, all_rows(100), criterion, {}, {}).gain[0], 2.7777777777777777, 1e-12);
  criterion.max_p = 0.2494;
  EXPECT_EQ(grow(x, all_rows(100), criterion, {}, {}).nodes.size(), 3u);
  criterion.max_p = 0.2493;
  EXPECT_EQ(grow(x, all_rows(100), criterion, {}, {}).nodes.size(), 1u);
}

TEST(ChiSquare, ForTwoClassesTheSplitIsThatOfGini) {
  const Data data = random_data(751, 500, 4, 2, 5, 2);
  const Binned x = *bin(data.table, 255);
  ChiSquare chi{};
  chi.label = data.label;
  Gini gini{};
  gini.label = data.label;
  const Tree a = grow(x, all_rows(500), chi, {.max_depth = 3}, {}),
             b = grow(x, all_rows(500), gini, {.max_depth = 3}, {});
  EXPECT_EQ(a.nodes, b.nodes);
}

TEST(ManyTargets, IdenticalTargetsGiveTheTreeOfOne) {
  const Data data = random_data(761, 400, 4, 1, 5, 2);
  const Binned x = *bin(data.table, 255);
  const FixedTarget fixed = fix_target(data.y, {});
  const std::vector<FixedTarget> three(3, fixed);
  const std::vector<double> scale(3, 1.0 / 3);
  const Tree one = grow(x, all_rows(400), Variance{.target = data.y, .fixed = &fixed}, {.min_leaf = 4}, {});
  const Tree many =
      grow(x, all_rows(400), ManyTargets{.fixed = three, .scale = scale, .whole = std::ldexp(1.0, 2 * fixed.shift)},
           {.min_leaf = 4}, {});
  ASSERT_EQ(one.nodes, many.nodes);
  for (std::size_t n = 0; n < one.nodes.size(); ++n) {
    EXPECT_NEAR(one.gain[n], many.gain[n], 1e-9 * one.gain[0]);
    for (std::size_t t = 0; t < 3; ++t) EXPECT_NEAR(one.values[n], many.values[3 * n + t], 1e-12);
  }
}

}  // namespace
}  // namespace wald
