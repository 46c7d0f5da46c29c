#include "tree/prune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tree/grow.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

using testing::all_rows, testing::Data, testing::random_data;

// A random shape: each node after the first two hangs, in pairs, below a random leaf. Risks never rise downwards.
struct Shape {
  Parents parent{0};
  std::vector<double> risk{1000};
};
Shape random_shape(std::uint64_t seed, int splits, double step) {
  const Random random(seed, Purpose::Sample);
  Shape s;
  std::vector<std::uint32_t> leaves{0};
  for (int i = 0; i < splits; ++i) {
    const std::size_t at = random.below(leaves.size(), 3 * static_cast<std::uint64_t>(i));
    const std::uint32_t node = leaves[at];
    const double left = std::floor(s.risk[node] * random.unit(3 * static_cast<std::uint64_t>(i) + 1) / step) * step;
    const double lost =
        std::floor((s.risk[node] - left) * 0.2 * random.unit(3 * static_cast<std::uint64_t>(i) + 2) / step) * step;
    leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
    for (const double r : {left, s.risk[node] - left - lost}) {
      leaves.push_back(static_cast<std::uint32_t>(s.parent.size()));
      s.parent.push_back(node), s.risk.push_back(r);
    }
  }
  return s;
}

struct Cost {
  double cost = 0;
  int leaves = 0;
};
// By dynamic programming on the definition: the least cost, and the fewest leaves that reach it.
Cost best_cost(const Shape& s, double alpha) {
  std::vector<Cost> best(s.parent.size());
  std::vector<bool> inner(s.parent.size());
  for (std::size_t n = s.parent.size(); n-- > 0;) {
    const Cost leaf{s.risk[n] + alpha, 1};
    if (!inner[n] || leaf.cost <= best[n].cost + 1e-9) best[n] = leaf;
    if (n == 0) break;
    inner[s.parent[n]] = true;
    best[s.parent[n]].cost += best[n].cost, best[s.parent[n]].leaves += best[n].leaves;
  }
  return best[0];
}

Cost cost_of(const Shape& s, const std::vector<bool>& leaf, double alpha) {
  Cost out;
  std::vector<bool> reached(s.parent.size()), inner(s.parent.size());
  for (std::size_t n = 1; n < s.parent.size(); ++n) inner[s.parent[n]] = true;
  for (std::size_t n = 0; n < s.parent.size(); ++n) {
    reached[n] = n == 0 || (reached[s.parent[n]] && !leaf[s.parent[n]]);
    if (reached[n] && (leaf[n] || !inner[n])) out.cost += s.risk[n] + alpha, ++out.leaves;
  }
  return out;
}

TEST(Prune, ThePathHoldsTheSmallestTreeOfLeastCostForEveryPrice) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Shape s = random_shape(seed, 25, seed % 2 ? 1.0 : 1e-6);
    const PrunePath path = cost_complexity(s.parent, s.risk);
    std::vector<double> prices{0, 1e9};
    for (std::size_t k = 0; k < path.steps.size(); ++k) {
      prices.push_back(path.steps[k].alpha * (1 + 1e-7));
      if (k > 0) prices.push_back((path.steps[k].alpha + path.steps[k - 1].alpha) / 2);
    }
    for (const double alpha : prices) {
      const Cost want = best_cost(s, alpha), got = cost_of(s, path.at(alpha), alpha);
      EXPECT_NEAR(got.cost, want.cost, 1e-6) << "seed " << seed << " alpha " << alpha;
      EXPECT_EQ(got.leaves, want.leaves) << "seed " << seed << " alpha " << alpha;
    }
  }
}

TEST(Prune, AlphasRiseAndLeavesFallToTheRoot) {
  const Shape s = random_shape(7, 200, 1e-9);
  const PrunePath path = cost_complexity(s.parent, s.risk);
  EXPECT_EQ(path.steps.front().alpha, 0);
  EXPECT_EQ(path.steps.back().leaves, 1u);
  EXPECT_EQ(path.steps.back().risk, 1000);
  for (std::size_t k = 1; k < path.steps.size(); ++k) {
    EXPECT_GT(path.steps[k].alpha, path.steps[k - 1].alpha);
    EXPECT_LT(path.steps[k].leaves, path.steps[k - 1].leaves);
    EXPECT_GE(path.steps[k].risk, path.steps[k - 1].risk - 1e-6);
  }
}

TEST(Prune, OneLeafHasAPathOfOneStep) {
  const PrunePath path = cost_complexity({0}, std::vector<double>{3.0});
  ASSERT_EQ(path.steps.size(), 1u);
  EXPECT_EQ(path.steps[0].leaves, 1u);
  EXPECT_EQ(path.steps[0].risk, 3.0);
}

