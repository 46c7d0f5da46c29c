// Rows down a tree several at a time, against one by one.
#include "tree/tree_walk.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "tree/grow.h"
#include "tree/naive_test.h"
#include "tree/newton.h"

namespace wald {
namespace {

// Columns of numbers and of categories, with missing cells; the first of 400 levels, which takes two bytes.
Table walked(Row rows, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  Table out;
  out.rows = rows;
  for (std::size_t c = 0; c < 6; ++c) {
    const bool words = c < 3;
    const std::uint64_t values = c == 0 ? 400 : c == 1 ? 3 : c == 2 ? 70 : c == 3 ? 2 : 5000;
    Column column{.name = "c" + std::to_string(c)};
    Categories categories;
    std::vector<double> numbers;
    for (std::uint64_t v = 0; words && v < values; ++v) categories.level.push_back("v" + std::to_string(v));
    for (Row r = 0; r < rows; ++r) {
      const std::uint64_t drawn = random.below(values + values / 8 + 1, r * 6 + c);
      if (words) categories.code.push_back(drawn < values ? static_cast<std::int32_t>(drawn) : -1);
      else numbers.push_back(drawn < values ? static_cast<double>(drawn) : kMissing);
    }
    if (words) column.data = std::move(categories);
    else column.data = Numbers(numbers);
    out.columns.push_back(std::move(column));
  }
  return out;
}

TEST(TreeWalk, EndsWhereEachRowByItselfDoes) {
  for (const Row rows : {1u, 15u, 700u, 4000u}) {
    const auto x = bin(walked(rows, rows), 255);
    ASSERT_TRUE(x);
    std::vector<double> g, h(rows, 1.0);
    std::vector<Row> every(rows);
    for (Row r = 0; r < rows; ++r) {
      const Random random(r, Purpose::Sample);
      g.push_back(static_cast<double>((x->columns[0].at(r) * 7 + x->columns[4].at(r) * 3) % 11) - 5 + random.unit(1));
      every[r] = r;
    }
    FixedGradients gradients;
    fix_gradients(g, h, 16, gradients);
    for (const MissingRule rule : {MissingRule::Learn, MissingRule::Majority}) {
      GrowOptions how;
      how.max_depth = 9, how.missing = rule;
      const Tree tree = grow(*x, every, Newton{.gradients = &gradients}, how, {});
      Binned by_columns = *x;
      by_columns.by_rows = {}, by_columns.bundles = {};
      std::vector<std::uint32_t> leaf(rows), one_by_one(rows);
      TreeWalk(tree, *x).leaves_of(every, leaf.data());
      TreeWalk(tree, by_columns).leaves_of(every, one_by_one.data());
      std::size_t seen = 0;
      TreeWalk(tree, *x).each(every, [&](Row row, std::uint32_t at) {
        EXPECT_EQ(row, seen++);
        EXPECT_EQ(at, leaf_of(tree, *x, row));
      });
      for (Row r = 0; r < rows; ++r) {
        ASSERT_EQ(leaf[r], leaf_of(tree, *x, r)) << rows << " " << r;
        ASSERT_EQ(one_by_one[r], leaf[r]);
      }
      if (rows > 1000) { EXPECT_GT(tree.nodes.size(), 100u); }
    }
  }
}

// Also those that add nothing to any sum, so that no histogram shows them.
TEST(TreeWalk, EndsInTheLeafThatEachRowHasGrown) {
  constexpr Row kRows = 6000;
  const auto x = bin(walked(kRows, 1), 255);
  ASSERT_TRUE(x);
  for (const bool all_add : {true, false}) {
    std::vector<double> g, h;
    GrowSpace space;
    for (Row r = 0; r < kRows; ++r) {
      const int level = x->columns[2].at(r);
      const bool adds = all_add || level % 3 != 0;
      g.push_back(adds ? (level * 7 + x->columns[0].at(r)) % 11 - 5 : 0), h.push_back(adds ? 1 : 0);
      space.rows.push_back(r);
    }
    FixedGradients gradients;
    fix_gradients(g, h, 16, gradients);
    EXPECT_EQ(Newton{.gradients = &gradients}.every_row_adds(), all_add);
    GrowOptions how;
    how.max_depth = 6;
    const Tree tree = grow(*x, space, Newton{.gradients = &gradients}, how, {});
    std::size_t sets = 0;
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      sets += tree.nodes[n].test == wald::Test::Set;
      if (tree.nodes[n].test != wald::Test::Leaf) continue;
      for (std::size_t i = space.range[n].first; i < space.range[n].last; ++i)
        ASSERT_EQ(leaf_of(tree, *x, space.rows[i]), n) << space.rows[i];
    }
    EXPECT_GT(sets, 5u);
  }
}

}  // namespace
}  // namespace wald
