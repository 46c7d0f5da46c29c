#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "explain/plot.h"
#include "explain/shap_naive_test.h"
#include "explain/shap_sample_test.h"
#include "wald/explain.h"

namespace wald {
namespace {

TEST(SampledShapley, IsWithinItsErrorOfTheDefinitionAndSumsExactly) {
  const Model model = sample::forest({.columns = 5, .trees = 4, .missing_everywhere = 0, .surrogates = 0}, 3);
  const auto rows = naive::rows_of(model, sample::random_table(model, 1, 5));
  const auto others = naive::rows_of(model, sample::random_table(model, 8, 6));
  std::vector<double> background;
  for (const auto& other : others) background.insert(background.end(), other.begin(), other.end());
  const RowFunction f = [&, trees = naive::trees_of(model.forest())](const double* cells, std::size_t count,
                                                                     double* into) {
    for (std::size_t i = 0; i < count; ++i)
      into[i] = naive::score(trees, model.forest(), {cells + i * 5, cells + (i + 1) * 5}, nullptr, 31, 0);
  };
  const auto want = naive::shapley(naive::background_game(model.forest(), rows[0], others, 0), 5);
  double narrow = 0, wide = 0;
  for (const std::size_t draws : {200u, 20000u}) {
    const SampledShapley got = sample_shapley(f, rows[0], background, draws, 7);
    const double sum = std::accumulate(got.value.begin(), got.value.end(), got.base);
    EXPECT_NEAR(sum, got.score, 1e-12);
    EXPECT_NEAR(got.base, want.base, 1e-12);
    for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(got.value[c], want.value[c], 4.5 * got.error[c] + 1e-12);
    (draws == 200 ? wide : narrow) = *std::ranges::max_element(got.error);
  }
  EXPECT_NEAR(wide / narrow, 10, 2.5);
}

// y = 3 a + noise-free; b is asked but weakly; c is never asked.
struct Fixture {
  Model model;
  Table table{.rows = 400, .source = "rows.csv"};
  std::vector<double> y;