TEST(Prune, FromTheLeavesUpTheCheapestTreeIsFound) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shape s = random_shape(seed, 20, 1);
    const Random random(seed, Purpose::Folds);
    for (std::size_t n = 0; n < s.risk.size(); ++n) s.risk[n] += static_cast<double>(random.below(300, n));
    const Cost want = best_cost(s, 0), got = cost_of(s, cheaper_as_leaf(s.parent, s.risk), 0);
    EXPECT_EQ(got.cost, want.cost);
    EXPECT_EQ(got.leaves, want.leaves);
  }
}

TEST(Prune, OnlySubtreesOfOneLabelMerge) {
  //       0
  //    1     2
  //   3 4   5 6
  const Parents parent{0, 0, 0, 1, 1, 2, 2};
  const std::vector<std::int32_t> label{0, 1, 0, 1, 1, 0, 1};
  EXPECT_EQ(agreeing(parent, label), (std::vector<bool>{false, true, false, true, true, true, true}));
}

// Quinlan 1993, section 4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750, U25%(1, 16) = 0.157.
TEST(Prune, PessimismHasQuinlansPublishedValues) {
  const Pessimist p(0.25);
  EXPECT_NEAR(p.estimate(6, 0) / 6, 0.206, 5e-4);
  EXPECT_NEAR(p.estimate(9, 0) / 9, 0.143, 5e-4);
  EXPECT_NEAR(p.estimate(1, 0), 0.75, 1e-15);
  EXPECT_NEAR(p.estimate(16, 1) / 16, 0.157, 3e-3);  // his deviate of 0.69 for 25 % is a rounded table's
}

TEST(Prune, PessimismGrowsWithErrorsAndShrinksWithConfidence) {
  for (double n = 1; n <= 40; ++n)
    for (double e = 0; e + 0.25 <= n; e += 0.25) {
      EXPECT_LE(Pessimist(0.25).estimate(n, e), Pessimist(0.25).estimate(n, e + 0.25) + 1e-9) << n << " " << e;
      EXPECT_LE(Pessimist(0.4).added(n, e), Pessimist(0.1).added(n, e) + 1e-9) << n << " " << e;
      EXPECT_GE(Pessimist(0.25).added(n, e), 0);
    }
}

TEST(Prune, ACutTreeSendsEveryRowToTheNodeThatTookTheLeafsPlace) {
  const auto data = random_data(5, 400, 3, 2, 70, 3);
  const Binned x = *bin(data.table, 255);
  Gini criterion{};
  criterion.label = data.label, criterion.classes = 3;
  const Tree tree = grow(x, all_rows(400), criterion, {}, {});
  const Parents parent = parents_of(tree);
  std::vector<bool> leaf(tree.nodes.size());
  for (std::size_t n = 0; n < leaf.size(); ++n) leaf[n] = Random(3, Purpose::Sample).below(4, n) == 0 && n > 0;
  const Tree small = cut(tree, x, leaf);
  EXPECT_LT(small.nodes.size(), tree.nodes.size());
  for (Row r = 0; r < 400; ++r) {
    std::uint32_t end = leaf_of(tree, x, r);
    for (std::uint32_t n = end; n != 0; n = parent[n])
      if (leaf[n]) end = n;
    const std::uint32_t now = leaf_of(small, x, r);
    EXPECT_EQ(small.cover[now], tree.cover[end]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(small.values[3 * now + k], tree.values[3 * end + k]);
  }
  EXPECT_EQ(cut(tree, x, std::vector<bool>(tree.nodes.size())), tree);
}

TEST(Prune, RowsOutsideTrainingFollowTheThreshold) {
  Data data = random_data(13, 300, 3, 0, 0, 2, 200);
  const Binned x = *bin(data.table, kMaxBins);
  Gini criterion{};
  criterion.label = data.label;
  std::vector<Row> half;
  for (Row r = 0; r < 300; r += 2) half.push_back(r);
  Tree tree = grow(x, half, criterion, {}, {});
  fit_bins_to_thresholds(tree, x);
  for (Row r = 0; r < 300; ++r) {
    std::uint32_t at = 0;
    while (tree.nodes[at].test != wald::Test::Leaf) {
      const double value = data.table.columns[tree.nodes[at].column].numbers()[r];
      at = tree.nodes[at].child + (std::isnan(value) ? tree.nodes[at].missing : !(value <= tree.threshold[at]));
    }
    EXPECT_EQ(at, leaf_of(tree, x, r));
  }
}

TEST(Prune, NodeSumsAreThoseOfTheRowsThatPassTheNode) {
  const auto data = random_data(9, 200, 3, 1, 5, 2);
  const Binned x = *bin(data.table, 255);
  Gini criterion{};
  criterion.label = data.label;
  const Tree tree = grow(x, all_rows(200), criterion, {}, {});
  const auto sums = node_sums(tree, x, all_rows(200), criterion);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    EXPECT_EQ(tree.cover[n], static_cast<double>(sums[2 * n] + sums[2 * n + 1]));
}

}  // namespace
}  // namespace wald
