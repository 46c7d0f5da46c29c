#include <numeric>

#include "learn/boost_test.h"

namespace wald {
namespace {

using testing::must_fit;
using testing::task_of;

const Settings kFour{{"early-stop", "none"}, {"trees", "4"}};

// As a file would keep it, after each round.
std::vector<Model> checkpoints_of(const Task& task, const Settings& settings, Rounds rounds) {
  std::vector<Model> out;
  rounds.checkpoint_seconds = 0;
  rounds.checkpoint = [&](const Model& model) {
    const std::string bytes = to_bytes(model);
    auto read = from_bytes(std::as_bytes(std::span(bytes)), "checkpoint");
    ASSERT_TRUE(read) << read.error().message;
    out.push_back(std::move(*read));
  };
  (void)must_fit(task, settings, {}, rounds);
  return out;
}

TEST(Resume, ACheckpointBelongsToTheModelThatTheRunGoesOnFrom) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model one = must_fit(task, kFour), two = must_fit(task, kFour, {.seed = 2});
  const Model plain = checkpoints_of(task, kFour, {})[1], added = checkpoints_of(task, kFour, {.from = &one})[1];
  EXPECT_EQ(must_fit(task, kFour, {}, {.resume = &plain}), must_fit(task, kFour));
  EXPECT_EQ(must_fit(task, kFour, {}, {.from = &one, .resume = &added}), must_fit(task, kFour, {}, {.from = &one}));
  const auto refused = [&](const Rounds& rounds) { return fit("boost", task, kFour, {}, rounds).error().cure; };
  EXPECT_EQ(refused({.from = &one, .resume = &plain}), "resume without --continue");
  EXPECT_EQ(refused({.resume = &added}), "name that model: --continue MODEL");
  EXPECT_EQ(refused({.from = &two, .resume = &added}), "give that model to --continue");
}

TEST(Continue, TheLossStaysTheSame) {
  const Task task = task_of("auto_mpg", "mpg");
  const auto refused = [&](const Settings& before, const Settings& now) {
    const Model from = must_fit(task, testing::with(kFour, before));
    const auto model = fit("boost", task, testing::with(kFour, now), {}, {.from = &from});
    return model ? std::string("taken") : model.error().cure;
  };
  EXPECT_EQ(refused({}, {{"loss", "squared"}}), "taken");
  EXPECT_EQ(refused({{"loss", "squared"}}, {}), "taken");
  EXPECT_EQ(refused({{"loss", "cox"}}, {{"loss", "poisson"}}), "give the same --loss");
  EXPECT_EQ(refused({{"loss", "squared"}}, {{"loss", "absolute"}}), "give the same --loss");
  EXPECT_EQ(refused({{"loss", "quantile"}}, {}), "give the same --loss");
  EXPECT_EQ(refused({{"loss", "quantile"}}, {{"loss", "quantile"}, {"quantile", "0.9"}}), "give the same --quantile");
}

TEST(Continue, RowsThatTheModelHasLearnedDoNotChooseTheRounds) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model before = must_fit(task, kFour);
  std::vector<Row> some(100);
  std::iota(some.begin(), some.end(), Row{0});
  const Task part = take_rows(task, some);
  const auto refused = fit("boost", task, {{"trees", "4"}}, {}, {.from = &before});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, "give --early-stop none and --trees, or rows it has not seen by --stop-on FILE");
  const Model filled = must_fit(task, testing::with(kFour, {{"impute", "mean"}}));
  EXPECT_FALSE(fit("boost", task, {{"trees", "4"}, {"impute", "mean"}}, {}, {.from = &filled}));
  EXPECT_TRUE(fit("boost", task, {{"trees", "4"}}, {}, {.from = &before, .stop_by = &part}));
  EXPECT_TRUE(fit("boost", part, {{"trees", "4"}}, {}, {.from = &before}));
}

}  // namespace
}  // namespace wald
