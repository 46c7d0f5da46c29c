// Several classes, several targets, and what the classes count.
#include <cmath>

#include "learn/boost_test.h"
#include "table/weights.h"

namespace wald {
namespace {

using namespace testing;

TEST(BoostOutputs, SeveralTargetsATreeEachAreTheModelsOfEachAlone) {
  const std::string names[] = {"mpg", "weight"};
  const Task both = task_of("auto_mpg", "mpg", TaskKind::Numbers, {"weight"});
  const Settings settings = with(kPlain, {{"trees", "8"}, {"learning-rate", "0.3"}});
  const auto values = predicted(must_fit(both, settings), both.x);
  for (std::size_t k = 0; k < 2; ++k) {
    Task one = both;
    one.more_targets.clear(), one.more_y.clear();
    if (k == 1) one.target = "weight", one.y = both.more_y[0];
    const auto alone = predicted(must_fit(one, settings), one.x);
    for (std::size_t r = 0; r < alone.size(); ++r)
      EXPECT_NEAR(values[2 * r + k], alone[r], 1e-6 * std::fabs(alone[r])) << names[k];
  }
}

// The first leaf of a stump by hand: with equal second derivatives the vector is the mean of the residuals.
TEST(BoostOutputs, AVectorLeafHoldsTheMeanOfEachTarget) {
  Table table;
  table.rows = 6;
  table.columns.push_back({"x", Numbers({1, 2, 3, 4, 5, 6})});
  table.columns.push_back({"a", Numbers({1, 1, 1, 7, 7, 7})});
  table.columns.push_back({"b", Numbers({30, 20, 10, 0, 0, 0})});
  const auto task = make_task(table, {.target = "a", .kind = TaskKind::Numbers, .more_targets = {"b"}});
  ASSERT_TRUE(task) << task.error().message;
  const Model model = must_fit(
      *task, with(kPlain, {{"trees", "1"}, {"learning-rate", "1"}, {"max-depth", "1"}, {"vector-leaves", "yes"}}));
  EXPECT_EQ(model.forest().trees(), 1u);
  EXPECT_EQ(model.forest().width(), 2u);
  const auto values = predicted(model, task->x);
  for (std::size_t r = 0; r < 6; ++r) {
    EXPECT_NEAR(values[2 * r], r < 3 ? 1 : 7, 1e-3);
    EXPECT_NEAR(values[2 * r + 1], r < 3 ? 20 : 0, 1e-3);
  }
}

TEST(BoostOutputs, OneTreeForAllClassesLearnsThemToo) {
  const Task task = task_of("penguins", "species");
  const Model each = must_fit(task, {{"trees", "60"}}),
              one = must_fit(task, {{"trees", "60"}, {"vector-leaves", "yes"}});
  EXPECT_EQ(one.forest().trees(), one.curve.best);
  EXPECT_EQ(each.forest().trees(), 3 * each.curve.best);
  EXPECT_LT(one.curve.held[one.curve.best - 1], 0.12);
  const std::string bytes = to_bytes(one);
  for (const int threads : {1, 3})
    EXPECT_TRUE(to_bytes(must_fit(task, {{"trees", "60"}, {"vector-leaves", "yes"}}, {.threads = threads})) == bytes);
}

TEST(BoostOutputs, AVectorModelIsResumedAndContinuedToTheSameBytes) {
  const Task task = task_of("penguins", "species");
  const Settings settings{{"trees", "10"}, {"vector-leaves", "yes"}, {"early-stop", "none"}};
  std::vector<std::string> checkpoints;
  const std::string whole = to_bytes(
      must_fit(task, settings, {},
               {.checkpoint = [&](const Model& m) { checkpoints.push_back(to_bytes(m)); }, .checkpoint_seconds = 0}));
  const auto checkpoint = from_bytes(std::as_bytes(std::span(checkpoints[4])), "checkpoint");
  ASSERT_TRUE(checkpoint);
  EXPECT_TRUE(to_bytes(must_fit(task, settings, {}, {.resume = &*checkpoint})) == whole);
  const Model half = must_fit(task, with(settings, {{"trees", "5"}}));
  EXPECT_EQ(must_fit(task, with(settings, {{"trees", "5"}}), {}, {.from = &half}).forest(),
            must_fit(task, settings).forest());
  const auto other = fit("boost", task, {{"trees", "5"}}, {}, {.from = &half});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().cure, "give the same --vector-leaves");
}

TEST(BoostOutputs, WeightsOfClassesAreWeightsOfTheirRows) {
  const Task task = task_of("claims", "claim");
  Task weighted = task;
  std::vector<double> weight;
  for (const std::int32_t code : task.classes().code) weight.push_back(code == 1 ? 3 : 1);
  weighted.weight = scaled_weights(weight);
  // But that rows of a leaf are counted by a column of weights alone.
  const Settings settings = with(kPlain, {{"trees", "10"}, {"min-leaf", "0"}});
  const auto a = predicted(must_fit(task, with(settings, {{"class-weights", "yes=3"}})), task.x);
  const auto b = predicted(must_fit(weighted, settings), task.x);
  EXPECT_EQ(a, b);
  const auto plain = predicted(must_fit(task, settings), task.x);
  EXPECT_EQ(predicted(must_fit(task, with(settings, {{"class-weights", "yes=100,no=100"}})), task.x), plain);
  EXPECT_GT(a[1], plain[1]);
}

TEST(BoostOutputs, BalancedClassesStartAtEqualShares) {
  const Task task = task_of("claims", "claim");
  const Model model = must_fit(task, {{"class-weights", "balanced"}, {"trees", "1"}, {"early-stop", "none"}});
  EXPECT_NEAR(model.forest().base[0], 0, 1e-12);
}

TEST(BoostOutputs, WrongWordsAreRefusedWithACure) {
  const auto refused = [](const Task& task, const Settings& settings) {
    const auto model = fit("boost", task, settings);
    EXPECT_FALSE(model);
    return model ? Error{} : model.error();
  };
  const Task task = task_of("claims", "claim");
  EXPECT_EQ(refused(task, {{"class-weights", "yess=2"}}).cure, "did you mean 'yes'?");
  EXPECT_EQ(refused(task, {{"class-weights", "yes=-2"}}).kind, ErrorKind::Usage);
  EXPECT_EQ(refused(task, {{"class-weights", "yes"}}).kind, ErrorKind::Usage);
  EXPECT_EQ(refused(task_of("auto_mpg", "mpg"), {{"class-weights", "balanced"}}).kind, ErrorKind::Usage);
  const Task both = task_of("auto_mpg", "mpg", TaskKind::Numbers, {"weight"});
  EXPECT_EQ(refused(both, {{"loss", "gamma"}}).kind, ErrorKind::Usage);
  EXPECT_EQ(refused(both, {{"start", "3"}}).kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace wald
