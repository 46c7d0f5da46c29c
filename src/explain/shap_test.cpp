#include <gtest/gtest.h>

#include <hwy/targets.h>

#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "explain/shap_naive_test.h"
#include "explain/shap_points.h"
#include "explain/shap_sample_test.h"
#include "wald/explain.h"
#include "wald/task.h"

namespace wald {
namespace {

TreeNode threshold(std::uint32_t column, std::uint32_t child, std::uint32_t ref = 0) {
  return {column, child, ref, 0, wald::Test::Threshold};
}

void expect_efficient(const Explained& e) {
  for (std::size_t row = 0; row < e.rows; ++row)
    for (std::size_t o = 0; o < e.outputs.size(); ++o) {
      double sum = e.base[o];
      for (const double v : e.values(row, o)) sum += v;
      const double score = e.score[row * e.outputs.size() + o];
      ASSERT_NEAR(sum, score, naive::close_to(score)) << "row " << row << " output " << o;
    }
}

TEST(GaussLegendre, IsExactForPowersUpToTwiceThePointsLessOne) {
  for (const int n : {1, 2, 3, 4, 5, 8, 17, 64, 250}) {
    const Quadrature q = gauss_legendre(n);
    for (int power = 0; power < 2 * n; ++power) {
      double sum = 0;
      for (std::size_t k = 0; k < q.point.size(); ++k) sum += q.weight[k] * std::pow(q.point[k], power);
      ASSERT_NEAR(sum, 1.0 / (power + 1), 2e-14) << n << " points, power " << power;
    }
  }
}

TEST(Shapley, PathDependentValuesAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const sample::Shape shape{.columns = 2 + static_cast<int>(seed % 7),
                              .max_depth = 1 + static_cast<int>(seed % 8),
                              .outputs = 1 + static_cast<int>(seed % 2)};
    const Model model = sample::forest(shape, seed);
    const Table table = sample::random_table(model, 40, seed);
    const auto rows = naive::rows_of(model, table);
    const auto e = explain(model, table);
    ASSERT_TRUE(e) << e.error().message;
    expect_efficient(*e);
    for (std::size_t row = 0; row < rows.size(); row += 3)
      for (std::size_t o = 0; o < e->outputs.size(); ++o) {
        const auto want = naive::shapley(naive::path_game(model.forest(), rows[row], o), shape.columns);
        ASSERT_NEAR(e->base[o], want.base, naive::close_to(want.base));
        for (std::size_t c = 0; c < e->columns; ++c)
          ASSERT_NEAR(e->values(row, o)[c], want.value[c], naive::close_to(want.value[c]))
              << "seed " << seed << " row " << row;
      }
  }
}

TEST(Shapley, TwelveColumnsDeepTreesAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model model = sample::forest({.columns = 12, .trees = 2, .max_depth = 14}, seed);
    const Table table = sample::random_table(model, 33, seed);
    const auto rows = naive::rows_of(model, table);
    const auto e = explain(model, table, {.interactions = true});
    ASSERT_TRUE(e);
    for (std::size_t row = 0; row < rows.size(); row += 16) {
      const auto want = naive::shapley(naive::path_game(model.forest(), rows[row], 0), 12);
      for (std::size_t c = 0; c < 12; ++c)
        ASSERT_NEAR(e->values(row, 0)[c], want.value[c], naive::close_to(want.value[c]));
      for (std::size_t p = 0; p < 144; ++p)
        ASSERT_NEAR(e->pairs(row, 0)[p], want.pair[p], naive::close_to(want.pair[p]));
    }
  }
}

TEST(Shapley, InteractionsAreThoseOfTheDefinitionAndSumToTheValues) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const sample::Shape shape{.columns = 1 + static_cast<int>(seed % 7),
                              .max_depth = 1 + static_cast<int>(seed % 7),
                              .outputs = 1 + static_cast<int>(seed % 2)};
    const Model model = sample::forest(shape, seed);
    const Table table = sample::random_table(model, 40, seed);
    const auto rows = naive::rows_of(model, table);
    const auto e = explain(model, table, {.interactions = true});
    ASSERT_TRUE(e);
    const std::size_t n = e->columns;
    for (std::size_t row = 0; row < rows.size(); row += 5)
      for (std::size_t o = 0; o < e->outputs.size(); ++o) {
        const auto want = naive::shapley(naive::path_game(model.forest(), rows[row], o), shape.columns);
        const auto pairs = e->pairs(row, o);
        for (std::size_t p = 0; p < n * n; ++p)
          ASSERT_NEAR(pairs[p], want.pair[p], naive::close_to(want.pair[p]))
              << "seed " << seed << " row " << row << " at " << p;
        for (std::size_t c = 0; c < n; ++c) {
          const double sum = std::accumulate(pairs.begin() + c * n, pairs.begin() + (c + 1) * n, 0.0);
          ASSERT_NEAR(sum, e->values(row, o)[c], naive::close_to(sum));
        }
      }
  }
}

