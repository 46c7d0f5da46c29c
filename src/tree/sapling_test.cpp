#include "tree/sapling.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tree/grow.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

using wald::testing::best_gain, wald::testing::Data, wald::testing::random_data;

std::vector<Drawn> drawn_rows(Row n, std::uint64_t seed) {  // about a bootstrap sample
  const Random random(seed, Purpose::Bootstrap);
  std::vector<std::uint32_t> count(n);
  for (Row i = 0; i < n; ++i) ++count[random.below(n, i)];
  std::vector<Drawn> out;
  for (Row r = 0; r < n; ++r)
    if (count[r] > 0) out.push_back({r, count[r]});
  return out;
}

std::vector<Row> repeated(std::span<const Drawn> drawn) {
  std::vector<Row> out;
  for (const Drawn& d : drawn) out.insert(out.end(), d.count, d.row);
  return out;
}

Gini gini_of(const Data& data, int classes, bool weighted) {
  Gini out{};
  out.label = data.label, out.classes = classes;
  if (weighted) out.row_weight = data.weight;
  return out;
}

template <Criterion C>
std::vector<std::int64_t> sums_of(const C& criterion, std::span<const Row> rows) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(criterion.width()));
  for (const Row r : rows) criterion.add(criterion.part(r), sums.data());
  return sums;
}

// body(number, rows that reach the node), a row drawn twice counting twice.
template <class Body>
void each_node(const Sapling& tree, const Binned& x, std::span<const Drawn> drawn, Body body) {
  std::vector<std::vector<Row>> at(tree.nodes.size());
  at[0] = repeated(drawn);
  const RowCodes codes(x);
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    body(n, at[n]);
    if (tree.nodes[n].is_leaf()) continue;
    for (const Row r : at[n]) at[child_of(tree, codes, n, r)].push_back(r);
  }
}

// Every inner node's gain is the best there is, every leaf could not be split, and says what its rows say.
template <Criterion C>
void expect_by_definition(const Sapling& tree, const Binned& x, std::span<const Drawn> drawn, const C& criterion,
                          const SaplingOptions& how) {
  std::size_t inner = 0;
  each_node(tree, x, drawn, [&](std::uint32_t n, std::span<const Row> rows) {
    const Node& node = tree.nodes[n];
    const std::vector<std::int64_t> sums = sums_of(criterion, rows);
    const double best = best_gain(x, rows, criterion, how.min_leaf),
                 scale = 1e-6 * (1 + std::fabs(score(criterion, sums)));
    const bool pure = std::ranges::all_of(rows, [&](Row r) { return criterion.same(r, rows[0]); });
    if (!node.is_leaf()) {
      EXPECT_NEAR(tree.gain[inner++] / criterion.gain_unit(), best, scale) << "node " << n;
      return;
    }
    EXPECT_TRUE(pure || best <= scale) << "node " << n << " could gain " << best;
    EXPECT_FLOAT_EQ(node.cover(), static_cast<float>(criterion.weight(sums)));
    std::vector<double> value(static_cast<std::size_t>(criterion.outputs()));
    criterion.leaf(sums, value);
    if (pure) criterion.pure(rows[0], value);
    for (std::size_t k = 0; k < value.size(); ++k) EXPECT_EQ(tree.values[node.ref * value.size() + k], value[k]);
  });
  EXPECT_EQ(inner, tree.gain.size());
}

TEST(Sapling, EverySplitIsTheBestAndEveryLeafSaysWhatItsRowsSay) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const int classes : {2, 3})
      for (const bool weighted : {false, true}) {
        // Subsets of levels are searched by one class against the rest, which is the best for two classes only.
        const Data data = random_data(seed, 60, 4, classes > 2 ? 0 : 2, 4, classes);
        const auto x = bin(data.table, 255);
        const std::vector<Drawn> rows = drawn_rows(60, seed);
        const Gini gini = gini_of(data, classes, weighted);
        const SaplingOptions how;
        expect_by_definition(grow_sapling(*x, rows, gini, how, seed), *x, rows, gini, how);
      }
}

// Where few columns are drawn, rows are not kept in order, and a node of any size finds its best split by other ways.
template <Criterion C>
void expect_best_of_own_column(const Sapling& tree, const Binned& x, std::span<const Drawn> drawn, const C& criterion) {
  std::size_t inner = 0;
  each_node(tree, x, drawn, [&](std::uint32_t n, std::span<const Row> rows) {
    const Node& node = tree.nodes[n];
    if (node.is_leaf()) return;
    const Binned own{.rows = x.rows, .columns = {x.columns[node.column()]}};
    EXPECT_NEAR(tree.gain[inner++] / criterion.gain_unit(), best_gain(own, rows, criterion, 1),
                1e-6 * (1 + std::fabs(score(criterion, sums_of(criterion, rows)))))
        << "node " << n << " of " << rows.size() << " rows";
  });
}

TEST(Sapling, EverySplitIsTheBestOfTheColumnDrawn) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const int classes : {2, 3, 19})
      for (const int distinct : {3, 12, 200})
        for (const bool weighted : {false, true}) {
          const Data data = random_data(seed, 600, 4, classes > 2 ? 0 : 1, 4, classes, distinct);
          const auto x = bin(data.table, 255);
          const std::vector<Drawn> rows = drawn_rows(600, seed);
          const Gini gini = gini_of(data, classes, weighted);
          SaplingOptions how;
          how.columns_per_node = 1;
          expect_best_of_own_column(grow_sapling(*x, rows, gini, how, seed), *x, rows, gini);
        }
}

