#include "learn/forest.h"
#include "learn/fitting_test.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "learn/assemble.h"
#include "learn/forest_leaves.h"
#include "learn/forest_rows.h"
#include "wald/forests.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

TEST(Forest, BytesDoNotDependOnThreads) {
  for (const std::string learner : {"forest", "bagging", "extra-trees", "honest-forest"})
    for (const auto& [table, target] :
         {std::pair("claims", "claim"), std::pair("glass", "Type"), std::pair("auto_mpg", "mpg")}) {
      const Task task = task_of(table, target);
      const Settings settings{{"trees", "9"}};
      std::vector<double> first;
      std::string bytes;
      for (const int threads : {1, 2, 7}) {
        OutOfBag bag;
        const Model model = must_fit(learner, task, settings, {.threads = threads},
                                     {.out_of_bag = [&](const OutOfBag& told) { bag = told; }});
        if (bytes.empty()) bytes = to_bytes(model), first = bag.predictions.score;
        EXPECT_EQ(to_bytes(model), bytes) << learner << " " << table;
        EXPECT_EQ(bag.predictions.score, first);
      }
    }
}

TEST(Forest, RowsInTheBagAndOutOfItAreFoundOnEveryInstructionSet) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 300u}) {
      const Random random(n, Purpose::Sample);
      std::vector<Row> rows(n), out(n + kDivideSpare), want_out;
      std::vector<std::uint32_t> count(n);
      std::vector<Drawn> in(n + kDivideSpare), want_in;
      for (std::size_t i = 0; i < n; ++i) {
        rows[i] = static_cast<Row>(3 * i), count[i] = static_cast<std::uint32_t>(random.below(4, i));
        if (count[i] == 3) count[i] = kFillsLeaves;
        else if (count[i] == 0) want_out.push_back(rows[i]);
        else want_in.push_back({rows[i], count[i]});
      }
      const DividedBag got = divide_bag(rows, count.data(), in.data(), out.data());
      out.resize(got.out);
      EXPECT_EQ(out, want_out);
      ASSERT_EQ(got.in, want_in.size());
      for (std::size_t i = 0; i < got.in; ++i)
        EXPECT_TRUE(in[i].row == want_in[i].row && in[i].count == want_in[i].count) << i;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Drawn again in the plainest way from the generator itself.
TEST(Forest, ABootstrapSampleIsAsManyDrawsAsRowsWithRepetition) {
  const Task task = task_of("glass", "Type");
  const RandomForest how;
  const ForestRows rows(task, how, weighted_rows(task), 5);
  for (const std::uint32_t tree : {0u, 3u}) {
    std::vector<std::uint32_t> expected(task.x.rows);
    for (std::uint32_t i = 0; i < task.x.rows; ++i) {
      const auto four = philox({i / 2, 0, tree, 50}, {5, 0});
      const std::uint64_t bits =
          i % 2 == 0 ? four[0] | std::uint64_t{four[1]} << 32 : four[2] | std::uint64_t{four[3]} << 32;
      ++expected[static_cast<std::size_t>(static_cast<unsigned __int128>(bits) * task.x.rows >> 64)];
    }
    EXPECT_EQ(rows.counts(tree), expected);
    const ForestRows::Bag bag = rows.bag(tree);
    EXPECT_EQ(bag.grow.size() + bag.out.size(), task.x.rows);
    for (const Drawn& d : bag.grow) EXPECT_EQ(d.count, expected[d.row]);
    for (const Row r : bag.out) EXPECT_EQ(expected[r], 0u);
  }
}

TEST(Forest, ABalancedSampleHasAsManyRowsOfEachClass) {
  const Task task = task_of("claims", "claim");
  RandomForest how;
  how.sample = Sample::Balanced;
  const ForestRows rows(task, how, weighted_rows(task), 1);
  std::size_t of[2] = {0, 0}, fewest = 0;
  for (const std::int32_t c : task.classes().code) fewest += c == 1;
  for (const Drawn& d : rows.bag(4).grow) of[task.classes().code[d.row]] += d.count;
  EXPECT_EQ(of[0], fewest);
  EXPECT_EQ(of[1], fewest);
}

TEST(Forest, AnHonestTreesHalvesShareNoRow) {
  const Task task = task_of("claims", "claim");
  const HonestForest how;
  const ForestRows rows(task, how, weighted_rows(task), 1);
  const ForestRows::Bag bag = rows.bag(2);
  EXPECT_EQ(bag.grow.size(), 75u);
  EXPECT_EQ(bag.fill.size(), 75u);
  std::vector<int> seen(task.x.rows);
  for (const Drawn& d : bag.grow) ++seen[d.row];
  for (const Drawn& d : bag.fill) ++seen[d.row];
  for (const Row r : bag.out) ++seen[r];
  EXPECT_EQ(std::ranges::count(seen, 1), task.x.rows);
}

// The mean over the trees whose bag lacks the row, tree by tree from single-tree models of the same forest's arrays.
TEST(Forest, OutOfBagPredictionsAreMeansOverTheTreesThatDidNotSeeTheRow) {
  for (const auto& [table, target] : {std::pair("glass", "Type"), std::pair("auto_mpg", "mpg")}) {
    const Task task = task_of(table, target);
    OutOfBag told;
    const Model model =
        must_fit("forest", task, {{"trees", "32"}}, {}, {.out_of_bag = [&](const OutOfBag& bag) { told = bag; }});
    RandomForest how;
    how.trees = 32;
    const ForestRows rows(task, how, weighted_rows(task), 1);
    const auto outputs = static_cast<std::size_t>(model.forest().outputs);
    std::vector<double> sum(task.x.rows * outputs);
    std::vector<std::uint32_t> trees(task.x.rows);
    for (std::uint32_t t = 0; t < 32; ++t) {
      Model one = model;
      Forest forest = model.forest();
      const auto nodes = forest.tree(t).nodes;
      forest.first = std::vector<std::uint64_t>{0, nodes.size()};
      forest.nodes = std::vector<Node>(nodes.begin(), nodes.end());
      forest.gain = std::vector<float>{};
      std::ranges::fill(forest.base, 0.0);
      one.body = forest;
      const auto says = predict(one, task.x);
      for (const Row r : rows.bag(t).out) {
        ++trees[r];
        for (std::size_t o = 0; o < outputs; ++o) sum[r * outputs + o] += 32 * says->score[r * outputs + o];
      }
    }
    EXPECT_EQ(told.trees, trees);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (trees[i / outputs] == 0) continue;
      EXPECT_NEAR(told.predictions.score[i], sum[i] / trees[i / outputs], 1e-9 * (1 + std::fabs(sum[i])));
    }
    const auto again = predict_out_of_bag(model, task);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->trees, trees);
    for (std::size_t i = 0; i < sum.size(); ++i)
      EXPECT_NEAR(again->predictions.score[i], told.predictions.score[i], 1e-9 * (1 + std::fabs(sum[i])));
  }
}

