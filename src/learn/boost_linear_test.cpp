// Leaves that are linear functions.
#include <cmath>

#include "learn/boost_test.h"

namespace wald {
namespace {

using namespace testing;

const Settings kLinear = with(kPlain, {{"leaf", "linear"}, {"ridge", "0"}, {"gradient-bits", "30"}});

TEST(BoostLinear, TwoLinesAreFoundByOneStump) {
  std::vector<double> x, y;
  for (int i = 0; i < 200; ++i) x.push_back(i), y.push_back(i < 100 ? 3 + 2.0 * i : 1000 - 0.5 * i);
  const Task task = numbers_task(x, y);
  const Model model = must_fit(task, with(kLinear, {{"trees", "1"}, {"learning-rate", "1"}, {"max-depth", "1"}}));
  const auto values = predicted(model, task.x);
  for (std::size_t r = 0; r < values.size(); ++r) EXPECT_NEAR(values[r], y[r], 1e-3);
}

// Beyond the rows of a leaf its line goes on level.
TEST(BoostLinear, NothingIsExtrapolated) {
  std::vector<double> x, y;
  for (int i = 0; i < 100; ++i) x.push_back(i), y.push_back(2.0 * i);
  const Task task = numbers_task(x, y);
  const Model model = must_fit(task, with(kLinear, {{"trees", "1"}, {"learning-rate", "1"}, {"max-depth", "1"}}));
  const auto values = predicted(model, numbers_task({-1000, 1000, 0, 99}, {0, 0, 0, 0}).x);
  EXPECT_EQ(values[0], values[2]);
  EXPECT_EQ(values[1], values[3]);
}

TEST(BoostLinear, TheCurveIsWhatTheModelPredicts) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model model =
      must_fit(task, {{"leaf", "linear"}, {"rows", "0.6"}, {"trees", "30"}, {"early-stop", "none"}, {"drop", "0.1"}});
  const auto values = predicted(model, task.x);
  double sum = 0;
  for (Row r = 0; r < task.x.rows; ++r) sum += std::pow(values[r] - task.numbers()[r], 2);
  EXPECT_NEAR(model.curve.train.back(), std::sqrt(sum / task.x.rows), 1e-9);
}

TEST(BoostLinear, BytesAreTheSameForAnyThreadsAndForRunsTakenUpAgain) {
  const Task task = task_of("claims", "claim");
  const Settings settings{{"leaf", "linear"}, {"trees", "12"}, {"stop-trials", "1"}};
  std::vector<std::string> checkpoints;
  const std::string whole = to_bytes(
      must_fit(task, settings, {.threads = 1},
               {.checkpoint = [&](const Model& m) { checkpoints.push_back(to_bytes(m)); }, .checkpoint_seconds = 0}));
  EXPECT_TRUE(to_bytes(must_fit(task, settings, {.threads = 3})) == whole);
  for (std::size_t i = 2; i < checkpoints.size(); i += 7) {
    const auto checkpoint = from_bytes(std::as_bytes(std::span(checkpoints[i])), "checkpoint");
    ASSERT_TRUE(checkpoint) << checkpoint.error().message;
    EXPECT_TRUE(to_bytes(must_fit(task, settings, {}, {.resume = &*checkpoint})) == whole) << i;
  }
}

TEST(BoostLinear, WhatItCannotGoWithIsRefused) {
  const Task task = task_of("auto_mpg", "mpg");
  for (const Settings& settings :
       {Settings{{"loss", "absolute"}}, {{"loss", "gamma"}}, {{"monotone", "weight=down"}}, {{"max-step", "0.01"}}})
    EXPECT_EQ(fit("boost", task, with(settings, {{"leaf", "linear"}})).error().kind, ErrorKind::Usage);
  EXPECT_EQ(fit("boost", task_of("iris", "class"), {{"leaf", "linear"}, {"vector-leaves", "yes"}}).error().kind,
            ErrorKind::Usage);
}

}  // namespace
}  // namespace wald
