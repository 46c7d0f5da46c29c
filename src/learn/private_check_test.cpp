// What is refused is refused before it is paid for: whatever passes here must train to its end.
#include "learn/private_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "wald/privacy.h"

namespace wald {
namespace {

// Columns of numbers and a target of so many classes; 0 = of numbers.
PrivateTask wide_task(std::size_t columns, int classes) {
  constexpr Row kRows = 12;
  PrivateTask out;
  out.rows.x.rows = kRows, out.rows.target = "y";
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> x(kRows);
    for (Row row = 0; row < kRows; ++row) x[row] = static_cast<double>(row * (c + 3) % 7);
    out.declared.columns.push_back(
        {.name = "x" + std::to_string(c), .type = ColumnType::Number, .lowest = 0, .highest = 7});
    out.rows.x.columns.push_back({out.declared.columns.back().name, Numbers(std::move(x))});
  }
  if (classes == 0) {
    out.declared.columns.push_back({.name = "y", .type = ColumnType::Number, .lowest = 0, .highest = 12});
    out.rows.y = std::vector<double>(kRows, 3.0);
    return out;
  }
  Classes y;
  for (int k = 0; k < classes; ++k) y.name.push_back("class " + std::to_string(1000 + k));
  for (Row row = 0; row < kRows; ++row) y.code.push_back(static_cast<std::int32_t>(row) % classes);
  out.declared.columns.push_back({.name = "y", .type = ColumnType::Category, .level = y.name});
  out.rows.y = std::move(y);
  return out;
}

// The least delta that passes leaves the least room for noise that is not quite Gaussian.
double least_delta(const PrivateTask& task, PrivateBoost how) {
  double low = 1e-12, high = 0.1;
  for (how.delta = low; high > 1.01 * low; how.delta = std::sqrt(low * high))
    (check_private(task, how) ? high : low) = how.delta;
  return high;
}

TEST(PrivateCheck, WhatPassesTrainsToItsEndHoweverLittleRoomThereIs) {
  struct Case {
    std::size_t columns;
    int classes;
    PrivateBoost how;
  };
  const std::vector<Case> cases{
      {600, 2, {.epsilon = 8, .trees = 3}},
      {600, 0, {.epsilon = 12, .public_rows = 4e9}},
      {2, 0, {.epsilon = 16, .trees = 50, .columns = 2}},
      {2, 2, {.epsilon = 1, .column_share = 0.5, .max_rows = 1000}},
      {5, 9, {.epsilon = 6, .trees = 2, .parts = 128}},
      {7, 3, {.epsilon = 0.001, .trees = 2, .max_rows = 20}},
      {5, 0, {.epsilon = 4, .buy = "bounds=0.5"}},
  };
  for (const Case& c : cases) {
    PrivateTask task = wide_task(c.columns, c.classes);
    if (c.how.buy != "none") task.declared.columns[0].lowest.reset(), task.declared.columns[0].highest.reset();
    PrivateBoost how = c.how;
    how.delta = least_delta(task, how);
    ASSERT_TRUE(check_private(task, how));
    Entropy entropy;
    EXPECT_TRUE(fit_private_boost(task, how, wald::Run{}, entropy)) << c.columns << " columns, delta " << how.delta;
  }
}

TEST(PrivateCheck, NoiseThatWouldNeedMoreThan64BitsIsRefused) {
  const PrivateTask task = wide_task(50, 2);
  EXPECT_TRUE(check_private(task, {.epsilon = 0.001}));
  EXPECT_FALSE(check_private(task, {.epsilon = 0.001, .column_share = 1e-9, .max_rows = 10000}));
}

TEST(PrivateCheck, PureEpsilonThatCannotBeDividedIsRefused) {
  const PrivateTask task = wide_task(2, 2);
  PrivateBoost how{.algorithm = PrivateAlgorithm::DpBoost, .epsilon = 0.001};
  EXPECT_TRUE(check_private(task, how));
  how.max_rows = 10000;
  const Status refused = check_private(task, how);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
  Entropy entropy;
  for (how.max_rows = 1, how.ensemble = 1, how.trees = 5000; !check_private(task, how);) how.trees /= 2;
  EXPECT_TRUE(fit_private_boost(task, how, wald::Run{}, entropy));
}

}  // namespace
}  // namespace wald
