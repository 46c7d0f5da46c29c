#include "tree/sapling_twig_grow.h"

#include <gtest/gtest.h>

#include "tree/sapling_grow.h"
#include "tree/sapling_scans.h"

namespace wald::sapling {
namespace {

struct TwigTable {
  Table table;
  std::vector<std::int32_t> label;
};

// The label follows the first column, more or less; a cell in ten is missing in every other column.
TwigTable twig_table(std::uint64_t seed, int numbers, int categories, int classes, int distinct) {
  constexpr Row kRows = 400;
  const Random random(seed, Purpose::Sample);
  std::uint64_t at = 0;
  TwigTable out;
  out.table.rows = kRows;
  const auto missing = [&](int c) { return c % 2 == 1 && random.below(10, ++at) == 0; };
  for (int c = 0; c < numbers; ++c) {
    std::vector<double> v(kRows);
    for (double& cell : v)
      cell = missing(c) ? kMissing : static_cast<double>(random.below(static_cast<std::uint64_t>(distinct), ++at));
    if (c == 0)
      for (const double cell : v)
        out.label.push_back(static_cast<std::int32_t>((cell / distinct + random.unit(++at)) / 2 * classes));
    out.table.columns.push_back({"n" + std::to_string(c), Numbers(v)});
  }
  for (int c = 0; c < categories; ++c) {
    const std::uint64_t levels = seed % 2 == 0 ? 4 : 70;
    Categories v;
    for (std::uint64_t l = 0; l < levels; ++l) v.level.push_back("l" + std::to_string(l));
    for (Row r = 0; r < kRows; ++r)
      v.code.push_back(missing(c) ? -1 : static_cast<std::int32_t>(random.below(levels, ++at)));
    out.table.columns.push_back({"c" + std::to_string(c), v});
  }
  return out;
}

template <class Twigs, class Scan>
Sapling tree_with(const Binned& x, const Scan& scan, const SaplingOptions& how, std::span<const Drawn> rows) {
  Grower<Scan, SaplingSink, Twigs> grower(x, scan, SaplingSink(scan.outputs()), how, 5);
  grower.begin(how, -1);
  grower.grow(0, 0, rows);
  return grower.sink().take();
}

void expect_same_with_twigs(const TwigTable& data, int classes, double smoothing, const SaplingOptions& how) {
  const auto x = bin(data.table, 255);
  Gini gini{};
  gini.label = data.label, gini.classes = classes, gini.smoothing = smoothing;
  const Random random(x->rows, Purpose::Bootstrap);
  std::vector<Drawn> rows;
  for (Row r = 0; r < x->rows; ++r) rows.push_back({r, 1 + static_cast<std::uint32_t>(random.below(3, r))});
  with_scan(*x, gini, x->rows, [&](const auto& scan) {
    if constexpr (requires { scan.gini(); }) {
      const Sapling a = tree_with<NoTwigs>(*x, scan, how, rows), b = tree_with<TwigGrower>(*x, scan, how, rows);
      EXPECT_EQ(a.nodes, b.nodes);
      EXPECT_EQ(a.gain, b.gain);
      EXPECT_EQ(a.values, b.values);
      EXPECT_EQ(a.sets, b.sets);
    }
  });
}

TEST(SaplingTwig, GrowsTheTreeThatGrowsWithoutTwigs) {
  std::vector<SaplingOptions> ways(7);
  ways[1].min_leaf = 2;
  ways[2].min_leaf = 2.5, ways[2].min_split = 7;
  ways[3].max_depth = 6;
  ways[4].zero_gain = true;
  ways[5].min_gain = 0.0005;
  ways[6].missing = MissingRule::Majority;
  std::uint64_t seed = 0;
  for (const auto& [numbers, categories] : {std::pair(7, 0), {4, 3}, {1, 9}, {30, 0}, {20, 10}})
    for (const int classes : {2, 3, 11})
      for (const int distinct : {3, 12, 400})
        for (const SaplingOptions& way : ways) {
          SaplingOptions how = way;
          how.columns_per_node = 1 + static_cast<int>(++seed % 4);
          const TwigTable data = twig_table(seed, numbers, categories, classes, distinct);
          expect_same_with_twigs(data, classes, seed % 3 == 0 ? 1 : 0, how);
        }
}

}  // namespace
}  // namespace wald::sapling