// Node 2 d asks x_(d mod columns) <= d; its left child, node 2 d + 1, is a leaf, its right child the next test.
Model chain(int depth, int columns, double left_cover) {
  Model model{.schema = {{}, sample::number("y")}};
  Parts forest;
  forest.base = {0.5};
  for (int c = 0; c < columns; ++c) {
    model.schema.columns.push_back(sample::number("x" + std::to_string(c)));
    forest.cuts.emplace_back();
  }
  std::vector<TreeNode> nodes(1);
  std::vector<double> values{0}, cover{1};
  double left = 1;  // of the weight
  for (int d = 0; d < depth; ++d) {
    std::vector<double>& cuts = forest.cuts[d % columns];
    nodes.back() = threshold(d % columns, 2 * d + 1, static_cast<std::uint32_t>(cuts.size()));
    cuts.push_back(d);
    nodes.resize(nodes.size() + 2);
    values.insert(values.end(), {std::sin(d), 3.0});
    cover.insert(cover.end(), {left_cover * left, (1 - left_cover) * left});
    left = cover.back();
  }
  forest.first = {0, nodes.size()};
  forest.nodes = nodes, forest.values = values, forest.cover = cover;
  model.body = packed(forest);
  return model;
}

TEST(Shapley, AChainOfFiveHundredTestsAddsUp) {
  for (const int columns : {1, 7, 100, 500})
    for (const double cover : {0.0, 1e-3, 0.01, 0.5, 0.99, 1.0}) {
      const Model model = chain(500, columns, cover);
      Table table{.rows = 5};
      for (int c = 0; c < columns; ++c)
        table.columns.push_back({"x" + std::to_string(c),
                                 Numbers(std::vector<double>{1e6, -1, c == columns - 1 ? -1.0 : 1e6, kMissing, 250})});
      const auto e = explain(model, table);
      ASSERT_TRUE(e);
      expect_efficient(*e);
    }
}

TEST(Shapley, ADeepChainOfTwelveColumnsIsThatOfTheDefinition) {
  const Model model = chain(300, 12, 0.02);
  Table table{.rows = 3};
  for (int c = 0; c < 12; ++c)
    table.columns.push_back({"x" + std::to_string(c), Numbers(std::vector<double>{1e6, 150, c * 25.0})});
  const auto rows = naive::rows_of(model, table);
  const auto e = explain(model, table, {.interactions = true});
  ASSERT_TRUE(e);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto want = naive::shapley(naive::path_game(model.forest(), rows[row], 0), 12);
    for (std::size_t c = 0; c < 12; ++c) ASSERT_NEAR(e->values(row, 0)[c], want.value[c], 1e-9);
    for (std::size_t p = 0; p < 144; ++p) ASSERT_NEAR(e->pairs(row, 0)[p], want.pair[p], 1e-9);
  }
}

TEST(Shapley, AColumnNoTreeAsksHasNoValue) {
  Model model = sample::forest({.columns = 5}, 3);
  model.schema.columns.push_back(sample::number("unused"));
  Forest forest = model.forest();
  forest.cuts.push_back({1.0});
  model.body = forest;
  const auto e = explain(model, sample::random_table(model, 20, 1), {.interactions = true});
  ASSERT_TRUE(e);
  for (std::size_t row = 0; row < e->rows; ++row) {
    EXPECT_EQ(e->values(row, 0)[5], 0);
    for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(e->pairs(row, 0)[c * 6 + 5], 0);
  }
}

