#include "explain/intervene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/shap.h"
#include "explain/shap_naive_test.h"
#include "explain/shap_sample_test.h"
#include "wald/explain.h"

namespace wald {
namespace {

void expect_definition(const Model& model, std::uint64_t seed, Row rows, Row others, std::size_t every) {
  const Table table = sample::random_table(model, rows, seed),
              background = sample::random_table(model, others, seed + 99);
  const auto x = naive::rows_of(model, table), b = naive::rows_of(model, background);
  const auto e = explain(model, table, {.background = &background, .interactions = true});
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(explain(model, table, {.background = &background})->value, e->value);
  const auto mean = predict(model, background);
  for (std::size_t o = 0; o < e->outputs.size(); ++o) {
    double base = 0;
    for (std::size_t row = 0; row < others; ++row) base += mean->score[row * e->outputs.size() + o] / others;
    ASSERT_NEAR(e->base[o], base, naive::close_to(base));
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = e->base[o];
      for (const double v : e->values(row, o)) sum += v;
      ASSERT_NEAR(sum, e->score[row * e->outputs.size() + o], naive::close_to(sum))
          << "seed " << seed << " row " << row;
      if (row % every != 0) continue;
      const auto want =
          naive::shapley(naive::background_game(model.forest(), x[row], b, o), static_cast<int>(e->columns));
      for (std::size_t c = 0; c < e->columns; ++c)
        ASSERT_NEAR(e->values(row, o)[c], want.value[c], naive::close_to(want.value[c]))
            << "seed " << seed << " row " << row;
      for (std::size_t k = 0; k < want.pair.size(); ++k)
        ASSERT_NEAR(e->pairs(row, o)[k], want.pair[k], naive::close_to(want.pair[k]))
            << "seed " << seed << " row " << row;
    }
  }
}

TEST(Background, ValuesAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const int small = static_cast<int>(seed);
    expect_definition(sample::forest({.columns = 2 + small % 7,
                                      .max_depth = 1 + small % 8,
                                      .outputs = 1 + small % 2,
                                      .missing_everywhere = small % 3 == 0 ? 0.3 : 0},
                                     seed),
                      seed, 40, 1 + static_cast<Row>(seed % 9), 7);
  }
}

TEST(Background, WithoutCoversTheValuesAreThoseOfTheDefinition) {
  expect_definition(sample::forest({.columns = 7, .max_depth = 6, .cover = false}, 4), 4, 30, 9, 5);
}

TEST(Background, TreesWithMoreColumnsThanATableOfPairsTakesAreThoseOfTheDefinition) {
  const Model model = sample::forest({.columns = 11, .trees = 2, .max_depth = 14}, 3);
  expect_definition(model, 3, 20, 4, 9);
}

TEST(Background, TreesWithMoreColumnsThanATableTakesAreThoseOfTheDefinition) {
  // A chain of 14 columns, each test with a leaf on its left.
  Model model{.schema = {{}, sample::number("y")}};
  Parts forest;
  forest.base = {0.5};
  std::vector<TreeNode> nodes(1);
  std::vector<double> values{0};
  for (std::uint32_t c = 0; c < 14; ++c) {
    model.schema.columns.push_back(sample::number("x" + std::to_string(c)));
    forest.cuts.push_back({0.0});
    nodes.back() = {c, 2 * c + 1, 0, 0, wald::Test::Threshold};
    nodes.resize(nodes.size() + 2);
    values.insert(values.end(), {std::sin(c), 3.0});
  }
  forest.first = {0, nodes.size()};
  forest.nodes = nodes, forest.values = values;
  model.body = packed(forest);
  ASSERT_GT(model.schema.columns.size(), kTableColumns);
  expect_definition(model, 8, 20, 3, 9);
}

TEST(Background, TheBitsDoNotDependOnThreadsOrBlocks) {
  const Model model = sample::forest({.columns = 8, .trees = 5, .max_depth = 7}, 9);
  const Table table = sample::random_table(model, 700, 9), background = sample::random_table(model, 50, 10);
  const ExplainOptions options{.background = &background, .interactions = true};
  const auto want = explain(model, table, options, {.threads = 1});
  const auto other = explain(model, table, options, {.threads = 3});
  EXPECT_EQ(other->value, want->value);
  EXPECT_EQ(other->interaction, want->interaction);
  std::vector<double> values, pairs;
  ASSERT_TRUE(explain_each(model, table, {.background = &background, .interactions = true, .block_rows = 13}, {},
                           [&](const Explained& block) -> Status {
                             values.insert(values.end(), block.value.begin(), block.value.end());
                             pairs.insert(pairs.end(), block.interaction.begin(), block.interaction.end());
                             return Done{};
                           }));
  EXPECT_EQ(values, want->value);
  EXPECT_EQ(pairs, want->interaction);
}

TEST(Background, TheBitsDoNotDependOnWhetherTablesAreKept) {
  const Model model = sample::forest({.columns = 8, .trees = 5, .max_depth = 7}, 9);
  const Table table = sample::random_table(model, 300, 9), background = sample::random_table(model, 50, 10);
  const ExplainOptions options{.background = &background, .interactions = true};
  const auto want = explain(model, table, options);
  const Matched rows = *match(model.schema, table), others = *match(model.schema, background);
  const std::vector<std::size_t> outputs{0};
  const wald::Run run;
  const ExplainTask task{.model = model,
                         .columns = rows.columns,
                         .background = &others.columns,
                         .background_rows = background.rows,
                         .interactions = true,
                         .outputs = outputs,
                         .run = run,
                         .kept_tables = 20'000};
  const BlockExplainer made = background_explainer(model.forest(), task);
  for (int again = 0; again < 2; ++again) {
    Explained block{.rows = table.rows, .columns = 8, .outputs = outputs};
    block.value.resize(want->value.size());
    block.interaction.resize(want->interaction.size());
    made.fill(block);
    EXPECT_EQ(block.value, want->value);
    EXPECT_EQ(block.interaction, want->interaction);
  }
}

TEST(Background, WithoutRowsItIsRefused) {
  const Model model = sample::forest({}, 1);
  const Table table = sample::random_table(model, 3, 1), none = sample::random_table(model, 0, 1);
  EXPECT_EQ(explain(model, table, {.background = &none}).error().kind, ErrorKind::BadData);
}

}  // namespace
}  // namespace wald