TEST(Forest, ProbabilitiesSumToOneExactly) {
  const Task task = task_of("glass", "Type");
  for (const std::string trees : {"7", "100", "256"}) {
    const Model model = must_fit("forest", task, {{"trees", trees}, {"smoothing", "0.3"}});
    const auto p = predict(model, task.x);
    for (std::size_t r = 0; r < p->rows; ++r) {
      const auto* first = p->value.data() + r * 6;
      EXPECT_EQ(std::accumulate(first, first + 6, 0.0), 1.0);
    }
  }
}

TEST(Forest, OneTreeOfAllRowsAndColumnsIsCart) {
  const Task task = task_of("glass", "Type");
  const Model forest = must_fit("bagging", task, {{"trees", "1"}, {"sample", "all"}});
  const Model cart = must_fit("cart", task, {});
  const auto a = predict(forest, task.x), b = predict(cart, task.x);
  EXPECT_EQ(a->label, b->label);
  EXPECT_EQ(forest.forest().nodes.size(), cart.forest().nodes.size());
}

TEST(Forest, VotesOutOfBagAreSummedWhateverTheirNumber) {
  const Task task = task_of("glass", "Type");
  const Model model = must_fit("forest", task, {{"trees", "1"}});
  const auto x = bin(task.x, 255);
  const RowCodes codes(*x);
  const auto classes = static_cast<std::size_t>(model.forest().outputs);
  Sapling one{.nodes = {Node::leaf(0)}, .values = std::vector<double>(classes)}, two = one;
  one.values[1] = 1, two.values[1] = 0.25, two.values[3] = 0.75;
  for (const int trees : {100, 70'000}) {  // more than a count of 16 bits holds
    Votes votes(task.x.rows, classes, trees + 1, VoteUnits{});
    for (int t = 0; t < trees; ++t) votes.add(one, codes, std::vector<Row>{3}, static_cast<std::uint32_t>(t));
    votes.add(two, codes, std::vector<Row>{3, 4}, 1);
    const OutOfBag told = votes.predictions(model);
    EXPECT_EQ(told.trees[3], static_cast<std::uint32_t>(trees + 1));
    EXPECT_DOUBLE_EQ(told.predictions.score[3 * classes + 1], (trees + 0.25) / (trees + 1));
    EXPECT_DOUBLE_EQ(told.predictions.score[3 * classes + 3], 0.75 / (trees + 1));
    EXPECT_EQ(told.predictions.score[4 * classes + 1], 0.25);
  }
}

// Trees that say 1, -1 or 0 of rows whose target is 0, drawn for each, err by 0.04 + 0.76 / m.
TEST(Forest, WhatIsExpectedOfAllTreesIsToldByHalfOfThoseOutOfBag) {
  const Random random(4, Purpose::Sample);
  const std::size_t rows = 4000;
  std::vector<double> x(rows);
  for (std::size_t r = 0; r < rows; ++r) x[r] = static_cast<double>(r % 200);
  Table table{.rows = rows};
  table.columns = {{"x", Numbers(x)}};
  const Task task{.x = std::move(table), .y = std::vector<double>(rows)};
  const auto binned = bin(task.x, 255);
  const RowCodes codes(*binned);
  const double said[3] = {1, -1, 0};
  const auto expected = [&](std::uint64_t seed, std::uint32_t trees) {
    Votes votes(rows, 1, static_cast<int>(trees), VoteUnits{});
    for (std::uint32_t t = 0; t < trees; ++t) {
      std::vector<Row> of[3];
      for (Row r = 0; r < rows; ++r) {
        const double u = random.unit((seed * 1000 + t) * rows + r);
        of[u < 0.5 ? 0 : u < 0.8 ? 1 : 2].push_back(r);
      }
      for (std::size_t k = 0; k < 3; ++k)
        votes.add(Sapling{.nodes = {Node::leaf(0)}, .values = {said[k]}}, codes, of[k], t);
    }
    return votes.expected_error(task, 100);
  };
  EXPECT_NEAR(*expected(0, 37), 0.04 + 0.76 / 100, 0.004);  // 0.04 + 0.76 / 37 is 0.013 more
  EXPECT_NEAR(*expected(1, 100), 0.04 + 0.76 / 100, 0.002);
  EXPECT_FALSE(expected(2, 4));  // trees: too few to be halved
  EXPECT_FALSE(Votes(rows, 1, 100, VoteUnits{}).expected_error(task, 100));
}

TEST(Forest, MajorityVotesAreWholeTrees) {
  const Task task = task_of("claims", "claim");
  const Model model = must_fit("forest", task, {{"trees", "16"}, {"vote", "majority"}, {"max-depth", "2"}});
  const auto p = predict(model, task.x);
  for (const double v : p->value) EXPECT_EQ(v * 16, std::round(v * 16));
}

TEST(Forest, BalancedClassWeightsRaiseTheRareClass) {
  const Task task = task_of("claims", "claim");
  const Settings shallow{{"max-depth", "2"}, {"trees", "32"}};
  Settings balanced = shallow;
  balanced["class-weights"] = "balanced";
  const auto mean = [&](const Model& model) {
    const auto p = predict(model, task.x);
    double sum = 0;
    for (std::size_t r = 0; r < p->rows; ++r) sum += p->value[2 * r + 1];
    return sum / static_cast<double>(p->rows);
  };
  EXPECT_NEAR(mean(must_fit("forest", task, shallow)), 0.34, 0.03);
  EXPECT_NEAR(mean(must_fit("forest", task, balanced)), 0.5, 0.05);
}

TEST(Forest, ColumnsOfANodeAreAShareOrAWholeNumber) {
  const Task task = task_of("claims", "claim");
  for (const std::string columns : {"1.0", "1.5"}) {
    const auto model = fit("forest", task, {{"columns-per-node", columns}});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message,
              "--columns-per-node " + columns + " is neither a share, which is below 1, nor a whole number");
    EXPECT_EQ(model.error().cure, "give auto, a share such as 0.8, or how many: 1 is a single one");
  }
  for (const std::string columns : {"0.5", "1", "2", "1000"})
    must_fit("forest", task, {{"columns-per-node", columns}, {"trees", "2"}});
}

