#include "explain/xgboost_test.h"

#include <gtest/gtest.h>

#include <fstream>

#include "wald/explain.h"

namespace wald {
namespace {

// tests/data/xgboost_shap.json holds XGBoost 1.7.4's own values, made by tools/make_xgboost_shap.py. XGBoost computes
// in 32-bit floats.
struct Theirs {
  nlohmann::json file = nlohmann::json::parse(std::ifstream(WALD_TESTS "/data/xgboost_shap.json"));
  Model model = xgboost::model_of(file);
  std::size_t columns = model.schema.columns.size();
  Table table{.rows = static_cast<Row>(file["rows"].size())};

  Theirs() {
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> cells;
      for (const auto& row : file["rows"]) cells.push_back(row[c].is_null() ? kMissing : row[c].get<double>());
      table.columns.push_back({model.schema.columns[c].name, Numbers(cells)});
    }
  }
};

TEST(XGBoost, PathDependentValuesOfTheSameTreesAreTheSame) {
  const Theirs theirs;
  const auto e = explain(theirs.model, theirs.table);
  ASSERT_TRUE(e);
  for (std::size_t row = 0; row < e->rows; ++row) {
    const std::size_t line = row * (e->columns + 1);
    EXPECT_NEAR(e->base[0], theirs.file["values"][line + e->columns].get<double>(), 1e-5);
    for (std::size_t c = 0; c < e->columns; ++c)
      EXPECT_NEAR(e->values(row, 0)[c], theirs.file["values"][line + c].get<double>(), 1e-5);
  }
}

TEST(XGBoost, InteractionsOfTheSameTreesAreTheSame) {
  const Theirs theirs;
  const auto e = explain(theirs.model, theirs.table, {.interactions = true});
  ASSERT_TRUE(e);
  ASSERT_EQ(e->interaction.size(), theirs.file["pairs"].size());
  for (std::size_t i = 0; i < e->interaction.size(); ++i)
    EXPECT_NEAR(e->interaction[i], theirs.file["pairs"][i].get<double>(), 1e-5);
}

}  // namespace
}  // namespace wald
