#include "tree/surrogate.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "tree/grow.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

using wald::testing::all_rows, wald::testing::best_gain, wald::testing::Data, wald::testing::random_data;

Gini counts_of(const Data& data, int classes, bool weighted = false) {
  Gini out{};
  static_cast<ClassCounts&>(out) = {
      .label = data.label,
      .row_weight = weighted ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{},
      .classes = classes};
  return out;
}

// Sides by one column: up to `bin` left.
Sides sides_by(const Binned& x, const Data& data, std::span<const Row> rows, std::size_t column, int bin) {
  Sides out{.rows = rows};
  for (const Row r : rows) {
    const int code = x.columns[column].at(r);
    out.way.push_back(static_cast<std::int8_t>(code == 0 ? -1 : code > bin));
    out.weight.push_back(std::ldexp(static_cast<double>(data.weight[r]), -30));
  }
  return out;
}

struct Agreement {
  double agree = 0, all = 0, majority = 0;
  int fewest = 0;  // rows on the side of fewer
};
template <class Way>
Agreement agreement(const BinnedColumn& x, const Sides& sides, const Way& way) {
  double weight[2] = {0, 0}, agree = 0;
  int rows[2] = {0, 0};
  for (std::size_t i = 0; i < sides.rows.size(); ++i) {
    const int code = x.at(sides.rows[i]);
    if (code == 0 || sides.way[i] < 0) continue;
    weight[sides.way[i]] += sides.weight[i];
    ++rows[way(code)];
    if (way(code) == sides.way[i]) agree += sides.weight[i];
  }
  return {agree, weight[0] + weight[1], std::max(weight[0], weight[1]), std::min(rows[0], rows[1])};
}

TEST(Surrogate, OfNumbersIsTheThresholdOfMostAgreement) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Data data = random_data(seed, 60, 4, 0, 0, 2);
    const Binned x = *bin(data.table, 255);
    const std::vector<Row> rows = all_rows(60);
    const Sides sides = sides_by(x, data, rows, 0, 1 + static_cast<int>(seed % 9));
    for (std::uint32_t c = 1; c < 4; ++c) {
      double best = -1, majority = 0;
      for (int cut = 1; cut < x.columns[c].codes - 1; ++cut)
        for (const int low : {0, 1}) {
          const Agreement a = agreement(x.columns[c], sides, [&](int code) { return code <= cut ? low : 1 - low; });
          majority = a.majority / a.all;
          if (a.fewest >= 2) best = std::max(best, a.agree / a.all);
        }
      const auto got = best_stand_in(x, c, sides);
      ASSERT_EQ(got.has_value(), best > majority) << "seed " << seed;
      if (!got) continue;
      ++found;
      EXPECT_DOUBLE_EQ(got->agreement, best);
      const Agreement own =
          agreement(x.columns[c], sides, [&](int code) { return static_cast<int>(got->child(code)); });
      EXPECT_DOUBLE_EQ(own.agree / own.all, best);
      for (int code = 1; code < x.columns[c].codes; ++code)
        EXPECT_EQ(x.columns[c].lowest[code - 1] <= got->threshold, (got->child(code) == 0) != got->turned);
    }
  }
  EXPECT_GT(found, 20);
}

TEST(Surrogate, OfCategoriesIsTheSubsetOfMostAgreement) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Data data = random_data(seed, 50, 1, 3, 5, 2);
    const Binned x = *bin(data.table, 255);
    const std::vector<Row> rows = all_rows(50);
    const Sides sides = sides_by(x, data, rows, 0, 2 + static_cast<int>(seed % 8));
    for (std::uint32_t c = 1; c < 4; ++c) {
      Agreement best;
      for (std::uint32_t set = 0; set < 32; ++set) {
        const Agreement a = agreement(x.columns[c], sides, [&](int code) { return set >> (code - 1) & 1 ? 0 : 1; });
        if (a.agree > best.agree) best = a;
      }
      const auto got = best_stand_in(x, c, sides);
      ASSERT_TRUE(best.agree > best.majority || !got);
      if (!got) continue;
      ++found;
      EXPECT_DOUBLE_EQ(got->agreement, best.agree / best.all);
    }
  }
  EXPECT_GT(found, 20);
}

// Of the rows that know a column; the rule for missing values is that there are none.
double best_gain_of_known(const Binned& x, std::span<const Row> rows, const Gini& criterion) {
  double best = -1;
  for (const BinnedColumn& column : x.columns) {
    std::vector<Row> known;
    for (const Row r : rows)
      if (column.at(r) != 0) known.push_back(r);
    if (known.empty()) continue;
    Binned one;
    one.columns.push_back(column);
    best = std::max(best, best_gain(one, known, criterion, 1));
  }
  return best;
}

double gain_of(const Gini& criterion, const std::map<Row, bool>& goes_left) {
  std::vector<std::int64_t> sums[3];
  for (auto& s : sums) s.resize(static_cast<std::size_t>(criterion.width()));
  for (const auto& [row, left] : goes_left) {
    criterion.add(criterion.part(row), sums[left].data());
    criterion.add(criterion.part(row), sums[2].data());
  }
  return score(criterion, sums[0]) + score(criterion, sums[1]) - score(criterion, sums[2]);
}