// A class that counts three times is one whose rows weigh three times as much, whatever the unit.
TEST(Forest, NamedClassWeightsAreWeightsOfRows) {
  Task task = task_of("claims", "claim");
  const Settings few{{"trees", "8"}};
  const auto weighed = [&](const std::string& words) {
    return must_fit("forest", task, {{"trees", "8"}, {"class-weights", words}}).forest();
  };
  EXPECT_EQ(weighed("yes=1,no=1"), must_fit("forest", task, few).forest());
  EXPECT_EQ(weighed("yes=6,no=2"), weighed("yes=3"));
  EXPECT_NE(weighed("yes=3"), weighed("none"));
  const Forest named = weighed("yes=3");
  const std::vector<std::int32_t>& code = task.classes().code;
  const auto yes = static_cast<double>(std::ranges::count(code, 1)), rows = static_cast<double>(code.size());
  for (const std::int32_t c : code)
    task.weight.push_back(std::llround((c == 1 ? 3 : 1) * rows / (rows + 2 * yes) * 0x1p30));
  EXPECT_EQ(named, must_fit("forest", task, few).forest());
  const auto refused = fit("forest", task, {{"class-weights", "yess=2"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, "did you mean 'yes'?");
}

TEST(Forest, QuantilesAreThoseOfTheTargetsInItsLeaves) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model model = must_fit("bagging", task, {{"trees", "1"}, {"sample", "all"}, {"max-depth", "1"}});
  const double q[2] = {0, 1};
  const auto found = predict_quantiles(model, task, task.x, q);
  ASSERT_TRUE(found) << found.error().message;
  const auto p = predict(model, task.x);
  for (Row r = 0; r < task.x.rows; ++r) {
    double low = 1e9, high = -1e9;
    for (Row s = 0; s < task.x.rows; ++s)
      if (p->value[s] == p->value[r]) low = std::min(low, task.numbers()[s]), high = std::max(high, task.numbers()[s]);
    EXPECT_EQ((*found)[2 * r], low);
    EXPECT_EQ((*found)[2 * r + 1], high);
  }
}

// The jackknife of a mean: one leaf, so that every tree says the mean of its bag, whose standard error is known.
TEST(Forest, TheStandardErrorOfAMeanIsItsOwn) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model model = must_fit("bagging", task, {{"trees", "2000"}, {"min-split", "100000"}});
  const auto found = standard_errors(model, task, take_rows(task.x, std::vector<Row>{0}));
  ASSERT_TRUE(found) << found.error().message;
  double sum = 0, squares = 0;
  for (const double y : task.numbers()) sum += y, squares += y * y;
  const double n = static_cast<double>(task.x.rows), variance = squares / n - sum / n * sum / n;
  EXPECT_NEAR(found->error[0], std::sqrt(variance / n), 0.12 * std::sqrt(variance / n));
}