// f = [x > 0] [y > 0] grown either way round, with covers that treat x and y alike.
TEST(Shapley, ColumnsThatPlayTheSamePartHaveTheSameValue) {
  Model model{.schema = {{sample::number("x"), sample::number("y")}, sample::number("z")}};
  Parts forest;
  forest.base = {0};
  forest.cuts = {{0.0}, {0.0}};
  forest.first = {0, 5, 10};
  forest.nodes = {threshold(0, 1), {}, threshold(1, 3), {}, {}, threshold(1, 1), {}, threshold(0, 3), {}, {}};
  forest.values = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  forest.cover = {4, 2, 2, 1, 1, 4, 2, 2, 1, 1};
  model.body = packed(forest);
  Table table{
      .columns = {{"x", Numbers(std::vector<double>{1, -1, 1, -1})}, {"y", Numbers(std::vector<double>{1, 1, -1, -1})}},
      .rows = 4};
  const auto e = explain(model, table);
  ASSERT_TRUE(e);
  EXPECT_DOUBLE_EQ(e->values(0, 0)[0], e->values(0, 0)[1]);
  EXPECT_DOUBLE_EQ(e->values(3, 0)[0], e->values(3, 0)[1]);
  EXPECT_DOUBLE_EQ(e->values(1, 0)[0], e->values(2, 0)[1]);
}

Model only_tree(const Model& model, std::size_t t) {
  Model out = model;
  const Forest& from = model.forest();
  const TreeView tree = from.tree(t);
  Forest forest = from;
  forest.first = std::vector<std::uint64_t>{0, tree.nodes.size()};
  forest.nodes = std::vector<Node>(tree.nodes.begin(), tree.nodes.end());
  forest.gain = {};
  out.body = forest;
  return out;
}

TEST(Shapley, ValuesOfAForestAreTheSumsOverItsTrees) {
  const Model model = sample::forest({.columns = 8, .trees = 4, .surrogates = 0}, 5);
  const Table table = sample::random_table(model, 50, 5);
  const auto whole = explain(model, table);
  std::vector<double> sum(whole->value.size());
  for (std::size_t t = 0; t < 4; ++t) {
    const auto part = explain(only_tree(model, t), table);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part->value[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], whole->value[i], 1e-12);
}

TEST(Shapley, TheBitsDependNeitherOnThreadsNorOnBlocksNorOnNeighbours) {
  const Model model = sample::forest({.columns = 8, .trees = 6, .max_depth = 7, .outputs = 2}, 9);
  const Table table = sample::random_table(model, 700, 9);
  const auto want = explain(model, table, {.interactions = true}, {.threads = 1});
  for (const int threads : {2, 5})
    EXPECT_EQ(explain(model, table, {.interactions = true}, {.threads = threads})->value, want->value);
  std::vector<double> blocks;
  ASSERT_TRUE(explain_each(model, table, {.block_rows = 13}, {}, [&](const Explained& block) -> Status {
    blocks.insert(blocks.end(), block.value.begin(), block.value.end());
    return Done{};
  }));
  EXPECT_EQ(blocks, want->value);
  for (const Row row : {0u, 3u, 31u, 699u}) {
    const auto alone = explain(model, take_rows(table, std::vector<Row>{row}));
    EXPECT_TRUE(std::ranges::equal(alone->values(0, 0), want->values(row, 0)));
    EXPECT_TRUE(std::ranges::equal(alone->values(0, 1), want->values(row, 1)));
  }
}

TEST(Shapley, TheBitsDoNotDependOnTheInstructionSet) {
  const Model model = sample::forest({.columns = 8, .trees = 6, .max_depth = 9}, 11);
  const Table table = sample::random_table(model, 100, 9);
  const auto want = explain(model, table, {.interactions = true});
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const auto got = explain(model, table, {.interactions = true});
    EXPECT_EQ(got->value, want->value) << hwy::TargetName(target);
    EXPECT_EQ(got->interaction, want->interaction) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Shapley, ChosenOutputsAreThoseOfAll) {
  const Model model = sample::forest({.columns = 6, .outputs = 3}, 2);
  const Table table = sample::random_table(model, 10, 2);
  const auto all = explain(model, table), some = explain(model, table, {.outputs = {2, 0}});
  EXPECT_EQ(some->base, (std::vector<double>{all->base[2], all->base[0]}));
  EXPECT_TRUE(std::ranges::equal(some->values(4, 0), all->values(4, 2)));
  EXPECT_FALSE(explain(model, table, {.outputs = {3}}));
}

TEST(Shapley, WithoutCoversThePathDependentFormIsRefused) {
  const Model model = sample::forest({.cover = false}, 2);
  const auto e = explain(model, sample::random_table(model, 10, 2));
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().kind, ErrorKind::PrivacyRefusal);
}

}  // namespace
}  // namespace wald
