#include "learn/forest_bags.h"
#include "learn/fitting_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "core/random.h"
#include "learn/assemble.h"
#include "wald/forests.h"

namespace wald {
namespace {

using namespace testing;

constexpr std::int64_t kOne = std::int64_t{1} << 30;

// Every third row weighs nothing, every other one twice.
Task weighed(Task task) {
  task.weight.resize(task.x.rows);
  for (Row r = 0; r < task.x.rows; ++r) task.weight[r] = r % 3 * kOne;
  return task;
}

// To the last bit, because measures count which of two predictions is the greater.
TEST(ForestBags, VotesAskedOfTheModelAreThoseCountedWhileItGrew) {
  for (const std::string learner : {"forest", "bagging", "honest-forest"})
    for (const auto& [table, target] : {std::pair("glass", "Type"), std::pair("auto_mpg", "mpg")})
      for (const std::string trees : {"1", "30", "64"})
        for (const bool weights : {false, true}) {
          const Task task = weights ? weighed(task_of(table, target)) : task_of(table, target);
          OutOfBag told;
          const Model model =
              must_fit(learner, task, {{"trees", trees}}, {}, {.out_of_bag = [&](const OutOfBag& bag) { told = bag; }});
          const auto asked = predict_out_of_bag(model, task);
          ASSERT_TRUE(asked) << asked.error().message;
          EXPECT_EQ(asked->trees, told.trees) << learner << " " << table << " " << trees;
          EXPECT_EQ(asked->predictions.score, told.predictions.score) << learner << " " << table << " " << trees;
        }
}

TEST(ForestBags, RowsOfNoWeightAreOutOfTheBagOfEveryTree) {
  for (const auto& [table, target] : {std::pair("glass", "Type"), std::pair("auto_mpg", "mpg")}) {
    const Task task = weighed(task_of(table, target));
    const Model model = must_fit("forest", task, {{"trees", "16"}});
    const auto bag = predict_out_of_bag(model, task);
    const auto all = predict(model, task.x);
    ASSERT_TRUE(bag && all);
    const auto width = static_cast<std::size_t>(bag->predictions.outputs);
    for (Row r = 0; r < task.x.rows; r += 3) {
      EXPECT_EQ(bag->trees[r], 16u);
      for (std::size_t o = 0; o < width; ++o)
        EXPECT_NEAR(bag->predictions.value[r * width + o], all->value[r * width + o], 1e-11 * 64);
    }
  }
}

TEST(ForestBags, WhetherRowsAreLeftOutIsKnownBeforeTheyAreDrawn) {
  const Task task = task_of("glass", "Type");
  std::map<std::int32_t, Row> first_of;
  for (Row r = 0; r < task.x.rows; ++r) first_of.try_emplace(task.classes().code[r], r);
  std::vector<Row> one_each;
  for (const auto& [c, r] : first_of) one_each.push_back(r);
  std::ranges::sort(one_each);
  const std::vector<Row> single{5}, three{3, 5, 9};
  struct Draw {
    Sample sample;
    double rows;
  };
  for (const auto& [sample, share] :
       {Draw{Sample::Bootstrap, 0}, Draw{Sample::Bootstrap, 0.5}, Draw{Sample::Subsample, 0},
        Draw{Sample::Subsample, 0.99}, Draw{Sample::Subsample, 1}, Draw{Sample::All, 0}, Draw{Sample::Balanced, 0}})
    for (const std::vector<Row>& rows : {weighted_rows(task), single, three, one_each}) {
      ForestOptions how;
      how.sample = sample, how.rows = share;
      const ForestRows draws(task, how, rows, 1);
      std::size_t out = 0;
      for (std::uint32_t t = 0; t < 50; ++t) out += draws.bag(t).out.size();
      EXPECT_EQ(draws.leaves_out(), out > 0) << static_cast<int>(sample) << " " << share << " " << rows.size();
      EXPECT_EQ(draws.idle().size() + draws.rows().size(), task.x.rows);
    }
}

TEST(ForestBags, NothingIsToldOutOfBagWhereEveryTreeSawAllRows) {
  const Task task = task_of("auto_mpg", "mpg");
  for (const auto& [learner, settings] :
       {std::pair("forest", Settings{{"trees", "4"}, {"sample", "subsample"}, {"rows", "1"}}),
        std::pair("honest-forest", Settings{{"trees", "4"}, {"rows", "1"}})}) {
    bool told = false;
    const Model model = must_fit(learner, task, settings, {}, {.out_of_bag = [&](const OutOfBag&) { told = true; }});
    EXPECT_FALSE(told);
    EXPECT_FALSE(predict_out_of_bag(model, task));
    EXPECT_FALSE(out_of_bag_importance(model, task));
    EXPECT_FALSE(standard_errors(model, task, task.x));
    const double q[1] = {0.5};
    EXPECT_TRUE(predict_quantiles(model, task, task.x, q));  // is of rows in the bag
  }
}

// Numbers so large that their squares are none, or that floats do not hold them, and as small ones.
TEST(ForestBags, StandardErrorsAndVotesGoWithTheUnitOfTheTarget) {
  const Task task = task_of("auto_mpg", "mpg");
  const Settings settings{{"trees", "40"}, {"sample", "subsample"}, {"rows", "0.3"}, {"min-split", "8"}};
  const auto errors_of = [&](const Task& of) {
    bool told = false;
    const Model model = must_fit("forest", of, settings, {}, {.out_of_bag = [&](const OutOfBag&) { told = true; }});
    EXPECT_TRUE(told);
    for (const auto& [name, value] : model.found) EXPECT_TRUE(std::isfinite(value)) << name;
    const auto out = standard_errors(model, of, of.x);
    EXPECT_TRUE(out) << out.error().message;
    return out->error;
  };
  const std::vector<double> usual = errors_of(task);
  EXPECT_GT(std::ranges::max(usual), 0);
  for (const int power : {-140, 140, 700}) {
    Task other = task;
    for (double& y : std::get<std::vector<double>>(other.y)) y = std::ldexp(y, power);
    const std::vector<double> found = errors_of(other);
    for (std::size_t r = 0; r < usual.size(); ++r)
      EXPECT_EQ(std::ldexp(found[r], -power), usual[r]) << power << " " << r;
  }
}

// Steps along a path add up to its whole, so the gains of all columns are the mean, each row by its weight, of y times
// what the leaf says more than the root. The balance of the training is none of the table's weights.
TEST(ForestBags, GainsOutOfBagCountRowsByTheirWeight) {
  for (const bool weights : {false, true})
    for (const auto& [table, target, more] :
         {std::tuple("glass", "Type", Settings{}), std::tuple("auto_mpg", "mpg", Settings{}),
          std::tuple("claims", "claim", Settings{{"balance", "weights"}}),
          std::tuple("claims", "claim", Settings{{"class-weights", "yes=5"}})}) {
      const Task task = weights ? weighed(task_of(table, target)) : task_of(table, target);
      Settings settings = more;
      settings["trees"] = "7";
      const Model model = must_fit("forest", task, settings);
      const auto bags = ForestBags::of(model, task, {});
      const auto cells = ForestCells::of(model, task.x);
      const auto found = out_of_bag_importance(model, task);
      ASSERT_TRUE(bags && cells && found);
      const Forest& forest = model.forest();
      const auto outputs = static_cast<std::size_t>(forest.outputs);
      double want = 0;
      for (std::uint32_t t = 0; t < 7; ++t) {
        std::vector<double> root(outputs);
        double cover = 0, sum = 0, all = 0;
        for (const Node& node : forest.tree(t).nodes)
          if (node.is_leaf()) {
            cover += node.cover();
            for (std::size_t o = 0; o < outputs; ++o) root[o] += node.cover() * forest.values_of(node)[o];
          }
        for (double& v : root) v /= cover;
        for (const Row r : bags->rows().bag(t).out) {
          const double w = task.weight.empty() ? 1 : static_cast<double>(task.weight[r]);
          const std::size_t o = task.classifies() ? static_cast<std::size_t>(task.classes().code[r]) : 0;
          const double y = task.classifies() ? 1 : task.numbers()[r] - 7 * root[0];
          const double leaf = forest.values_of(forest.tree(t).nodes[cells->leaf(t, r)])[o];
          sum += w * y * 7 * (leaf - root[o]), all += w;
        }
        want += sum / all / 7;
      }
      const double got = std::accumulate(found->gain.begin(), found->gain.end(), 0.0);
      EXPECT_NEAR(got, want, 1e-9 * std::fabs(want)) << table << " " << weights << " " << more.size();
    }
}

// A column of two values and stumps: shuffled, every row gets the other value or its own. The shuffles are drawn again.
TEST(ForestBags, ShufflesOutOfBagCountRowsByTheirWeight) {
  Task task{.x = {.rows = 60, .source = "made"}, .target = "y"};
  std::vector<double> x(60), y(60);
  for (Row r = 0; r < 60; ++r)
    x[r] = r % 2, y[r] = r % 2 + (r % 5 == 0 ? 3 : 0), task.weight.push_back(kOne + r * 1000);
  task.x.columns = {{"x", Numbers(x)}};
  task.y = y;
  const Model model = must_fit("bagging", task, {{"trees", "5"}, {"max-depth", "1"}, {"min-split", "2"}});
  const auto bags = ForestBags::of(model, task, {});
  const auto cells = ForestCells::of(model, task.x);
  const auto found = out_of_bag_importance(model, task, {.seed = 9});
  ASSERT_TRUE(bags && cells && found);
  double want = 0;
  for (std::uint32_t t = 0; t < 5; ++t) {
    const ForestRows::Bag bag = bags->rows().bag(t);
    std::vector<Row> other(bag.out.begin(), bag.out.end());
    const Random random(9, Purpose::Permute, t);
    for (std::size_t i = other.size(); i > 1; --i) std::swap(other[i - 1], other[random.below(i, i)]);
    double more = 0, all = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
      const Row r = bag.out[i];
      const auto error = [&](Row as) {
        const Node& leaf = model.forest().tree(t).nodes[cells->leaf(t, as)];
        return std::pow(y[r] - 5 * model.forest().values_of(leaf)[0], 2);
      };
      const auto w = static_cast<double>(task.weight[r]);
      more += w * (error(other[i]) - error(r)), all += w;
    }
    want += more / all / 5;
  }
  EXPECT_NEAR(found->permutation[0], want, 1e-9 * std::fabs(want));
}

TEST(ForestBags, TreesThatAgreeHaveNoErrorAndAreCounted) {
  Task task{.x = {.rows = 40, .source = "made"}, .target = "y"};
  std::vector<double> x(40);
  Classes y{{}, {"a", "b"}};
  for (Row r = 0; r < 40; ++r) x[r] = r, y.code.push_back(r < 20 ? 0 : 1);
  task.x.columns = {{"x", Numbers(x)}};
  task.y = y;
  Model model = must_fit("bagging", task, {{"trees", "9"}, {"min-split", "2"}});
  Table far{.rows = 2};
  far.columns = {{"x", Numbers(std::vector<double>{-5, 70})}};
  const auto found = standard_errors(model, task, far);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->error, std::vector<double>(4, 0.0));
  EXPECT_EQ(found->agreed, 4u);
  // They are of what the trees say, which is not what a calibrated model does.
  model.calibration.kind = Calibration::Kind::Sigmoid;
  ASSERT_FALSE(standard_errors(model, task, far));
  EXPECT_EQ(standard_errors(model, task, far).error().kind, ErrorKind::Usage);
}

