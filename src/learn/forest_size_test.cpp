#include "learn/forest_size.h"
#include "learn/fitting_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "learn/assemble.h"
#include "learn/forest_leaves.h"

namespace wald {
namespace {

using namespace testing;

// A tree as its bag fills it: which rows reach each node, and what a leaf in its place would say.
struct Filled {
  std::vector<std::vector<double>> count;  // node x class, or weight and sum of targets
  std::vector<double> weight;

  Filled(const Task& task, const ForestOptions& how, const Sapling& tree, const RowCodes& codes,
         std::span<const Drawn> rows)
      : count(tree.nodes.size(), std::vector<double>(outputs(task))), weight(tree.nodes.size()) {
    for (const Drawn& d : rows)
      for (std::uint32_t at = 0, next = 0;; at = next) {
        const double w = d.count * (task.weight.empty() ? 1 : static_cast<double>(task.weight[d.row]) * 0x1p-30);
        weight[at] += w;
        if (task.classifies()) count[at][static_cast<std::size_t>(task.classes().code[d.row])] += w;
        else count[at][0] += w * task.numbers()[d.row];
        if (tree.nodes[at].is_leaf()) break;
        next = child_of(tree, codes, at, d.row);
      }
    for (std::size_t n = 0; n < count.size(); ++n) {
      const double smoothing = how.smoothing, all = weight[n] + smoothing * static_cast<double>(outputs(task));
      for (double& c : count[n]) c = (c + smoothing) / all;
      if (how.vote == Vote::Average) continue;
      const auto greatest = std::ranges::max_element(count[n]) - count[n].begin();
      std::ranges::fill(count[n], 0.0), count[n][static_cast<std::size_t>(greatest)] = 1;
    }
  }
  static std::size_t outputs(const Task& task) { return task.classifies() ? task.classes().name.size() : 1; }
};

// grown: as its own rows fill it, which decide what is split; where no row that fills it is, the node above speaks.
std::vector<double> error_of(const Task& task, const Filled& grown, const Filled& tree, const Sapling& shape,
                             const RowCodes& codes, Row row, double size) {
  std::uint32_t at = 0, speaks = 0;
  while (!shape.nodes[at].is_leaf() && grown.weight[at] >= size) {
    at = child_of(shape, codes, at, row);
    if (tree.weight[at] > 0) speaks = at;
  }
  std::vector<double> out = tree.count[speaks];
  for (std::size_t o = 0; o < out.size(); ++o)
    out[o] -=
        task.classifies() ? (static_cast<std::size_t>(task.classes().code[row]) == o ? 1 : 0) : task.numbers()[row];
  return out;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Case {
  const char *table, *target;
  Vote vote = Vote::Average;
  double smoothing = 0;
  bool weighted = false, honest = false;
};

// Every pair of trees that a row is out of bag of, one by one; compared by ratios to the first size.
TEST(SplitSize, TheErrorIsThatOfPairsOfTreesOutOfBag) {
  for (const Case& c : {Case{"glass", "Type"}, Case{"auto_mpg", "mpg"}, Case{"claims", "claim", Vote::Majority},
                        Case{"glass", "Type", Vote::Average, 0.7}, Case{"auto_mpg", "mpg", Vote::Average, 0, true},
                        Case{"auto_mpg", "mpg", Vote::Average, 0, true, true},
                        Case{"glass", "Type", Vote::Average, 0.7, false, true}}) {
    Task task = task_of(c.table, c.target);
    if (c.weighted)
      for (Row r = 0; r < task.x.rows; ++r) task.weight.push_back((1 + r % 3) * (std::int64_t{1} << 29));
    ForestOptions how = c.honest ? ForestOptions(HonestForest{}) : ForestOptions(RandomForest{});
    how.trees = 40, how.min_split = 2, how.vote = c.vote, how.smoothing = c.smoothing, how.columns_per_node = 2;
    const ForestRows rows(task, how, weighted_rows(task), 3);
    const auto x = bin(task.x, 255);
    const RowCodes codes(*x);
    Gini gini;
    FixedTarget fixed;
    Variance variance;
    std::unique_ptr<SaplingGrower> grower;
    if (task.classifies()) {
      gini = {{task.classes().code, task.weight, static_cast<int>(task.classes().name.size()), c.smoothing}};
      grower = sapling_grower(*x, gini, how, 3);
    } else {
      fixed = fix_target(task.numbers(), task.weight);
      variance = {task.numbers(), task.weight, &fixed};
      grower = sapling_grower(*x, variance, how, 3);
    }
    SplitSizes sizes(task, rows, task.weight, how, 3);
    EXPECT_EQ(sizes.trees(), 10u);
    std::vector<Sapling> tree;
    std::vector<Filled> grown, filled;
    std::vector<std::vector<std::uint32_t>> out(task.x.rows);  // the trees a row is out of bag of
    for (std::uint32_t t = 0; t < sizes.trees(); ++t) {
      const ForestRows::Bag bag = rows.bag(t);
      tree.push_back(grower->grow(bag.grow, t));
      grown.emplace_back(task, how, tree.back(), codes, bag.grow);
      filled.emplace_back(task, how, tree.back(), codes, c.honest ? std::span<const Drawn>(bag.fill) : bag.grow);
      for (const Row r : bag.out) out[r].push_back(t);
      Sapling says = tree.back();
      if (c.honest) task.classifies() ? refill(says, codes, bag.fill, gini) : refill(says, codes, bag.fill, variance);
      sizes.add(tree.back(), says, codes, bag);
    }
    std::array<double, SplitSizes::kSizes.size()> expected{};
    for (std::size_t s = 0; s < expected.size(); ++s)
      for (Row r = 0; r < task.x.rows; ++r) {
        if (out[r].size() < 2) continue;
        double one = 0, two = 0;
        const auto n = static_cast<double>(out[r].size());
        for (const std::uint32_t i : out[r])
          for (const std::uint32_t j : out[r]) {
            const double size = SplitSizes::kSizes[s];
            const double both = product(error_of(task, grown[i], filled[i], tree[i], codes, r, size),
                                        error_of(task, grown[j], filled[j], tree[j], codes, r, size));
            if (i == j) one += both / n;
            else two += both / (n * (n - 1));
          }
        expected[s] += (c.weighted ? 0.5 * (1 + r % 3) : 1) * (two + (one - two) / 40);
      }
    const auto found = sizes.errors();
    ASSERT_TRUE(found);
    for (std::size_t s = 0; s < expected.size(); ++s)
      EXPECT_NEAR((*found)[s] / (*found)[0], expected[s] / expected[0], 1e-4) << c.table << " " << s;
  }
}

// Two columns of chance, one that decides: the target is its sign, or with that chance the other one.
Task made(double chance, double centre = 0, double spread = 0) {
  constexpr Row kRows = 1500;
  Table table{.rows = kRows, .source = "made.csv"};
  const Random random(4, Purpose::Sample);
  std::vector<std::vector<double>> v(4, std::vector<double>(kRows));
  for (Row r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < 3; ++c) v[c][r] = random.unit(10 * r + c) - 0.5;
    const bool high = (v[0][r] > 0) != (random.unit(10 * r + 5) < chance);
    v[3][r] = spread > 0 ? centre + spread * high : high;
  }
  for (std::size_t c = 0; c < 4; ++c) table.columns.push_back({c < 3 ? "x" + std::to_string(c) : "y", Numbers(v[c])});
  auto task = make_task(table, {.target = "y", .kind = spread > 0 ? TaskKind::Numbers : TaskKind::Classes});
  EXPECT_TRUE(task);
  return std::move(*task);
}

double chosen(const Task& task, Settings settings = {}) {
  settings.emplace("trees", "40");
  return must_fit("forest", task, settings).found.at("training_min_split");
}

TEST(SplitSize, IsSmallWhereTheTargetIsSureAndLargeWhereItIsChance) {
  EXPECT_LE(chosen(made(0)), 4);
  EXPECT_GE(chosen(made(0.4)), 64);
  EXPECT_GE(chosen(made(0.4), {{"sample", "balanced"}}), 64);
  EXPECT_GE(chosen(made(0.4), {{"sample", "subsample"}, {"rows", "0.5"}}), 64);
}

// The choice is that of the ranks of errors, whatever the target's units.
TEST(SplitSize, OfNumbersDoesNotDependOnTheirUnits) {
  const double usual = chosen(made(0.3, 0, 1));
  EXPECT_GE(usual, 32);
  for (const auto& [centre, spread] :
       {std::pair(0.0, 0x1p-900), std::pair(0x1p30, 1.0), std::pair(-0x1p1023, 0x1p1023)})
    EXPECT_EQ(chosen(made(0.3, centre, spread)), usual) << centre;
}

TEST(SplitSize, AutoGivesTheModelOfTheSizeThatItChooses) {
  for (const auto& [table, target] :
       {std::pair("claims", "claim"), std::pair("glass", "Type"), std::pair("auto_mpg", "mpg")})
    for (const std::string learner : {"forest", "bagging", "honest-forest"}) {
      const Task task = task_of(table, target);
      std::vector<double> told, by_hand;
      const Model model = must_fit(learner, task, {{"trees", "48"}}, {},
                                   {.out_of_bag = [&](const OutOfBag& bag) { told = bag.predictions.score; }});
      const double size = model.found.at("training_min_split");
      const Model same = must_fit(learner, task, {{"trees", "48"}, {"min-split", std::to_string(size)}}, {},
                                  {.out_of_bag = [&](const OutOfBag& bag) { by_hand = bag.predictions.score; }});
      EXPECT_EQ(model.forest(), same.forest()) << table << " " << size;
      EXPECT_EQ(told, by_hand);
      EXPECT_FALSE(same.found.contains("training_min_split"));
    }
}

TEST(SplitSize, IsNotChosenWhereNothingTellsOutOfBag) {
  const Task task = task_of("claims", "claim");
  for (const auto& [learner, settings] :
       {std::pair("extra-trees", Settings{{"trees", "16"}}), std::pair("forest", Settings{{"trees", "1"}}),
        std::pair("bagging", Settings{{"trees", "8"}, {"sample", "all"}})}) {
    Settings by_hand = settings;
    by_hand["min-split"] = "2";
    const Model model = must_fit(learner, task, settings);
    EXPECT_EQ(model.forest(), must_fit(learner, task, by_hand).forest()) << learner;
    EXPECT_FALSE(model.found.contains("training_min_split"));
  }
}

TEST(SplitSize, OneValueOfTheTargetIsNoDivisionByNothing) {
  EXPECT_EQ(chosen(made(0, 5, 1e-300)), 2);  // 5 and 5
}

}  // namespace
}  // namespace wald