  Fixture() {
    model.schema = {{sample::number("a"), sample::number("b"), sample::number("c")}, sample::number("y")};
    Parts forest;
    forest.base = {0};
    forest.cuts = {{0.5}, {0.5}, {}};
    forest.first = {0, 7};
    const auto test = wald::Test::Threshold;
    forest.nodes = {{0, 1, 0, 0, test}, {1, 3, 0, 0, test}, {1, 5, 0, 1, test}, {}, {}, {}, {}};
    forest.values = {0, 0, 0, 0, 0.1, 3, 3.1};
    forest.cover = {8, 4, 4, 2, 2, 2, 2};
    forest.gain = {10, 1, 2, 0, 0, 0, 0};
    model.body = packed(forest);
    sample::Draws draw(4);
    for (const char* name : {"c", "b", "a"}) {
      std::vector<double> cells(table.rows);
      for (double& x : cells) x = draw.unit();
      table.columns.push_back({name, Numbers(cells)});
    }
    for (Row row = 0; row < table.rows; ++row) y.push_back(predict(model, table)->score[row]);
  }
};

TEST(Importance, CountsGainAndCoverAreSumsOverTheSplitsOfAColumn) {
  const Importance got = importance(Fixture().model);
  EXPECT_EQ(got.gain, (std::vector<double>{10, 3, 0}));
  EXPECT_EQ(got.cover, (std::vector<double>{8, 8, 0}));
  EXPECT_EQ(got.count, (std::vector<double>{1, 2, 0}));
}

TEST(Importance, ShufflingAColumnHurtsAsMuchAsItsSpreadSays) {
  const Fixture f;
  const auto got = permutation_importance(f.model, f.table, f.y, 20, {});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->measure, "rmse");
  EXPECT_NEAR(got->before, 0, 1e-12);
  // Half of the shuffled cells change sides, each an error of 3.
  EXPECT_NEAR(got->mean[0], 3 * std::sqrt(0.5), 0.05);
  EXPECT_NEAR(got->mean[1], 0.1 * std::sqrt(0.5), 0.005);
  EXPECT_EQ(got->mean[2], 0);
  EXPECT_LT(got->low[0], got->mean[0]);
  EXPECT_GT(got->high[0], got->mean[0]);
  EXPECT_EQ(permutation_importance(f.model, f.table, f.y, 20, {.threads = 1})->mean, got->mean);
  EXPECT_NE(permutation_importance(f.model, f.table, f.y, 20, {.seed = 2})->mean, got->mean);
  EXPECT_FALSE(permutation_importance(f.model, f.table, f.y, 1, {}));
}

TEST(Importance, AJudgeOfWhichMoreIsBetterTellsWhatIsLost) {
  const Fixture f;
  const auto error = permutation_importance(f.model, f.table, f.y, 3);
  const auto mean_square = [&](const Predictions& p) {
    double sum = 0;
    for (std::size_t row = 0; row < f.y.size(); ++row) sum += (p.value[row] - f.y[row]) * (p.value[row] - f.y[row]);
    return sum / static_cast<double>(f.y.size());
  };
  const Judge judge{"closeness", [&](const Predictions& p) { return 1 - std::sqrt(mean_square(p)); }, true};
  const auto got = permutation_importance(f.model, f.table, judge, 3);
  ASSERT_TRUE(got && error);
  EXPECT_EQ(got->measure, "closeness");
  EXPECT_NEAR(got->before, 1, 1e-12);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(got->mean[c], error->mean[c], 1e-12);
}

TEST(Importance, ClassesAreJudgedByLogLoss) {
  Model model = sample::classes();
  const Table table = sample::random_table(model, 100, 1);
  Forest forest = model.forest();
  forest.base = {0, 0, 0};
  std::vector<double> values(forest.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 0 ? 0.25 : i % 3 == 1 ? 0.15 : 0.1;
  forest.values = values;
  model.body = forest;
  const auto got = permutation_importance(model, table, Classes{std::vector<std::int32_t>(100, 0), {}}, 3, {});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->measure, "log_loss");
  EXPECT_NEAR(got->before, std::log(2), 1e-12);
  for (const double m : got->mean) EXPECT_NEAR(m, 0, 1e-12);
}

TEST(Importance, MeanAbsoluteShapleyValuesAreMeansOfTheValues) {
  const Fixture f;
  const auto e = explain(f.model, f.table);
  const auto got = mean_absolute_shapley(f.model, f.table, {.block_rows = 64});
  std::vector<double> want(3);
  for (std::size_t row = 0; row < e->rows; ++row)
    for (std::size_t c = 0; c < 3; ++c) want[c] += std::abs(e->values(row, 0)[c]) / 400;
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR((*got)[c], want[c], 1e-12);
}

TEST(Dependence, IsTheMeanOverRowsWithTheColumnReplaced) {
  const Fixture f;
  const auto got = dependence(f.model, f.table, "a", {.points = 7, .most_rows = 50, .lines = 4});
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->grid.size(), 7u);
  EXPECT_EQ(got->line_rows.size(), 4u);
  for (std::size_t g = 0; g < 7; ++g) {
    double want = 0;
    for (Row i = 0; i < 50; ++i)
      want += (got->grid[g] > 0.5 ? 3 : 0) + (f.table.find("b")->numbers()[i * 8] > 0.5 ? 0.1 : 0);
    EXPECT_NEAR(got->mean[g], want / 50, 1e-12);
    const bool high = f.table.find("b")->numbers()[got->line_rows[2]] > 0.5;
    EXPECT_NEAR(got->lines[2 * 7 + g], (got->grid[g] > 0.5 ? 3 : 0) + (high ? 0.1 : 0), 1e-12);
  }
}

TEST(Dependence, OfACategoryHasAPointALevelAndOneForMissingCells) {
  const Model model = sample::forest({.columns = 6}, 2);
  Table table = sample::random_table(model, 30, 2);
  const auto got = dependence(model, table, "c2", {});
  ASSERT_TRUE(got);
  ASSERT_EQ(got->grid.size(), 6u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(got->grid[k], static_cast<double>(k));
  ASSERT_TRUE(std::isnan(got->grid[5]));
  Column& column = *std::ranges::find(table.columns, "c2", &Column::name);
  column.data = Categories{std::vector<std::int32_t>(30, -1), model.schema.columns[2].level};
  const auto p = predict(model, table);
  double mean = 0;
  for (std::size_t row = 0; row < 30; ++row) mean += p->score[row * static_cast<std::size_t>(p->outputs)] / 30;
  EXPECT_NEAR(got->mean[5], mean, 1e-12);
}

TEST(Dependence, OfManyLevelsHasTheMostFrequent) {
  EXPECT_EQ(frequent_levels(std::vector<double>{3, 1, kMissing, 1, 0, 3}, 5, 2), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(frequent_levels(std::vector<double>{2}, 3, 2), (std::vector<std::size_t>{0, 2}));
}

TEST(PermutationImportance, HugeErrorsDoNotOverflow) {
  Fixture f;
  std::vector<double> target(f.table.rows, 1e300);
  for (std::size_t row = 0; row < target.size(); row += 2) target[row] = -1e300;
  const auto got = permutation_importance(f.model, f.table, target, 3);
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->before / 1e300, 1, 1e-9);
  for (const double x : got->low) EXPECT_TRUE(std::isfinite(x));
}

TEST(Dependence, OfAnUnknownColumnNamesTheNearest) {
  const Model model = sample::forest({.columns = 6}, 2);
  const auto got = dependence(model, sample::random_table(model, 3, 2), "n00", {});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().cure.find("n0"), std::string::npos);
}

}  // namespace
}  // namespace wald
