#include "tree/grow.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/parallel.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

using wald::testing::all_rows, wald::testing::best_gain, wald::testing::Data, wald::testing::random_data;

template <class C>
C classes_of(const Data& data, int classes, bool weighted = false) {
  C criterion{};
  static_cast<ClassCounts&>(criterion) = {
      .label = data.label,
      .row_weight = weighted ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{},
      .classes = classes};
  return criterion;
}

struct Regression {
  FixedTarget fixed;
  Variance criterion;
  Regression(const Data& data, bool weighted = false) {
    const std::span<const std::int64_t> weight =
        weighted ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{};
    fixed = fix_target(data.y, weight);
    criterion = {.target = data.y, .row_weight = weight, .fixed = &fixed};
  }
};

// Every inner node's gain is the best there is, every leaf could not be split, and sums, covers and values are those of
// the rows that reach the node.
template <Criterion C>
void expect_by_definition(const Tree& tree, const Binned& x, std::vector<Row> rows, const C& criterion,
                          const GrowOptions& how) {
  std::vector<std::vector<Row>> at(tree.nodes.size());
  at[0] = std::move(rows);
  std::vector<int> depth(tree.nodes.size());
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(criterion.width()));
    for (const Row r : at[n]) criterion.add(criterion.part(r), sums.data());
    EXPECT_DOUBLE_EQ(tree.cover[n], criterion.weight(sums));
    std::vector<double> value(static_cast<std::size_t>(tree.outputs));
    criterion.leaf(sums, value);
    const bool pure = std::ranges::all_of(at[n], [&](Row r) { return criterion.same(r, at[n][0]); });
    if (pure) criterion.pure(at[n][0], value);
    for (std::size_t k = 0; k < value.size(); ++k) EXPECT_EQ(tree.values[n * value.size() + k], value[k]);
    const TreeNode& node = tree.nodes[n];
    const double best = best_gain(x, at[n], criterion, how.min_leaf),
                 scale = 1e-12 * (1 + std::fabs(score(criterion, sums)));
    const double unit = criterion.gain_unit();
    if (node.test == wald::Test::Leaf) {
      EXPECT_TRUE(pure || best <= scale || (how.max_depth > 0 && depth[n] == how.max_depth))
          << "node " << n << " could gain " << best;
      continue;
    }
    EXPECT_NEAR(tree.gain[n] / unit, best, scale) << "node " << n;
    for (const Row r : at[n]) {
      const int code = x.columns[node.column].at(r);
      bool left = code == 0 ? node.missing == 0 : static_cast<std::uint32_t>(code) <= node.ref;
      if (code > 0 && node.test == wald::Test::Set)
        left = tree.sets[node.ref + static_cast<std::uint32_t>(code - 1) / 64] >> ((code - 1) % 64) & 1;
      at[node.child + !left].push_back(r);
    }
    depth[node.child] = depth[node.child + 1] = depth[n] + 1;
  }
}

TEST(Grow, EveryNodeTakesTheBestSplitOfItsDefinition) {
  for (int trial = 0; trial < 12; ++trial) {
    const Data data = random_data(static_cast<std::uint64_t>(100 + trial), 90, 3, trial % 3, 5, 2);
    const Binned x = *bin(data.table, 255);
    const GrowOptions how{.max_depth = 4, .min_leaf = trial % 2 ? 3.0 : 1.0};
    const bool weighted = trial % 4 == 3;
    expect_by_definition(grow(x, all_rows(90), classes_of<Gini>(data, 2, weighted), how, {}), x, all_rows(90),
                         classes_of<Gini>(data, 2, weighted), how);
    expect_by_definition(grow(x, all_rows(90), classes_of<Shannon>(data, 2), how, {}), x, all_rows(90),
                         classes_of<Shannon>(data, 2), how);
    expect_by_definition(grow(x, all_rows(90), classes_of<SqrtGini>(data, 2), how, {}), x, all_rows(90),
                         classes_of<SqrtGini>(data, 2), how);
    expect_by_definition(grow(x, all_rows(90), classes_of<Minority>(data, 2), how, {}), x, all_rows(90),
                         classes_of<Minority>(data, 2), how);
    const Regression y(data, weighted);
    expect_by_definition(grow(x, all_rows(90), y.criterion, how, {}), x, all_rows(90), y.criterion, how);
  }
}

TEST(Grow, SeveralClassesOnNumbersTakeTheBestSplitToo) {
  const Data data = random_data(7, 120, 4, 0, 0, 5);
  const Binned x = *bin(data.table, 255);
  const GrowOptions how{.max_depth = 5};
  expect_by_definition(grow(x, all_rows(120), classes_of<Gini>(data, 5), how, {}), x, all_rows(120),
                       classes_of<Gini>(data, 5), how);
}

