// Models in the leaves of cart, on planted targets.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "learn/fitting_test.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

Task columns_task(std::vector<std::pair<std::string, std::vector<double>>> columns, TaskKind kind) {
  Table table;
  table.rows = static_cast<Row>(columns[0].second.size());
  for (auto& [name, values] : columns) table.columns.push_back({name, Numbers(values)});
  auto task = make_task(table, {.target = "y", .kind = kind});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

// y = 1 + 2 x + 3 z for x <= 0.5, else 10 - 4 x + z.
Task planted(Row rows, std::uint64_t seed, double noise = 0) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> x, z, y;
  for (std::uint64_t i = 0; i < rows; ++i) {
    x.push_back(random.unit(4 * i)), z.push_back(random.unit(4 * i + 1));
    const double e = noise * (random.unit(4 * i + 2) + random.unit(4 * i + 3) - 1);
    y.push_back((x[i] <= 0.5 ? 1 + 2 * x[i] + 3 * z[i] : 10 - 4 * x[i] + z[i]) + e);
  }
  return columns_task({{"x", x}, {"z", z}, {"y", y}}, TaskKind::Numbers);
}

const Settings kLinear{{"leaf", "linear"}, {"ridge", "0"},          {"min-leaf", "20"},
                       {"prune", "cost"},  {"prune-rule", "least"}, {"bins", "exact"}};

TEST(LeafModels, APlantedPiecewiseLinearTargetIsRecoveredCoefficientByCoefficient) {
  const Model model = fit_cart(planted(800, 1), kLinear);
  const Forest& forest = model.forest();
  std::size_t leaves = 0;
  for (const Node& node : forest.tree(0).nodes) {
    if (!node.is_leaf()) continue;
    ++leaves;
    const auto terms = forest.terms_of(node);
    ASSERT_EQ(terms.size(), 2u);
    const bool left = terms[0].high <= 0.5;
    EXPECT_NEAR(terms[0].slope, left ? 2 : -4, 1e-6);
    EXPECT_NEAR(terms[1].slope, left ? 3 : 1, 1e-6);
    const double intercept =
        forest.values_of(node)[0] - terms[0].slope * terms[0].centre - terms[1].slope * terms[1].centre;
    EXPECT_NEAR(intercept, left ? 1 : 10, 1e-6);
  }
  EXPECT_EQ(leaves, 2u);
}

double rmse(const Model& model, const Task& task) {
  const auto p = predict(model, task.x);
  double sum = 0;
  for (Row r = 0; r < task.x.rows; ++r) sum += (p->value[r] - task.numbers()[r]) * (p->value[r] - task.numbers()[r]);
  return std::sqrt(sum / task.x.rows);
}

TEST(LeafModels, WithNoiseTheyBeatBothThePlainTreeAndThePlainLine) {
  const Task train = planted(1000, 2, 0.3), test = planted(2000, 3, 0.3);
  Settings model = kLinear;
  model["ridge"] = "1";
  Settings line = model;
  line["max-leaves"] = "1";
  const double ours = rmse(fit_cart(train, model), test);
  EXPECT_LT(ours, 0.5 * rmse(fit_cart(train, line), test));
  EXPECT_LT(ours, 0.8 * rmse(fit_cart(train, {{"prune", "cost"}, {"prune-rule", "least"}}), test));
  EXPECT_LT(ours, 0.16);  // the noise itself has 0.122
}

// Exceptionally many buyers with 100 < salary < 200 and age >= 35; elsewhere the log-odds are linear. H = (1 - z) f + z
// g.
Task buyers(Row rows, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> salary, age, y;
  for (std::uint64_t i = 0; i < rows; ++i) {
    salary.push_back(20 + 280 * random.unit(3 * i)), age.push_back(18 + std::floor(62 * random.unit(3 * i + 1)));
    const bool box = salary[i] > 100 && salary[i] < 200 && age[i] >= 35;
    const double odds = box ? 3.0 : -5 + 0.02 * salary[i] + 0.02 * age[i];
    y.push_back(random.unit(3 * i + 2) < 1 / (1 + std::exp(-odds)) ? 1 : 0);
  }
  return columns_task({{"salary", salary}, {"age", age}, {"y", y}}, TaskKind::Classes);
}

double log_loss(const Model& model, const Task& task) {
  const auto p = predict(model, task.x);
  double sum = 0;
  for (Row r = 0; r < task.x.rows; ++r)
    sum -= std::log(std::max(1e-9, p->value[2 * r + static_cast<std::size_t>(task.classes().code[r])]));
  return sum / task.x.rows;
}

