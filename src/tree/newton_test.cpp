// Splits of second-order boosting against the plainest search.
#include "tree/newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "tree/grow.h"
#include "tree/naive_test.h"
#include "tree/scan.h"

namespace wald {
namespace {

struct Problem {
  testing::Data data;
  Binned x;
  std::vector<Row> rows;
  std::vector<double> g, h;
  FixedGradients gradients;
};

// Second derivatives that differ from row to row, unless they are all 1.
Problem problem_of(std::uint64_t seed, Row rows, int numbers, int categories, int levels, bool equal = false) {
  Problem out{.data = testing::random_data(seed, rows, numbers, categories, levels, 2)};
  auto x = bin(out.data.table, kMaxBins);
  EXPECT_TRUE(x);
  out.x = std::move(*x);
  const Random random(seed, Purpose::Sample);
  for (Row r = 0; r < rows; ++r) {
    out.rows.push_back(r);
    out.h.push_back(equal ? 1 : 0.0625 + 0.9375 * random.unit(1'000'000 + r));
    out.g.push_back((out.data.y[r] - 1.5) * out.h.back());
  }
  fix_gradients(out.g, out.h, 30, out.gradients);
  return out;
}

Tree grown(const Problem& p, const Newton& newton, GrowOptions how = {}) {
  how.min_leaf = how.min_split = 0;
  return grow(p.x, p.rows, newton, how, Run{});
}

bool goes_left(const Problem& p, const Tree& tree, Row r) { return child_of(tree, p.x, 0, r) == tree.nodes[0].child; }

double gain_of(const Newton& newton, std::span<const Row> rows, const std::function<bool(Row)>& left) {
  std::vector<std::int64_t> sums[2] = {{0, 0}, {0, 0}}, all{0, 0};
  for (const Row r : rows) {
    newton.add(newton.part(r), sums[left(r) ? 0 : 1].data());
    newton.add(newton.part(r), all.data());
  }
  if (sums[0][1] == 0 || sums[1][1] == 0) return -1;
  return score(newton, sums[0]) + score(newton, sums[1]) - score(newton, all);
}

TEST(Newton, WithoutRulesForLevelsNoSetIsBetterThanTheOneFound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem_of(seed, 60, 1, 2, 7);
    const Newton newton{.gradients = &p.gradients, .l2 = 0};
    const Tree tree = grown(p, newton, {.max_depth = 1});
    EXPECT_NEAR(tree.gain[0], testing::best_gain(p.x, p.rows, newton, 0), 1e-9) << seed;
  }
}

TEST(Newton, CutsOfAFullColumnAreJudgedAtOnceWhateverCodesAreEmpty) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Problem p = problem_of(seed, 400, 3, 0, 2);
    p.x = *bin(p.data.table, 16);
    // Only rows whose first column is missing, or in the middle of its range.
    std::erase_if(p.rows, [&](Row r) {
      const int code = p.x.columns[0].at(r);
      return code != 0 && (code < 4 || code > 12);
    });
    const Newton newton{.gradients = &p.gradients};
    const Tree tree = grown(p, newton, {.max_depth = 1});
    ASSERT_GE(p.rows.size() * 3, 2u * 3 * 17) << "too few for a full histogram";
    EXPECT_NEAR(tree.gain[0], testing::best_gain(p.x, p.rows, newton, 0), 1e-9) << seed;
  }
}

// Without codes row by row a small node's columns are counted by the sums that all criteria use.
TEST(Newton, ColumnsOfSmallNodesAreScannedLikeAllOthers) {
  for (const Row rows : {Row{60}, Row{200}, Row{500}, Row{3000}}) {  // the table is near, or too large to be
    for (const MissingRule rule : {MissingRule::Learn, MissingRule::Majority}) {
      Problem p = problem_of(rows, rows, 6, 2, 5);
      p.x = *bin(testing::random_data(rows, rows, 6, 2, 5, 2, 180).table, 255);
      fix_gradients(p.g, p.h, 16, p.gradients);
      const Newton newton{.gradients = &p.gradients, .l1 = rows == 200 ? 0.01 : 0};
      ASSERT_GT(newton.packed_rows(), rows);
      const Tree one = grown(p, newton, {.max_depth = 7, .missing = rule});
      p.x.by_rows = {}, p.x.bundles = {};
      const Tree other = grown(p, newton, {.max_depth = 7, .missing = rule});
      EXPECT_GT(one.nodes.size(), 20u);
      EXPECT_EQ(one.gain, other.gain);
      EXPECT_EQ(one.threshold, other.threshold);
      EXPECT_EQ(one.values, other.values);
    }
  }
}

