#include <atomic>
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

// Interrupted after the given number of rounds.
Model stopped_after(int rounds, const Task& task, const Settings& settings, Rounds from = {}) {
  std::atomic<bool> stop{false};
  int told = 0;
  from.told = [&](const LearningCurve&) { stop = ++told == rounds; };
  return must_fit(task, settings, {.threads = 1, .stop = &stop}, from);
}

// Trees left out and put back are rescaled by later rounds, so that the trees of the best round are no more among them.
TEST(Resume, AnInterruptAfterwardsKeepsTheBestSoFarToo) {
  const Task task = task_of("auto_mpg", "mpg");
  std::vector<Row> some(150);
  std::iota(some.begin(), some.end(), Row{0});
  const Task other = take_rows(task, some);
  const Settings hasty{{"trees", "40"}, {"early-stop", "39"}, {"learning-rate", "0.9"}, {"max-leaves", "60"}};
  const Settings few{{"stop-trials", "1"}, {"trees", "8"}, {"learning-rate", "0.2"}};  // then all rows are fitted
  for (const Settings& more :
       {Settings{}, Settings{{"stop-trials", "2"}}, Settings{{"drop", "0.3"}},
        Settings{{"drop", "0.3"}, {"leaf", "linear"}}, few, testing::with(few, {{"drop", "0.3"}})})
    for (const Task* by : {static_cast<const Task*>(nullptr), &other}) {
      if (by != nullptr && more.contains("stop-trials")) continue;
      const Settings settings = testing::with(hasty, more);
      const auto checkpoints = checkpoints_of(task, settings, {.stop_by = by});
      const Model whole = must_fit(task, settings, {}, {.stop_by = by});
      ASSERT_GT(checkpoints.size(), 13u);
      for (const int round : {2, 4, 10}) {
        const Rounds from{.resume = &checkpoints[static_cast<std::size_t>(round) - 1], .stop_by = by};
        EXPECT_EQ(stopped_after(3, task, settings, from), stopped_after(round + 3, task, settings, {.stop_by = by}))
            << more.size() << " " << round;
        EXPECT_EQ(must_fit(task, settings, {}, from), whole) << more.size() << " " << round;
      }
    }
}

// One query leaves no rows to hold out: rounds go on while they bring something on the training rows.
TEST(Resume, DropoutWithoutRowsHeldOutEndsInTheSameBytes) {
  Task task = task_of("auto_mpg", "mpg");
  task.query.assign(task.x.rows, 0);
  for (const char* leaf : {"constant", "linear"}) {
    const Settings settings{{"loss", "squared"}, {"drop", "0.4"},     {"trees", "30"},       {"early-stop", "3"},
                            {"leaf", leaf},      {"max-leaves", "4"}, {"learning-rate", "1"}};
    const std::string whole = to_bytes(must_fit(task, settings));
    const auto checkpoints = checkpoints_of(task, settings, {});
    ASSERT_GT(checkpoints.size(), 4u);
    for (const Model& checkpoint : checkpoints)
      EXPECT_TRUE(to_bytes(must_fit(task, settings, {}, {.resume = &checkpoint})) == whole) << leaf;
  }
}

// What linear leaves add is rounded where trees are taken away again, so that they leave no trace.
TEST(Resume, LinearLeavesThatAreDroppedEndInTheSameBytes) {
  for (const auto& [table, target] : {std::pair{"auto_mpg", "mpg"}, {"iris", "class"}, {"claims", "claim"}}) {
    const Task task = task_of(table, target);
    const Settings settings{{"leaf", "linear"}, {"drop", "0.3"}, {"trees", "25"}, {"early-stop", "none"}};
    const std::string whole = to_bytes(must_fit(task, settings));
    const auto checkpoints = checkpoints_of(task, settings, {});
    for (std::size_t i = 3; i < checkpoints.size(); i += 5)
      EXPECT_TRUE(to_bytes(must_fit(task, settings, {}, {.resume = &checkpoints[i]})) == whole) << table << " " << i;
  }
}

TEST(Resume, ACheckpointThatDoesNotSayWhatItKeptIsRefused) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model good = checkpoints_of(task, kFour, {})[1];
  for (const auto& [option, value] :
       {std::pair{"kept", "9"}, {"kept", "-1"}, {"kept", "one"}, {"best", ""}, {"best", "1 "}}) {
    Model bad = good;
    bad.made.options[option] = value;
    EXPECT_EQ(fit("boost", task, kFour, {}, {.resume = &bad}).error().cure, "start anew without --resume") << option;
  }
}

TEST(Continue, TreesOfTheModelBeforeAreNotDropped) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model before = must_fit(task, testing::with(kFour, {{"drop", "0.5"}}));
  EXPECT_EQ(fit("boost", task, testing::with(kFour, {{"drop", "0.5"}}), {}, {.from = &before}).error().cure,
            "leave --drop away, or train all rounds anew without --continue");
  EXPECT_TRUE(fit("boost", task, kFour, {}, {.from = &before}));
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
