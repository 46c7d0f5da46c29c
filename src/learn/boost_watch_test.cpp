#include "learn/boost_test.h"

namespace wald {
namespace {

using testing::must_fit;
using testing::predicted;
using testing::task_of;

// The even rows to learn from, the odd ones to stop by.
struct Halves {
  Task learned, other;
};
Halves halves_of(const Task& task) {
  std::vector<Row> even, odd;
  for (Row row = 0; row < task.x.rows; ++row) (row % 2 == 0 ? even : odd).push_back(row);
  return {take_rows(task, even), take_rows(task, odd)};
}

const Settings kHasty{{"trees", "200"}, {"learning-rate", "0.3"}, {"early-stop", "10"}};

TEST(StopBy, TheModelIsThatOfTheRoundThatIsBestOnTheOtherRows) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  for (const Settings& more :
       {Settings{}, Settings{{"drop", "0.1"}}, Settings{{"leaf", "linear"}}, Settings{{"impute", "mean"}}}) {
    const Settings settings = testing::with(kHasty, more);
    const Model model = must_fit(halves.learned, settings, {}, {.stop_by = &halves.other});
    const auto best = std::ranges::min_element(model.curve.held) - model.curve.held.begin();
    EXPECT_EQ(model.curve.best, best + 1);
    EXPECT_EQ(model.forest().trees(), model.curve.best);
    const Model whole = must_fit(
        halves.learned, testing::with(settings, {{"trees", std::to_string(best + 1)}, {"early-stop", "none"}}));
    EXPECT_EQ(predicted(model, halves.other.x), predicted(whole, halves.other.x));
    double squares = 0;
    const std::vector<double> said = predicted(model, halves.other.x);
    for (std::size_t i = 0; i < said.size(); ++i) squares += std::pow(said[i] - halves.other.numbers()[i], 2);
    EXPECT_NEAR(model.curve.held[static_cast<std::size_t>(best)], std::sqrt(squares / static_cast<double>(said.size())),
                1e-9);
  }
}

TEST(StopBy, ClassesAndLevelsUnseenInTrainingAreJudgedToo) {
  Halves halves = halves_of(task_of("claims", "claim"));
  for (Column& column : halves.other.x.columns)
    if (column.type() == ColumnType::Category) std::get<Categories>(column.data).level[0] = "unheard of";
  const Model model = must_fit(halves.learned, kHasty, {}, {.stop_by = &halves.other});
  EXPECT_GT(model.curve.best, 0u);
  EXPECT_EQ(model.curve.measure, "log_loss");
}

TEST(StopBy, WithoutEarlyStoppingAllRoundsAreKeptAndTold) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  const Model model =
      must_fit(halves.learned, {{"trees", "7"}, {"early-stop", "none"}}, {}, {.stop_by = &halves.other});
  EXPECT_EQ(model.forest().trees(), 7u);
  EXPECT_EQ(model.curve.held.size(), 7u);
}

TEST(StopBy, ARunTakenUpEndsInTheSameBytes) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  for (const Settings& more : {Settings{}, Settings{{"leaf", "linear"}}, Settings{{"drop", "0.2"}},
                               Settings{{"drop", "0.2"}, {"leaf", "linear"}}}) {
    const Settings settings = testing::with(kHasty, more);
    std::vector<std::string> checkpoints;
    const Model whole = must_fit(halves.learned, settings, {},
                                 {.checkpoint = [&](const Model& m) { checkpoints.push_back(to_bytes(m)); },
                                  .checkpoint_seconds = 0,
                                  .stop_by = &halves.other});
    ASSERT_EQ(checkpoints.size(), whole.curve.held.size());
    for (std::size_t i = 0; i < checkpoints.size(); i += 5) {
      const auto checkpoint = from_bytes(std::as_bytes(std::span(checkpoints[i])), "checkpoint");
      ASSERT_TRUE(checkpoint) << checkpoint.error().message;
      EXPECT_EQ(must_fit(halves.learned, settings, {}, {.resume = &*checkpoint, .stop_by = &halves.other}), whole) << i;
      for (const Task* other : {static_cast<const Task*>(nullptr), &halves.learned})
        EXPECT_EQ(fit("boost", halves.learned, settings, {}, {.resume = &*checkpoint, .stop_by = other}).error().cure,
                  "give the same --stop-on");
    }
  }
}

TEST(StopBy, OtherLearnersAndOtherTargetsAreRefused) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  EXPECT_FALSE(fit("cart", halves.learned, {}, {}, {.stop_by = &halves.other}));
  const Task classes = task_of("claims", "claim");
  EXPECT_FALSE(fit("boost", halves.learned, {}, {}, {.stop_by = &classes}));
}

}  // namespace
}  // namespace wald