// Few digits are added up as halves of a word, more as two wide sums at once, still more as sums of doubles would be:
// where all of them hold the derivatives without rounding, the tree is the same.
TEST(Newton, DigitsThatNothingNeedsChangeNothing) {
  for (const Row rows : {Row{60}, Row{200}, Row{600}, Row{5000}}) {
    Problem p = problem_of(rows, rows, 5, 2, 9);
    p.x = *bin(testing::random_data(rows, rows, 5, 2, 9, 2, 180).table, 255);
    for (const auto each : {&p.g, &p.h})
      for (double& v : *each) v = std::round(v * 0x1p8) * 0x1p-8;
    const auto grown_with = [&](int bits) {
      fix_gradients(p.g, p.h, bits, p.gradients);
      const Newton newton{.gradients = &p.gradients, .levels = {.min_rows = 2, .most = 3}};
      const GrowOptions how{.max_depth = 7, .min_split = 0, .min_leaf = 0};
      return bits > kGradientBits ? grow(p.x, p.rows, FineNewton{newton}, how, wald::Run{}) : grown(p, newton, how);
    };
    const Tree tree = grown_with(10);
    EXPECT_GT(tree.nodes.size(), 20u);
    for (const int bits : {16, 20, 24, 30, 31, 44, 48}) {
      const Tree other = grown_with(bits);
      EXPECT_EQ(tree.gain, other.gain) << bits;
      EXPECT_EQ(tree.threshold, other.threshold) << bits;
      EXPECT_EQ(tree.values, other.values) << bits;
    }
  }
}

// Gains so near each other that some count as equal, and others as equal to those.
TEST(Newton, OnlyGainsNearTheLargestDecideWhoIsTaken) {
  const Random random(23, Purpose::Sample);
  std::uint64_t at = 0;
  int told = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<double> gain(1 + random.below(12, ++at));
    const std::uint64_t wide = 1 + random.below(60, ++at);
    for (double& g : gain) g = 1 + 0x1p-51 * static_cast<double>(random.below(wide, ++at));
    const auto taken = [&](auto each) {
      Greedy greedy;
      std::size_t out = gain.size();
      each([&](std::size_t i) {
        if (greedy.offer({gain[i] + 1, 1, 1, 1, 1}) != nullptr) out = i;
      });
      return out;
    };
    const std::size_t want = taken([&](auto offer) {
      for (std::size_t i = 0; i < gain.size(); ++i) offer(i);
    });
    const double most = *std::ranges::max_element(gain);
    bool decided = false;
    const std::size_t got =
        taken([&](auto offer) { decided = each_deciding(gain, most, Greedy::noise_below(most, 1), offer); });
    ASSERT_TRUE(!decided || got == want) << trial;
    told += decided;
  }
  EXPECT_GT(told, 5000);
}

