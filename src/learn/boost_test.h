// What the tests of boosting share.
#pragma once
#include <gtest/gtest.h>

#include "learn/fitting_test.h"
#include "wald/wald.h"

namespace wald::testing {

inline Task numbers_task(std::vector<double> x, std::vector<double> y) {
  Table table;
  table.rows = static_cast<Row>(x.size());
  table.columns.push_back({"x", Numbers(std::move(x))});
  table.columns.push_back({"y", Numbers(std::move(y))});
  auto task = make_task(std::move(table), {.target = "y", .kind = TaskKind::Numbers});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

inline Model must_fit(const Task& task, const Settings& settings, const Run& run = {}, const Rounds& rounds = {}) {
  return must_fit("boost", task, settings, run, rounds);
}

inline Predictions all_predicted(const Model& model, const Table& table) {
  auto predictions = predict(model, table);
  EXPECT_TRUE(predictions) << predictions.error().message;
  return std::move(*predictions);
}
inline std::vector<double> predicted(const Model& model, const Table& table) {
  return all_predicted(model, table).value;
}

inline Settings with(Settings settings, const Settings& more) {
  for (const auto& [name, value] : more) settings[name] = value;
  return settings;
}

// Whole Newton steps on all rows and columns.
inline const Settings kPlain{
    {"early-stop", "none"}, {"l2", "0"}, {"min-hessian", "0"}, {"rows", "1"}, {"columns-per-node", "all"}};

}  // namespace wald::testing