// Rows beyond the size of a small subtree go through full histograms and subtraction.
TEST(Grow, LargeNodesAreCountedLikeSmallOnes) {
  const Data data = random_data(21, 20'000, 3, 1, 4, 2);
  const Binned x = *bin(data.table, 255);
  const GrowOptions how{.max_depth = 3};
  with_threads(2, [&] {
    expect_by_definition(grow(x, all_rows(20'000), classes_of<Gini>(data, 2), how, {}), x, all_rows(20'000),
                         classes_of<Gini>(data, 2), how);
  });
}

TEST(Grow, ThreadsAndWorkOrderLeaveEveryBitAlone) {
  const Data data = random_data(31, 30'000, 6, 2, 9, 3, 5000);
  const Binned x = *bin(data.table, 255), exact = *bin(data.table, kMaxBins);
  const Regression y(data, true);
  for (const Binned* table : {&x, &exact})
    for (const GrowOptions& how : {GrowOptions{}, GrowOptions{.columns_per_node = 3}, GrowOptions{.max_leaves = 40}}) {
      std::optional<Tree> first, first_numbers;
      for (const int threads : {1, 2, 4, 7})
        for (const std::uint64_t seed : {0u, 5u}) {
          shuffle_work(seed);
          with_threads(threads, [&] {
            const Tree tree = grow(*table, all_rows(30'000), classes_of<Gini>(data, 3), how, {});
            const Tree numbers = grow(*table, all_rows(30'000), y.criterion, how, {});
            if (!first) first = tree, first_numbers = numbers;
            EXPECT_TRUE(tree == *first) << threads;
            EXPECT_TRUE(numbers == *first_numbers) << threads;
          });
          shuffle_work(0);
        }
    }
}

TEST(Grow, TheOrderOfTheRowsLeavesTheTreeAlone) {
  const Data data = random_data(41, 500, 4, 2, 6, 2);
  const Binned x = *bin(data.table, 255);
  std::vector<Row> reversed = all_rows(500);
  std::ranges::reverse(reversed);
  EXPECT_TRUE(grow(x, all_rows(500), classes_of<Gini>(data, 2), {}, {}) ==
              grow(x, reversed, classes_of<Gini>(data, 2), {}, {}));
}

TEST(Grow, AWeightOfTwoIsARowTwice) {
  Data data = random_data(51, 200, 3, 1, 5, 2);
  const Binned x = *bin(data.table, 255);
  std::vector<Row> twice = all_rows(200);
  for (Row r = 0; r < 200; ++r)
    if (data.weight[r] > std::int64_t{1} << 30) twice.push_back(r);
  for (auto& w : data.weight) w = std::min<std::int64_t>(w, std::int64_t{2} << 30);
  const Tree weighted = grow(x, all_rows(200), classes_of<Gini>(data, 2, true), {}, {});
  EXPECT_TRUE(weighted == grow(x, twice, classes_of<Gini>(data, 2), {}, {}));
}

TEST(Grow, StopRulesHoldOnTheGrownTree) {
  const Data data = random_data(61, 3000, 5, 2, 6, 3, 300);
  const Binned x = *bin(data.table, 255);
  const auto criterion = classes_of<Gini>(data, 3);
  for (const Order order : {Order::Depth, Order::Level, Order::Best}) {
    const Tree tree = grow(x, all_rows(3000), criterion, {.max_leaves = 17, .order = order}, {});
    EXPECT_EQ(std::ranges::count(tree.nodes, wald::Test::Leaf, &TreeNode::test), 17);
  }
  const Tree leafy = grow(x, all_rows(3000), criterion, {.min_leaf = 25}, {});
  for (const double cover : leafy.cover) EXPECT_GE(cover, 25);
  const Tree splitty = grow(x, all_rows(3000), criterion, {.min_split = 100}, {});
  const Tree gainy = grow(x, all_rows(3000), criterion, {.min_gain = 0.002}, {});
  EXPECT_GT(gainy.nodes.size(), 1u);
  for (std::size_t n = 0; n < splitty.nodes.size(); ++n)
    EXPECT_TRUE(splitty.nodes[n].test == wald::Test::Leaf || splitty.cover[n] >= 100);
  for (std::size_t n = 0; n < gainy.nodes.size(); ++n)
    EXPECT_TRUE(gainy.nodes[n].test == wald::Test::Leaf || gainy.gain[n] >= 0.002 * 3000);
}

TEST(Grow, BestFirstTakesTheLargestGainsFirst) {
  const Data data = random_data(71, 2000, 4, 0, 0, 2, 100);
  const Binned x = *bin(data.table, 255);
  const auto total = [&](Order order) {
    const Tree tree = grow(x, all_rows(2000), classes_of<Gini>(data, 2), {.max_leaves = 8, .order = order}, {});
    return std::accumulate(tree.gain.begin(), tree.gain.end(), 0.0);
  };
  EXPECT_GE(total(Order::Best), total(Order::Level) - 1e-9);
  EXPECT_GE(total(Order::Best), total(Order::Depth) - 1e-9);
}

TEST(Grow, WithoutALimitOnLeavesEveryOrderGrowsTheSameTree) {
  const Data data = random_data(81, 400, 4, 1, 4, 2);
  const Binned x = *bin(data.table, 255);
  const auto criterion = classes_of<Gini>(data, 2);
  const Tree free = grow(x, all_rows(400), criterion, {}, {});
  for (const Order order : {Order::Depth, Order::Level, Order::Best})
    EXPECT_TRUE(grow(x, all_rows(400), criterion, {.max_leaves = 1'000'000, .order = order}, {}) == free);
}

Data small(std::vector<std::vector<double>> columns, std::vector<std::int32_t> label) {
  Data data;
  data.table.rows = static_cast<Row>(label.size());
  for (auto& c : columns) data.table.columns.push_back({"x", Numbers(c)});
  data.label = std::move(label);
  return data;
}

TEST(Grow, XorNeedsASplitOfZeroGainAndIsLearnedWithOne) {
  const Data data = small({{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 1, 1, 0});
  const Binned x = *bin(data.table, 255);
  EXPECT_EQ(grow(x, all_rows(4), classes_of<Gini>(data, 2), {}, {}).nodes.size(), 1u);
  const Tree tree = grow(x, all_rows(4), classes_of<Gini>(data, 2), {.zero_gain = true}, {});
  EXPECT_EQ(tree.nodes.size(), 7u);
  for (Row r = 0; r < 4; ++r)
    EXPECT_EQ(tree.values[2 * leaf_of(tree, x, r) + static_cast<std::size_t>(data.label[r])], 1.0);
}

TEST(Grow, EqualRowsWithDifferentTargetsStop) {
  const Data data = small({{1, 1, 1, 1}}, {0, 1, 0, 1});
  const Binned x = *bin(data.table, 255);
  const Tree tree = grow(x, all_rows(4), classes_of<Gini>(data, 2), {.zero_gain = true}, {});
  EXPECT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.values[0], 0.5);
}

TEST(Grow, ThresholdsLieInTheMiddleOfTheGapBetweenTheRowsOfTheNode) {
  const Data data = small({{0, 1, 2, 10, 11, 12}}, {0, 0, 1, 1, 1, 1});
  const Binned x = *bin(data.table, 255);
  const Tree tree = grow(x, {0, 1, 3, 4, 5}, classes_of<Gini>(data, 2), {}, {});  // without the row at 2
  EXPECT_EQ(tree.threshold[0], 5.5);
}

TEST(Grow, ThresholdsBetweenShortNumbersAreShort) {
  const Data data = small({{300, 300.1, 0.1, 0.2}}, {0, 1, 0, 1});
  const Binned x = *bin(data.table, 255);
  EXPECT_EQ(grow(x, {0, 1}, classes_of<Gini>(data, 2), {}, {}).threshold[0], 300.05);
  EXPECT_EQ(grow(x, {2, 3}, classes_of<Gini>(data, 2), {}, {}).threshold[0], 0.15);
}

TEST(Grow, NeighbouringDoublesAreDivided) {
  const double low = 0.1, high = std::nextafter(low, 1.0);
  const Data data = small({{low, high}}, {0, 1});
  const Binned x = *bin(data.table, 255);
  EXPECT_EQ(grow(x, {0, 1}, classes_of<Gini>(data, 2), {}, {}).threshold[0], low);
}

TEST(Grow, AMeanFarFromAllOthersKeepsItsDigits) {
  Data data = small({{1, 1, 2, 2}}, {});
  data.table.rows = 4;
  data.y = {0.1, 0.2, 1234.5, 1234.5};
  const Binned x = *bin(data.table, 255);
  const Regression y(data);
  const Tree tree = grow(x, all_rows(4), y.criterion, {}, {});
  EXPECT_NEAR(tree.values[1], 0.15, 0x1p-48);  // half a step of the grid, 2^-58 of 2^11
}

TEST(Grow, ThatAValueIsMissingCanBeTheSplit) {
  const double m = kMissing;
  const Data data = small({{1, m, 2, m, 3, m, 1, 2}}, {0, 1, 0, 1, 0, 1, 0, 0});
  const Binned x = *bin(data.table, 255);
  const Tree tree = grow(x, all_rows(8), classes_of<Gini>(data, 2), {}, {});
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.threshold[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(tree.nodes[0].missing, 1);
  const Tree majority = grow(x, all_rows(8), classes_of<Gini>(data, 2), {.missing = MissingRule::Majority}, {});
  EXPECT_NE(majority.threshold[0], std::numeric_limits<double>::infinity());
}

TEST(Grow, ALevelWithoutRowsInTheNodeFollowsTheMissingValues) {
  Data data;
  data.table.rows = 6;
  data.table.columns.push_back({"c", Categories{{0, 0, 1, 1, 1, 2}, {"a", "b", "z"}}});
  data.label = {0, 0, 1, 1, 1, 0};
  const Binned x = *bin(data.table, 255);
  const Tree tree = grow(x, {0, 1, 2, 3, 4}, classes_of<Gini>(data, 2), {}, {});  // no row has z
  ASSERT_EQ(tree.nodes[0].test, wald::Test::Set);
  EXPECT_EQ(tree.nodes[0].missing, 1);  // the heavier child
  EXPECT_EQ(tree.sets[0], 0b001u);
}

TEST(Grow, OversamplingOneClassLeavesTheSquareRootGiniSplitAlone) {
  const Data data = random_data(91, 400, 5, 0, 0, 2, 200);
  const Binned x = *bin(data.table, 255);
  std::vector<Row> skewed;
  for (Row r = 0; r < 400; ++r) skewed.insert(skewed.end(), data.label[r] == 1 ? 10u : 1u, r);
  const GrowOptions how{.max_depth = 1};
  const Tree even = grow(x, all_rows(400), classes_of<SqrtGini>(data, 2), how, {}),
             odd = grow(x, skewed, classes_of<SqrtGini>(data, 2), how, {});
  EXPECT_EQ(even.nodes[0].column, odd.nodes[0].column);
  EXPECT_EQ(even.nodes[0].ref, odd.nodes[0].ref);
}

TEST(Grow, InfiniteValuesAreOrdinaryOrderedOnes) {
  const double inf = std::numeric_limits<double>::infinity();
  const Data data = small({{-inf, -inf, 0, 1, inf, inf}}, {1, 1, 0, 0, 1, 1});
  const Binned x = *bin(data.table, 255);
  const Tree tree = grow(x, all_rows(6), classes_of<Gini>(data, 2), {}, {});
  for (Row r = 0; r < 6; ++r) {
    std::uint32_t at = 0;
    while (tree.nodes[at].test != wald::Test::Leaf)
      at = tree.nodes[at].child + !(data.table.columns[0].numbers()[r] <= tree.threshold[at]);
    EXPECT_EQ(at, leaf_of(tree, x, r));
    EXPECT_EQ(tree.values[2 * at + static_cast<std::size_t>(data.label[r])], 1.0);
  }
}

TEST(Grow, ADrawnColumnThatOffersNothingIsReplacedByAnother) {
  const Data data = small({{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 1}}, {0, 0, 1, 1});
  const Binned x = *bin(data.table, 255);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    wald::Run run;
    run.seed = seed;
    EXPECT_EQ(grow(x, all_rows(4), classes_of<Gini>(data, 2), {.columns_per_node = 1}, run).nodes.size(), 3u);
  }
}

TEST(Grow, TargetsOfAnySizeAreLearnedAndPureLeavesRepeatThemExactly) {
  for (const double size : {1e-320, 1e-300, 0.1, 1.0, 1e300, 1.7e308}) {
    Data data = small({{1, 2, 3, 4, 5, 6}}, {});
    data.table.rows = 6;
    data.y = {-size, size / 3, size / 7, size, -size, size / 5};
    const Binned x = *bin(data.table, 255);
    const Regression y(data);
    const Tree tree = grow(x, all_rows(6), y.criterion, {}, {});
    for (Row r = 0; r < 6; ++r) EXPECT_EQ(tree.values[leaf_of(tree, x, r)], data.y[r]) << size;
    for (const double v : tree.values) EXPECT_TRUE(std::isfinite(v));
    for (const double g : tree.gain) EXPECT_TRUE(std::isfinite(g));
  }
}

TEST(Grow, ALargeCommonPartOfTheTargetsCostsNoSplit) {
  Data data = random_data(97, 300, 3, 0, 0, 2);
  const Binned x = *bin(data.table, 255);
  const Regression plain(data);
  const Tree tree = grow(x, all_rows(300), plain.criterion, {.max_depth = 4}, {});
  for (double& v : data.y) v += 1 << 30;
  const Regression moved(data);
  const Tree again = grow(x, all_rows(300), moved.criterion, {.max_depth = 4}, {});
  ASSERT_EQ(tree.nodes, again.nodes);
  for (std::size_t n = 0; n < tree.values.size(); ++n) EXPECT_NEAR(tree.values[n], again.values[n] - (1 << 30), 1e-6);
}

}  // namespace
}  // namespace wald