TEST(Newton, BundlesOfColumnsChangeNothing) {
  for (const int values : {2, 4}) {
    Problem p{.data = testing::random_data(5, 20'000, 12, 6, 3, 2, values)};
    p.x = *bin(p.data.table, 255);
    ASSERT_GT(p.x.bundles.width, 0u);
    for (Row r = 0; r < p.x.rows; ++r) {
      p.rows.push_back(r), p.h.push_back(1 + r % 3), p.g.push_back((p.data.y[r] - 1.5) * p.h.back() + r % 7);
    }
    fix_gradients(p.g, p.h, 16, p.gradients);
    const Newton newton{.gradients = &p.gradients, .levels = {.one_against_rest = 5}};
    ASSERT_GT(newton.packed_rows(), 0u);
    const Tree bundled = grown(p, newton, {.max_depth = 6});
    p.x.bundles = {};
    const Tree plain = grown(p, newton, {.max_depth = 6});
    EXPECT_GT(plain.nodes.size(), 50u);
    EXPECT_EQ(bundled.gain, plain.gain);
    EXPECT_EQ(bundled.cover, plain.cover);
    EXPECT_EQ(bundled.values, plain.values);
  }
}

TEST(Newton, ASplitAgainstTheDirectionIsNeverTaken) {
  int split = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const Row rows : {20u, 2000u}) {  // codes listed, and codes of a full column
      const Problem p = problem_of(seed, rows, 3, 0, 0);
      const int way = seed % 2 == 0 ? 1 : -1;
      const std::vector<std::int8_t> monotone(3, static_cast<std::int8_t>(way));
      const Tree tree = grown(p, {.gradients = &p.gradients}, {.max_depth = 1, .monotone = monotone});
      if (tree.nodes[0].test == wald::Test::Leaf) continue;
      const std::size_t left = tree.nodes[0].child;
      EXPECT_GT(way * tree.values[left + 1], way * tree.values[left]) << seed;  // else both are held to their middle
      ++split;
    }
  EXPECT_GT(split, 40);
}

TEST(Newton, FewLevelsAreCutOffOneAtATime) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem_of(seed, 60, 0, 1, 5);
    const Newton newton{.gradients = &p.gradients, .levels = {.one_against_rest = 5}};
    const Tree tree = grown(p, newton, {.max_depth = 1});
    double best = -1;
    for (int code = 1; code <= 5; ++code)
      for (const bool missing : {false, true})
        best = std::max(best, gain_of(newton, p.rows, [&](Row r) {
                          const int c = p.x.columns[0].at(r);
                          return c == code || (missing && c == 0);
                        }));
    EXPECT_NEAR(tree.gain[0], best, 1e-9) << seed;
  }
}

TEST(Newton, LevelsOfFewRowsStayTogether) {
  int divided = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem_of(seed, 90, 0, 1, 12, true);
    const Tree tree = grown(p, {.gradients = &p.gradients, .levels = {.min_rows = 8}}, {.max_depth = 1});
    ASSERT_EQ(tree.nodes[0].test, wald::Test::Set);
    std::vector<int> count(13);
    for (const Row r : p.rows) ++count[static_cast<std::size_t>(p.x.columns[0].at(r))];
    std::set<bool> sides;
    for (const Row r : p.rows) {
      const int code = p.x.columns[0].at(r);
      if (code != 0 && count[static_cast<std::size_t>(code)] < 8) sides.insert(goes_left(p, tree, r));
    }
    EXPECT_LE(sides.size(), 1u) << seed;
    divided += sides.size() == 1;
  }
  EXPECT_GT(divided, 10);
}

TEST(Newton, TheSmallerSetIsAsSmallAsAskedFor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem_of(seed, 200, 0, 1, 20);
    const Tree tree = grown(p, {.gradients = &p.gradients, .levels = {.most = 2}}, {.max_depth = 1});
    std::set<int> sides[2];
    for (const Row r : p.rows)
      if (const int code = p.x.columns[0].at(r); code != 0) sides[goes_left(p, tree, r) ? 0 : 1].insert(code);
    EXPECT_LE(std::min(sides[0].size(), sides[1].size()), 2u) << seed;
  }
}

TEST(Newton, LevelsOfManyRowsCountForLessInTheSmallerSet) {
  int more = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = problem_of(seed, 400, 0, 1, 20, true);
    const Tree tree = grown(p, {.gradients = &p.gradients, .levels = {.most = 2, .sure = 9}}, {.max_depth = 1});
    std::map<int, int> rows[2];
    for (const Row r : p.rows)
      if (const int code = p.x.columns[0].at(r); code != 0) ++rows[goes_left(p, tree, r) ? 0 : 1][code];
    const auto counted = [](const std::map<int, int>& side) {
      double sum = 0;
      for (const auto& [level, n] : side) sum += std::min(1.0, 9.0 / n);
      return sum;
    };
    EXPECT_LE(std::min(counted(rows[0]), counted(rows[1])), 2 + 1e-9) << seed;
    more += std::min(rows[0].size(), rows[1].size()) > 2;
  }
  EXPECT_GT(more, 10);
}