TEST(Sapling, NumbersAreSplitByVariance) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const bool weighted : {false, true}) {
      const Data data = random_data(seed, 60, 3, 2, 4, 2);
      const auto x = bin(data.table, 255);
      const std::span<const std::int64_t> weight =
          weighted ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{};
      const FixedTarget fixed = fix_target(data.y, weight);
      const Variance variance{.target = data.y, .row_weight = weight, .fixed = &fixed};
      const std::vector<Drawn> rows = drawn_rows(60, seed);
      const SaplingOptions how;
      expect_by_definition(grow_sapling(*x, rows, variance, how, seed), *x, rows, variance, how);
    }
}

// The same tree by the other grower: what it says of every row that grew it.
TEST(Sapling, IsTheTreeThatGrowGives) {
  for (const int classes : {2, 5})
    for (const Row n : {300u, 3000u}) {  // small enough for a block, and larger
      const Data data = random_data(n, n, 5, 1, 4, classes, 400);
      const auto x = bin(data.table, 255);
      const Gini gini = gini_of(data, classes, false);
      std::vector<Drawn> rows(n);
      std::vector<Row> all(n);
      for (Row r = 0; r < n; ++r) rows[r] = {r, 1}, all[r] = r;
      for (const int depth : {0, 4}) {
        SaplingOptions how;
        how.max_depth = depth;
        const Sapling sapling = grow_sapling(*x, rows, gini, how, 1);
        const Tree tree = grow(*x, all, gini, how, {});
        const RowCodes codes(*x);
        ASSERT_EQ(sapling.nodes.size(), tree.nodes.size());
        for (Row r = 0; r < n; ++r) {
          const Node& leaf = sapling.nodes[leaf_of(sapling, codes, r)];
          for (int k = 0; k < classes; ++k)
            ASSERT_EQ(sapling.values[leaf.ref * classes + k], tree.values[leaf_of(tree, *x, r) * classes + k]);
        }
      }
    }
}

// Codes of one byte, and some of two; no sets, of levels that with missing are as many as a word has bits, of more; and
// few levels beside numbers of more codes than that.
TEST(Sapling, LeavesOfManyRowsAreThoseOfEach) {
  for (const auto& [distinct, levels] :
       {std::pair(12, 6), {200, 6}, {3000, 6}, {12, 0}, {12, 63}, {12, 64}, {12, 200}}) {
    const Row n = 5000;
    const Data data = random_data(5, n, 3, levels > 0 ? 2 : 0, std::max(levels, 1), 2, distinct);
    const auto x = bin(data.table, distinct > 255 ? 1000 : 255);
    SaplingOptions how;
    how.columns_per_node = 2, how.zero_gain = true;
    const Sapling tree = grow_sapling(*x, drawn_rows(n, 1), gini_of(data, 2, false), how, 7);
    const RowCodes codes(*x);
    EXPECT_EQ(codes.by_rows() != nullptr, distinct <= 255);
    std::vector<Row> rows;
    for (Row r = 0; r < n; ++r)
      if (r % 7 != 3) rows.push_back(r);
    std::vector<std::uint32_t> leaf(rows.size());
    leaves_of(tree, codes, rows, leaf);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(leaf[i], leaf_of(tree, codes, rows[i]));
  }
}

TEST(Sapling, RandomCutsDivideTheRowsTheyAreDrawnFor) {
  const Data data = random_data(3, 400, 3, 2, 6, 3, 60);
  const auto x = bin(data.table, 255);
  SaplingOptions how;
  how.columns_per_node = 2, how.random_cut = how.zero_gain = true;
  const std::vector<Drawn> rows = drawn_rows(400, 2);
  const Sapling tree = grow_sapling(*x, rows, gini_of(data, 3, false), how, 7);
  const RowCodes codes(*x);
  std::vector<std::size_t> at(tree.nodes.size());
  for (const Drawn& d : rows)
    for (std::uint32_t n = 0;; n = child_of(tree, codes, n, d.row)) {
      ++at[n];
      if (tree.nodes[n].is_leaf()) break;
    }
  EXPECT_GT(tree.nodes.size(), 50u);
  for (const std::size_t count : at) EXPECT_GT(count, 0u);
}

TEST(Sapling, AForestDecidesByValuesAsItsTreesByBins) {
  const Data data = random_data(9, 800, 4, 2, 6, 2, 700);
  const auto x = bin(data.table, 16);
  SaplingOptions how;
  how.columns_per_node = 2;
  std::vector<Sapling> trees;
  for (std::uint32_t t = 0; t < 5; ++t) {
    how.tree = t;
    trees.push_back(grow_sapling(*x, drawn_rows(800, t), gini_of(data, 2, false), how, 1));
  }
  const RowCodes codes(*x);
  const Forest forest = assemble({0, 0}, *x, trees);
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (Row r = 0; r < 800; ++r) {
      std::uint32_t at = 0;
      const auto nodes = forest.tree(t).nodes;
      while (!nodes[at].is_leaf()) {
        const Node& node = nodes[at];
        const Column& column = data.table.columns[node.column()];
        if (column.type() == ColumnType::Number) {
          const double v = column.numbers()[r];
          at = node.child + (std::isnan(v) ? node.missing() : !(v <= forest.cuts[node.column()][node.ref]));
        } else {
          const std::int32_t v = column.categories().code[r];
          at = node.child + (v < 0 ? node.missing() : !forest.set_has(node.ref, v));
        }
      }
      ASSERT_EQ(at, leaf_of(trees[t], codes, r));
    }
}

}  // namespace
}  // namespace wald
