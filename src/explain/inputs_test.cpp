// What is said of a model that prepares its table is said of the table's columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/prepared_test.h"
#include "wald/explain.h"
#include "wald/predict.h"

namespace wald {
namespace {

// Of sample::prepared(): the places of the inputs (id, age, town, size, job, pay) that each made column comes from.
const std::vector<std::vector<std::size_t>> kMadeOf = {{1}, {5}, {1}, {2}, {2}, {3}, {4}, {1, 5}, {1, 5}};

TEST(Inputs, ValuesAreSumsOverTheColumnsMadeOfAnInput) {
  const Model model = sample::prepared();
  const Table table = sample::raw_table(40, 11), back = sample::raw_table(9, 12);
  const Table made = *prepare(model, table), made_back = *prepare(model, back);
  for (const bool background : {false, true}) {
    const auto got =
        explain(model, table, {.background = background ? &back : nullptr, .interactions = true, .block_rows = 7});
    const auto body = explain(without_preparation(model), made,
                              {.background = background ? &made_back : nullptr, .interactions = true});
    ASSERT_TRUE(got && body);
    ASSERT_EQ(got->columns, 6u);
    EXPECT_EQ(got->score, body->score);
    EXPECT_EQ(got->base, body->base);
    for (std::size_t row = 0; row < 40; ++row) {
      std::vector<double> want(6), pairs(36);
      for (std::size_t c = 0; c < kMadeOf.size(); ++c)
        for (const std::size_t i : kMadeOf[c]) {
          want[i] += body->values(row, 0)[c] / static_cast<double>(kMadeOf[c].size());
          for (std::size_t d = 0; d < kMadeOf.size(); ++d)
            for (const std::size_t j : kMadeOf[d])
              pairs[i * 6 + j] += body->pairs(row, 0)[c * kMadeOf.size() + d] /
                                  static_cast<double>(kMadeOf[c].size() * kMadeOf[d].size());
        }
      double sum = got->base[0];
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(got->values(row, 0)[i], want[i], 1e-12);
        double line = 0;
        for (std::size_t j = 0; j < 6; ++j) {
          EXPECT_NEAR(got->pairs(row, 0)[i * 6 + j], pairs[i * 6 + j], 1e-12);
          line += got->pairs(row, 0)[i * 6 + j];
        }
        EXPECT_NEAR(line, got->values(row, 0)[i], 1e-12);
        sum += got->values(row, 0)[i];
      }
      EXPECT_NEAR(sum, got->score[row], 1e-12);
    }
  }
}

TEST(Inputs, ImportanceCountsEverySplitOnce) {
  const Model model = sample::prepared();
  const Importance whole = importance(model), body = importance(without_preparation(model));
  for (const auto member : {&Importance::gain, &Importance::cover, &Importance::count}) {
    ASSERT_EQ((whole.*member).size(), 6u);
    double sum = 0, want = 0;
    for (const double x : whole.*member) sum += x;
    for (const double x : body.*member) want += x;
    EXPECT_DOUBLE_EQ(sum, want);
  }
  EXPECT_EQ(whole.count[0], 0);  // a column left out
}

TEST(Inputs, DependenceIsTheMeanOverRowsWithTheInputReplaced) {
  const Model model = sample::prepared();
  const Table table = sample::raw_table(60, 4);
  for (const std::string name : {"age", "town", "pay"}) {
    const auto got = dependence(model, table, name, {.points = 5});
    ASSERT_TRUE(got) << got.error().message;
    const Field& field = input_columns(model)[got->column];
    EXPECT_EQ(field.name, name);
    for (std::size_t g = 0; g < got->grid.size(); ++g) {
      Table changed = table;
      Column& column = *std::ranges::find(changed.columns, name, &Column::name);
      if (field.type == ColumnType::Number) column.data = Numbers(std::vector<double>(60, got->grid[g]));
      else {
        const std::int32_t code = std::isnan(got->grid[g]) ? -1 : static_cast<std::int32_t>(got->grid[g]);
        column.data = Categories{std::vector<std::int32_t>(60, code), field.level};
      }
      const auto p = predict(model, changed);
      double mean = 0;
      for (const double score : p->score) mean += score / 60;
      EXPECT_NEAR(got->mean[g], mean, 1e-12) << name;
    }
  }
}

TEST(Inputs, ShufflingAnInputMovesAllThatIsMadeOfIt) {
  const Model model = sample::prepared();
  const Table table = sample::raw_table(200, 8);
  Classes truth{{}, {"no", "yes"}};
  const auto p = predict(model, table);
  for (const std::int32_t label : p->label) truth.code.push_back(label);
  const auto got = permutation_importance(model, table, truth, 3);
  ASSERT_TRUE(got) << got.error().message;
  ASSERT_EQ(got->mean.size(), 6u);
  EXPECT_EQ(got->mean[0], 0);
  EXPECT_GT(*std::ranges::max_element(got->mean), 0);
}

}  // namespace
}  // namespace wald