// In doubles what is left of all levels once some are taken away may be a hair more than four of one each.
TEST(Newton, ASetMayHaveJustAsManyLevelsAsAllowed) {
  constexpr int kSmall = 4, kSure = 9;
  for (int large = 1; large <= 40; ++large) {
    Problem p;
    Categories level;
    for (int k = 0; k < large + kSmall; ++k) {
      level.level.push_back("level" + std::to_string(100 + k));
      for (int i = 0; i < (k < large ? kSure + 1 + 3 * k : kSure); ++i) {
        p.rows.push_back(static_cast<Row>(p.rows.size()));
        level.code.push_back(k), p.g.push_back(k < large ? 1 : -1), p.h.push_back(1);
      }
    }
    p.data.table.rows = static_cast<Row>(p.rows.size());
    p.data.table.columns.push_back({"level", level});
    p.x = *bin(p.data.table, kMaxBins);
    fix_gradients(p.g, p.h, 30, p.gradients);
    const Tree tree =
        grown(p, {.gradients = &p.gradients, .levels = {.most = kSmall, .sure = kSure}}, {.max_depth = 1});
    for (const Row r : p.rows) ASSERT_EQ(goes_left(p, tree, r), goes_left(p, tree, 0) == (p.g[r] > 0)) << large;
  }
}

// One row a level: sorted by what their rows say, levels divide noise perfectly.
TEST(Newton, ALevelARowTellsNothing) {
  const Problem p = problem_of(3, 26, 1, 0, 0, true);
  Problem with = p;
  Categories names;
  for (Row r = 0; r < 26; ++r)
    names.code.push_back(static_cast<std::int32_t>(r)),
        names.level.push_back(std::string(1, static_cast<char>('a' + r)));
  with.data.table.columns.push_back({"name", names});
  with.x = *bin(with.data.table, kMaxBins);
  const Newton plain{.gradients = &p.gradients};
  Newton ruled = plain;
  ruled.levels = {.min_rows = 2};
  EXPECT_EQ(grown(with, plain, {.max_depth = 1}).nodes[0].column, 1u);
  EXPECT_EQ(grown(with, ruled, {.max_depth = 1}).nodes[0].column, 0u);
}

double best_with_rows(const Problem& p, const Newton& newton) {
  double best = -1;
  for (const BinnedColumn& column : p.x.columns)
    for (int code = 1; code < column.codes; ++code)
      for (const bool missing : {false, true}) {
        const auto left = [&](Row r) { return column.at(r) == 0 ? missing : column.at(r) <= code; };
        std::int64_t rows[2] = {0, 0};
        for (const Row r : p.rows) rows[left(r) ? 0 : 1] += newton.least.of(r);
        if (std::min(rows[0], rows[1]) >= newton.least.needed()) best = std::max(best, gain_of(newton, p.rows, left));
      }
  return best;
}

TEST(Newton, TheBestSplitWhoseSidesHaveRowsEnoughIsFound) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const bool weighted : {false, true}) {
      const Problem p = problem_of(seed, 80, 4, 0, 0);
      Newton newton{.gradients = &p.gradients, .least = {.rows = 25}};
      if (weighted) newton.least = {.rows = 50, .weight = p.data.weight};
      const Tree tree = grown(p, newton, {.max_depth = 1});
      const double best = best_with_rows(p, newton);
      EXPECT_NEAR(tree.gain[0], std::max(best, 0.0), 1e-9) << seed;
    }
}

TEST(Newton, NoLeafHasFewerRowsThanAskedFor) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const std::int64_t most : {0, 12}) {
      const Problem p = problem_of(seed, 500, 3, 2, 6);
      const Tree tree = grown(p, {.gradients = &p.gradients, .least = {.rows = 17}}, {.max_leaves = most});
      std::map<std::uint32_t, int> rows;
      for (const Row r : p.rows) ++rows[leaf_of(tree, p.x, r)];
      EXPECT_GT(rows.size(), 3u);
      for (const auto& [leaf, count] : rows) EXPECT_GE(count, 17) << seed;
    }
}

}  // namespace
}  // namespace wald