// Where a row of a node goes, told from the tree's data alone.
int way_by_definition(const Tree& tree, const Binned& x, std::uint32_t n, Row r) {
  const TreeNode& node = tree.nodes[n];
  if (const int code = x.columns[node.column].at(r); code != 0)
    return node.test == wald::Test::Set ? !(tree.sets[node.ref] >> (code - 1) & 1)
                                        : static_cast<std::uint32_t>(code) > node.ref;
  for (const StandIn& s : tree.surrogates[n])
    if (const int code = x.columns[s.column].at(r); code != 0) return static_cast<int>(s.child(code));
  return node.missing;
}

TEST(Surrogate, ATreeJudgesSplitsByKnownRowsAndPlacesTheOthersBySurrogates) {
  int placed = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const bool weighted = seed % 2 == 0;
    const Data data = random_data(seed, 120, 4, 2, 4, 2);
    const Binned x = *bin(data.table, 255);
    const Gini criterion = counts_of(data, 2, weighted);
    const GrowOptions how{.max_depth = 6, .missing = MissingRule::Surrogates, .surrogates = 3};
    const Tree tree = grow(x, all_rows(120), criterion, how, {});
    std::vector<std::vector<Row>> at(tree.nodes.size());
    at[0] = all_rows(120);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      std::vector<std::int64_t> sums(2);
      for (const Row r : at[n]) criterion.add(criterion.part(r), sums.data());
      EXPECT_DOUBLE_EQ(tree.cover[n], criterion.weight(sums));
      if (tree.nodes[n].test == wald::Test::Leaf) continue;
      std::map<Row, bool> known, all;
      Sides sides{.rows = at[n]};
      for (const Row r : at[n]) {
        const int way = way_by_definition(tree, x, n, r);
        const bool knows = x.columns[tree.nodes[n].column].at(r) != 0;
        all[r] = way == 0;
        if (knows) known[r] = way == 0;
        placed += !knows && !tree.surrogates[n].empty();
        at[tree.nodes[n].child + static_cast<std::uint32_t>(way)].push_back(r);
        sides.way.push_back(static_cast<std::int8_t>(knows ? way : -1));
        sides.weight.push_back(weighted ? std::ldexp(static_cast<double>(data.weight[r]), -30) : 1);
      }
      EXPECT_NEAR(gain_of(criterion, known), best_gain_of_known(x, at[n], criterion), 1e-9) << "node " << n;
      EXPECT_NEAR(tree.gain[n], std::max(0.0, gain_of(criterion, all)), 1e-9);
      EXPECT_EQ(tree.surrogates[n], find_surrogates(x, tree.nodes[n].column, sides, 3, Team::One));
      for (std::size_t i = 1; i < tree.surrogates[n].size(); ++i)
        EXPECT_GE(tree.surrogates[n][i - 1].agreement, tree.surrogates[n][i].agreement);
    }
  }
  EXPECT_GT(placed, 50);
}

TEST(Surrogate, WithoutMissingValuesTheTreeIsThatWithoutSurrogates) {
  Data data = random_data(5, 200, 4, 0, 0, 2);
  for (Column& column : data.table.columns) {
    std::vector<double> v;
    for (Row r = 0; r < 200; ++r) v.push_back(std::isnan(column.numbers()[r]) ? 0.5 : column.numbers()[r]);
    column.data = Numbers(v);
  }
  const Binned x = *bin(data.table, 255);
  for (const std::int64_t leaves : {0, 9}) {
    GrowOptions how{.max_leaves = leaves};
    const Tree plain = grow(x, all_rows(200), counts_of(data, 2), how, {});
    how.missing = MissingRule::Surrogates;
    Tree tree = grow(x, all_rows(200), counts_of(data, 2), how, {});
    EXPECT_EQ(tree.surrogates.size(), tree.nodes.size());
    EXPECT_FALSE(std::ranges::all_of(tree.surrogates, [](const auto& of) { return of.empty(); }));
    tree.surrogates.clear();
    EXPECT_EQ(tree, plain);
  }
}

TEST(Surrogate, ACopyOfTheColumnStandsInForItWithoutError) {
  Data data = random_data(8, 300, 3, 0, 0, 2, 40);
  const Numbers& whole = data.table.columns[1].numbers();
  std::vector<double> gaps, turned;
  for (Row r = 0; r < 300; ++r) {
    gaps.push_back(r % 4 == 0 ? kMissing : whole[r]);
    turned.push_back(-whole[r]);
    data.label[r] = whole[r] > 4;
  }
  data.table.columns = {{"gaps", Numbers(gaps)}, {"turned", Numbers(turned)}, data.table.columns[2]};
  const Binned x = *bin(data.table, 255);
  // The column with gaps only is offered to the root: its copy would do as well.
  Tree tree = grow(x, all_rows(300), counts_of(data, 2), {.missing = MissingRule::Surrogates}, {});
  const std::uint32_t other = tree.nodes[0].column == 0 ? 1 : 0;
  ASSERT_FALSE(tree.surrogates[0].empty());
  EXPECT_EQ(tree.surrogates[0][0].column, other);
  EXPECT_DOUBLE_EQ(tree.surrogates[0][0].agreement, 1);
  EXPECT_TRUE(tree.surrogates[0][0].turned);
}

TEST(Surrogate, TheTreeDoesNotDependOnThreads) {
  const Data data = random_data(3, 20000, 6, 2, 6, 3, 300);
  const Binned x = *bin(data.table, 255);
  const GrowOptions how{.max_depth = 6, .missing = MissingRule::Surrogates};
  Tree one, four;
  with_threads(1, [&] { one = grow(x, all_rows(20000), counts_of(data, 3), how, {}); });
  with_threads(4, [&] { four = grow(x, all_rows(20000), counts_of(data, 3), how, {}); });
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace wald