TEST(LeafModels, AGatedLogitIsRecoveredWhereNeitherATreeNorARegressionDoesWell) {
  const Task train = buyers(6000, 5), test = buyers(20'000, 6);
  const Settings gated{{"leaf", "logistic"}, {"prune", "cost"}, {"min-leaf", "100"}};
  Settings line = gated;
  line["max-leaves"] = "1";
  const Model model = fit_cart(train, gated);
  const double ours = log_loss(model, test);
  EXPECT_LT(ours, log_loss(fit_cart(train, line), test) - 0.05);
  EXPECT_LT(ours, log_loss(fit_cart(train, {{"prune", "cost"}, {"smoothing", "1"}}), test) - 0.005);
  double found[3] = {1e9, 1e9, 1e9};
  for (const double cut : model.forest().cuts[0]) {
    found[0] = std::min(found[0], std::fabs(cut - 100)), found[1] = std::min(found[1], std::fabs(cut - 200));
  }
  for (const double cut : model.forest().cuts[1]) found[2] = std::min(found[2], std::fabs(cut - 35));
  EXPECT_LT(found[0], 2);
  EXPECT_LT(found[1], 2);
  EXPECT_LE(found[2], 1);
  double slope = 0, weight = 0;  // of salary, over the leaves outside the box
  for (const Node& node : model.forest().tree(0).nodes) {
    if (!node.is_leaf()) continue;
    for (const Term& term : model.forest().terms_of(node))
      if (term.column == 0 && (term.high <= 102 || term.low >= 198))
        slope += node.cover() * term.slope, weight += node.cover();
  }
  EXPECT_GT(weight, 1500);
  EXPECT_NEAR(slope / weight, 0.02, 0.01);
}

TEST(LeafModels, NeverLeaveTheRangeOfTheirRowsUnlessAsked) {
  const Task train = planted(400, 7);
  Table far = train.x;
  far.columns[0].data = Numbers(std::vector<double>(400, 1e6));
  const Model clamped = fit_cart(train, kLinear);
  const auto p = predict(clamped, far);
  for (const double v : p->value) EXPECT_NEAR(v, 6.5, 1);  // 10 - 4 x + z at x = 1
  Settings free = kLinear;
  free["extrapolate"] = "yes";
  const auto q = predict(fit_cart(train, free), far);
  for (const double v : q->value) EXPECT_NEAR(v, -4e6, 100);
}

TEST(LeafModels, AMissingValueAddsNothing) {
  const Task train = planted(400, 8);
  Table gaps = train.x;
  gaps.columns[1].data = Numbers(std::vector<double>(400, kMissing));
  const Model model = fit_cart(train, kLinear);
  const auto p = predict(model, gaps);
  for (Row r = 0; r < 400; ++r) {
    const double x = train.x.columns[0].numbers()[r];
    EXPECT_NEAR(p->value[r], x <= 0.5 ? 1 + 2 * x + 3 * 0.5 : 10 - 4 * x + 0.5, 0.3);
  }
}

TEST(LeafModels, ThreadsLeaveEveryBitAlone) {
  const Task task = planted(3000, 9, 0.5);
  EXPECT_TRUE(to_bytes(fit_cart(task, kLinear, {.threads = 1})) == to_bytes(fit_cart(task, kLinear, {.threads = 3})));
}

TEST(LeafModels, CollinearAndConstantColumnsAreNoObstacle) {
  std::vector<double> x, same, half, y;
  for (int i = 0; i < 50; ++i) x.push_back(i), same.push_back(i), half.push_back(7), y.push_back(3 * i + 1);
  const Task task = columns_task({{"x", x}, {"same", same}, {"half", half}, {"y", y}}, TaskKind::Numbers);
  for (const char* ridge : {"0", "0.001"}) {
    const Model model = fit_cart(task, {{"leaf", "linear"}, {"ridge", ridge}, {"max-leaves", "1"}});
    const auto p = predict(model, task.x);
    for (const double v : p->value) EXPECT_TRUE(std::isfinite(v));
  }
  EXPECT_LT(rmse(fit_cart(task, {{"leaf", "linear"}, {"ridge", "0.001"}, {"max-leaves", "1"}}), task), 0.01);
}

TEST(LeafModels, WhatDoesNotFitIsRefused) {
  const Task numbers = planted(50, 1), classes = buyers(200, 2);
  EXPECT_FALSE(fit("cart", numbers, {{"leaf", "logistic"}}));
  EXPECT_FALSE(fit("cart", classes, {{"leaf", "linear"}}));
  EXPECT_FALSE(fit("cart", classes, {{"leaf", "median"}}));
  EXPECT_FALSE(fit("cart", classes, {{"leaf", "logistic"}, {"prune", "pessimistic"}}));
  EXPECT_FALSE(fit("cart", classes, {{"criterion", "absolute"}}));
  EXPECT_FALSE(fit("cart", classes, {{"max-p", "0.1"}}));
}

TEST(LeafModels, TheAbsoluteCriterionSaysMedians) {
  std::vector<double> x, y;
  for (int i = 0; i < 30; ++i) x.push_back(i % 3), y.push_back(i % 3 * 10 + (i >= 27 ? 1000 : i / 3 % 3));
  const Task task = columns_task({{"x", x}, {"y", y}}, TaskKind::Numbers);
  const auto p = predict(fit_cart(task, {{"criterion", "absolute"}}), task.x);
  for (Row r = 0; r < 30; ++r) EXPECT_LE(std::fabs(p->value[r] - (r % 3 * 10 + 1)), 1);
  const auto q = predict(fit_cart(task, {{"leaf", "quantile"}, {"quantile", "1"}}), task.x);
  for (const double v : q->value) EXPECT_GE(v, 1000);
}

}  // namespace
}  // namespace wald