TEST(ForestBags, NoRowIsNearAnotherWithoutTrees) {
  const Task task = task_of("claims", "claim");
  const Model model = must_fit("adaboost", task, {{"gamma", "0.49"}});
  ASSERT_EQ(model.forest().trees(), 0u);
  EXPECT_FALSE(proximity(model, task.x, 0));
}

// Against the definition in whole numbers: leaves of three rows give thirds, whose sums no double has.
TEST(ForestBags, QuantilesAreThoseOfExactWeights) {
  const Task all = task_of("auto_mpg", "mpg"), task = take_rows(all, [] {
                                                 std::vector<Row> rows;
                                                 for (Row r = 0; r < 200; ++r) rows.push_back(r);
                                                 return rows;
                                               }());
  const Model model = must_fit("bagging", task, {{"trees", "6"}, {"min-split", "6"}, {"min-leaf", "3"}});
  const auto bags = ForestBags::of(model, task, {});
  const auto cells = ForestCells::of(model, task.x);
  ASSERT_TRUE(bags && cells);
  const double quarters[3] = {0.25, 0.5, 0.75};
  const auto found = predict_quantiles(model, task, task.x, quarters);
  ASSERT_TRUE(found);
  constexpr std::int64_t kParts = 232792560;  // divisible by 1 to 20
  int middles = 0;
  for (Row r = 0; r < task.x.rows; ++r) {
    std::map<double, std::int64_t> weight;
    bool divides = true;
    for (std::uint32_t t = 0; t < 6; ++t) {
      const std::uint32_t leaf = cells->leaf(t, r);
      std::int64_t rows = 0;
      const ForestRows::Bag bag = bags->rows().bag(t);
      for (const Drawn& d : bag.grow) rows += cells->leaf(t, d.row) == leaf ? d.count : 0;
      divides &= kParts % rows == 0;
      for (const Drawn& d : bag.grow)
        if (cells->leaf(t, d.row) == leaf) weight[task.numbers()[d.row]] += d.count * (kParts / rows);
    }
    if (!divides) continue;
    for (std::int64_t k = 1; k <= 3; ++k) {
      std::int64_t below = 0;
      double want = 0;
      for (auto at = weight.begin(); at != weight.end(); ++at) {
        below += at->second, want = at->first;
        if (4 * below < k * 6 * kParts) continue;
        if (4 * below == k * 6 * kParts) want = std::midpoint(want, std::next(at)->first), ++middles;
        break;
      }
      EXPECT_EQ((*found)[r * 3 + static_cast<std::size_t>(k) - 1], want) << r << " " << k;
    }
  }
  EXPECT_GT(middles, 20);
}

}  // namespace
}  // namespace wald
