#include "measure/holdout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace wald {
namespace {

Task classes_task(std::vector<std::int32_t> code) {
  Task task;
  task.x.rows = static_cast<Row>(code.size());
  task.x.source = "t.csv";
  task.y = Classes{.code = std::move(code), .name = {"a", "b", "c"}};
  return task;
}
Task numbers_task(Row rows) {
  Task task;
  task.x.rows = rows;
  task.x.source = "t.csv";
  task.y = std::vector<double>(rows);
  return task;
}

TEST(HoldOut, EveryRowIsInExactlyOnePart) {
  const Holdout parts = *hold_out(numbers_task(101), 0.3, 1);
  std::vector<Row> all = parts.train;
  all.insert(all.end(), parts.held.begin(), parts.held.end());
  std::ranges::sort(all);
  for (Row row = 0; row < 101; ++row) EXPECT_EQ(all[row], row);
  EXPECT_EQ(parts.held.size(), 30u);
  EXPECT_TRUE(std::ranges::is_sorted(parts.held));
}

TEST(HoldOut, EachClassGivesItsShareToWithinOneRow) {
  std::vector<std::int32_t> code;
  for (int i = 0; i < 200; ++i) code.push_back(i < 150 ? 0 : i < 190 ? 1 : 2);
  const Task task = classes_task(code);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Holdout parts = *hold_out(task, 0.25, seed);
    std::map<std::int32_t, int> held;
    for (Row row : parts.held) ++held[code[row]];
    EXPECT_NEAR(held[0], 37.5, 1);
    EXPECT_NEAR(held[1], 10, 1);
    EXPECT_NEAR(held[2], 2.5, 1);
    EXPECT_EQ(parts.held.size(), 50u);
  }
}

TEST(HoldOut, TheSeedDecidesAndNothingElse) {
  const Task task = numbers_task(50);
  EXPECT_EQ(hold_out(task, 0.5, 1)->held, hold_out(task, 0.5, 1)->held);
  EXPECT_NE(hold_out(task, 0.5, 1)->held, hold_out(task, 0.5, 2)->held);
}

TEST(HoldOut, EveryRowIsEquallyLikely) {
  const Task task = classes_task({0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  std::vector<int> times(10);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Result<Holdout> parts = hold_out(task, 0.5, seed);
    for (Row row : parts->held) ++times[row];
  }
  for (int t : times) EXPECT_NEAR(t, 2000, 200);  // more than six standard deviations
}

TEST(HoldOut, AClassKeepsItsOnlyRowForTraining) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Holdout parts = *hold_out(classes_task({0, 0, 0, 0, 1, 2, 2, 2}), 0.5, seed);
    EXPECT_TRUE(std::ranges::find(parts.train, Row{4}) != parts.train.end());
  }
}

TEST(HoldOut, AnEmptyPartIsRefused) {
  EXPECT_EQ(hold_out(numbers_task(1), 0.5, 1).error().message,
            "t.csv has one row: holding out 0.5 of them leaves one part empty");
  EXPECT_EQ(hold_out(numbers_task(3), 0.1, 1).error().kind, ErrorKind::BadData);
}

}  // namespace
}  // namespace wald
