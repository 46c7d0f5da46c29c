#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/measures.h"
#include "wald/measure.h"

namespace wald {
namespace {

using nlohmann::json;

Schema schema_of(int classes) {
  Schema schema;
  schema.target = {.name = "y", .type = classes > 0 ? ColumnType::Category : ColumnType::Number};
  for (int k = 0; k < classes; ++k) schema.target.level.push_back(std::string(1, static_cast<char>('a' + k)));
  return schema;
}

Predictions class_predictions(const std::vector<std::vector<double>>& proba) {
  Predictions p{.rows = proba.size(), .outputs = static_cast<int>(proba[0].size())};
  for (const auto& row : proba) {
    p.value.insert(p.value.end(), row.begin(), row.end());
    p.label.push_back(static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return p;
}

Predictions number_predictions(std::vector<double> value) {
  return {.rows = value.size(), .outputs = 1, .score = value, .value = value};
}

Target classes_target(std::vector<std::int32_t> code, const Schema& schema) {
  return Classes{.code = std::move(code), .name = schema.target.level};
}

void expect_values(const json& expected, const Measures& measures) {
  for (const auto& [name, value] : expected.items()) {
    const Measure* found = measures.find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_NEAR(found->value, value.get<double>(), 1e-12 * std::max(1.0, std::fabs(value.get<double>()))) << name;
  }
}

TEST(Measure, EveryValueEqualsScikitLearns) {
  std::ifstream file(WALD_TESTS "/expected/measures.json");
  const json content = json::parse(file);
  for (const json& c : content["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const std::vector<double> weight = c["weight"];
    if (c.contains("proba")) {
      const std::vector<std::vector<double>> proba = c["proba"];
      const Schema schema = schema_of(static_cast<int>(proba[0].size()));
      const Measures measures =
          measure_weighted(schema, class_predictions(proba), classes_target(c["truth"], schema), weight);
      expect_values(c["values"], measures);
      const std::vector<std::vector<double>> confusion = c["confusion"];
      for (std::size_t k = 0; k < confusion.size(); ++k)
        for (std::size_t j = 0; j < confusion.size(); ++j)
          EXPECT_NEAR(measures.confusion[k][j], confusion[k][j], 1e-12);
    } else {
      const std::vector<double> truth = c["truth"];
      Measuring how{.quantile = c.value("quantile", 0.5), .query = {}, .rank_at = 3};
      if (c.contains("query")) how.query = c["query"].get<std::vector<std::uint32_t>>();
      const Predictions p = number_predictions(c["value"]);
      expect_values(c["values"], measure_weighted(schema_of(0), p, truth, weight, {}, {}, how));
    }
  }
}

TEST(Measure, AWholeWeightIsThatManyCopiesOfTheRow) {
  const Schema schema = schema_of(2);
  const std::vector<std::vector<double>> p = {{0.3, 0.7}, {0.6, 0.4}, {0.5, 0.5}, {0.9, 0.1}};
  const std::vector<std::int64_t> weight = {1ll << 30, 3ll << 30, 2ll << 30, 0};
  const Measures weighted = measure(schema, class_predictions(p), classes_target({1, 1, 0, 0}, schema), weight);
  const Measures copied = measure(schema, class_predictions({p[0], p[1], p[1], p[1], p[2], p[2]}),
                                  classes_target({1, 1, 1, 1, 0, 0}, schema));
  EXPECT_EQ(weighted.confusion, copied.confusion);
  for (const Measure& m : copied.list) EXPECT_NEAR(weighted.find(m.name)->value, m.value, 1e-15) << m.name;
}

TEST(Measure, TheRocAreaOfOneClassIsUndefined) {
  const Schema schema = schema_of(2);
  const Measures m = measure(schema, class_predictions({{0.3, 0.7}, {0.6, 0.4}}), classes_target({1, 1}, schema));
  EXPECT_TRUE(std::isnan(m.find("auc")->value));
  EXPECT_EQ(m.find("accuracy")->value, 0.5);
}

TEST(Measure, ChoosingTheOtherPositiveClassSwapsPrecisionButKeepsTheArea) {
  const Schema schema = schema_of(2);
  const Predictions p = class_predictions({{0.3, 0.7}, {0.6, 0.4}, {0.2, 0.8}, {0.8, 0.2}, {0.55, 0.45}});
  const Target y = classes_target({0, 0, 1, 0, 1}, schema);
  const Measures second = measure_weighted(schema, p, y, {}), first = measure_weighted(schema, p, y, {}, 0);
  EXPECT_DOUBLE_EQ(first.find("precision")->value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(second.find("precision")->value, 0.5);
  EXPECT_DOUBLE_EQ(first.find("auc")->value, second.find("auc")->value);
  EXPECT_DOUBLE_EQ(first.find("brier")->value, second.find("brier")->value);
}

TEST(Measure, RSquaredOfAConstantTargetAndMapeAtZeroAreUndefined) {
  const Measures m = measure(schema_of(0), number_predictions({1, 2}), std::vector<double>{0, 0});
  EXPECT_TRUE(std::isnan(m.find("r2")->value));
  EXPECT_TRUE(std::isnan(m.find("mape")->value));
  EXPECT_EQ(m.find("mae")->value, 1.5);
}

Model model_for(Field target) {
  Model model;
  model.schema.target = std::move(target);
  return model;
}
Table table_of(Column column, Row rows) { return {.columns = {std::move(column)}, .rows = rows, .source = "t.csv"}; }

TEST(TargetOf, ClassesAreCodedAsTheModelCodesThem) {
  const Model model = model_for({"y", ColumnType::Category, {"no", "yes"}});
  const Table table = table_of({"y", Categories{{1, 0, 1}, {"no", "yes"}}}, 3);
  EXPECT_EQ(std::get<Classes>(*target_of(model, table)).code, (std::vector<std::int32_t>{1, 0, 1}));
  const Table one_class = table_of({"y", Categories{{0, 0}, {"yes"}}}, 2);
  EXPECT_EQ(std::get<Classes>(*target_of(model, one_class)).code, (std::vector<std::int32_t>{1, 1}));
}

TEST(TargetOf, NumbersNameClassesByValue) {
  const Model model = model_for({"y", ColumnType::Category, {"0", "1"}});
  EXPECT_EQ(std::get<Classes>(*target_of(model, table_of({"y", Numbers({1, 0})}, 2))).code,
            (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(std::get<Classes>(*target_of(model, table_of({"y", Categories{{0, 1}, {"0.0", "1.0"}}}, 2))).code,
            (std::vector<std::int32_t>{0, 1}));
}

TEST(TargetOf, WhatCannotBeMeasuredIsNamedWithItsRow) {
  const Model model = model_for({"y", ColumnType::Category, {"no", "yes"}});
  const auto message = [&](const Table& t) { return target_of(model, t).error().message; };
  EXPECT_EQ(message(table_of({"y", Categories{{1, 0}, {"maybe", "yes"}}}, 2)),
            "t.csv: row 2: 'maybe' is not a class of the model's target 'y' (it knows no, yes)");
  EXPECT_EQ(message(table_of({"y", Categories{{0, -1, -1}, {"yes"}}}, 3)), "t.csv: target 'y' is missing in rows 2, 3");
  EXPECT_EQ(message(table_of({"x", Numbers({1})}, 1)), "t.csv has no column 'y', the model's target");
  const Model numbers = model_for({"y", ColumnType::Number, {}});
  EXPECT_EQ(target_of(numbers, table_of({"y", Categories{{0}, {"a"}}}, 1)).error().message,
            "t.csv: the target 'y' holds words, but the model predicts numbers");
  EXPECT_EQ(target_of(numbers, table_of({"y", Numbers({1, INFINITY})}, 2)).error().message,
            "t.csv: row 2: the target 'y' is infinite");
  EXPECT_EQ(target_of(numbers, table_of({"y", Numbers({1, NAN})}, 2)).error().kind, ErrorKind::BadData);
}

}  // namespace
}  // namespace wald