TEST(Forest, ProximityCountsSharedLeaves) {
  const Task task = task_of("glass", "Type");
  const Model model = must_fit("forest", task, {{"trees", "16"}});
  const auto near = proximity(model, task.x, 3);
  ASSERT_TRUE(near);
  EXPECT_EQ((*near)[3], 1);
  const auto back = proximity(model, task.x, 10);
  EXPECT_EQ((*near)[10], (*back)[3]);
  for (const double p : *near) EXPECT_EQ(16 * p, std::round(16 * p));
}

TEST(Forest, NoiseHasNoImportanceOutOfBag) {
  Table table{.rows = 600, .source = "made.csv"};
  const Random random(3, Purpose::Sample);
  std::vector<double> signal(600), noise(600), y(600);
  for (Row r = 0; r < 600; ++r) {
    signal[r] = static_cast<double>(random.below(2, r)), noise[r] = random.unit(10'000 + r);
    y[r] = random.unit(20'000 + r) < 0.2 + 0.6 * signal[r] ? 1 : 0;
  }
  for (auto& [name, data] : {std::pair("signal", signal), std::pair("noise", noise), std::pair("y", y)})
    table.columns.push_back({name, Numbers(data)});
  const auto task = make_task(table, {.target = "y", .kind = TaskKind::Classes});
  const Model model = must_fit("forest", *task, {{"trees", "200"}, {"columns-per-node", "1"}, {"min-split", "2"}});
  const auto found = out_of_bag_importance(model, *task);
  ASSERT_TRUE(found) << found.error().message;
  const Importance biased = importance(model);
  EXPECT_GT(biased.gain[1], biased.gain[0]);  // the impurity prefers the column of many values
  EXPECT_GT(found->gain[0], 0.05);
  EXPECT_LT(found->gain[1], 0.2 * found->gain[0]);
  EXPECT_GT(found->permutation[0], 0.05);
  EXPECT_LT(std::fabs(found->permutation[1]), 0.3 * found->permutation[0]);
}

TEST(Forest, AnotherTableThanTheTrainingTableIsRefused) {
  const Task task = task_of("claims", "claim");
  const Model model = must_fit("forest", task, {{"trees", "4"}});
  const std::vector<Row> some{0, 1, 2, 3, 4, 5, 6, 7};
  const auto found = predict_out_of_bag(model, take_rows(task, some));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::BadData);
  EXPECT_FALSE(predict_out_of_bag(must_fit("cart", task, {}), task));
  EXPECT_FALSE(predict_out_of_bag(must_fit("extra-trees", task, {{"trees", "4"}}), task));
}

TEST(Forest, OptionsForClassesAreRefusedForNumbers) {
  const Task task = task_of("auto_mpg", "mpg");
  for (const auto& [name, value] :
       Settings{{"sample", "balanced"}, {"class-weights", "balanced"}, {"vote", "majority"}, {"smoothing", "1"}}) {
    const auto model = fit("forest", task, {{name, value}});
    ASSERT_FALSE(model) << name;
    EXPECT_EQ(model.error().kind, ErrorKind::Usage);
  }
}

TEST(Forest, AShareOfRowsIsRefusedWhereAllAreTaken) {
  const Task task = task_of("claims", "claim");
  for (const std::string learner : {"extra-trees", "forest"}) {
    const auto model = fit(learner, task, {{"rows", "0.1"}, {"sample", "all"}});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().kind, ErrorKind::Usage);
    EXPECT_EQ(model.error().message, "--rows belongs to --sample bootstrap, subsample or balanced");
  }
  must_fit("extra-trees", task, {{"rows", "0.1"}, {"sample", "bootstrap"}, {"trees", "2"}});
  must_fit("extra-trees", task, {{"rows", "auto"}, {"trees", "2"}});
}

}  // namespace
}  // namespace wald
