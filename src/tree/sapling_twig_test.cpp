#include "tree/sapling_twig.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "tree/sapling_grow.h"
#include "tree/scan.h"

namespace wald::sapling {
namespace {

struct TwigCase {
  std::size_t columns = 4, codes = 6, classes = 2;
  std::uint32_t most = kTwigCount;  // that all rows count for
  bool levels = false;
  TwigRows rows;
  TwigRules rules;
  std::vector<std::uint8_t> code;
  std::vector<std::size_t> label;  // of each row
};

// Rows of a class lie together; a third of the columns miss values, a few have one code only.
void fill_case(TwigCase& x, std::uint64_t seed, std::size_t rows) {
  const Random random(seed, Purpose::Bootstrap);
  std::uint64_t at = 0;
  x.code.assign(rows * x.columns + 64, 1);
  x.rows.code.fill(0);
  std::uint32_t left = x.most - static_cast<std::uint32_t>(rows);
  for (std::size_t i = 0; i < rows; ++i) x.label.push_back(random.below(x.classes, ++at));
  std::ranges::sort(x.label);
  x.label.front() = 0, x.label.back() = x.classes - 1;  // not all alike
  for (std::size_t i = 0; i < rows; ++i) {
    const auto more = std::min<std::uint32_t>(left, random.below(3, ++at) == 0 ? 2 : 0);
    left -= more;
    x.rows.count[i] = static_cast<std::uint8_t>(1 + more);
    x.rows.label[i] = static_cast<std::uint8_t>(x.label[i]);
    x.rows.row[i] = x.code.data() + i * x.columns;
    for (std::size_t c = 0; c < x.columns; ++c) {
      if (c % 7 == 5) continue;
      const bool missing = c % 3 == 1 && random.below(5, ++at) == 0;
      x.code[i * x.columns + c] = static_cast<std::uint8_t>(missing ? 0 : 1 + random.below(x.codes - 1, ++at));
    }
  }
  x.rules.columns = x.columns, x.rules.seed = seed << 33 | seed, x.rules.tree = 3;
  for (std::size_t c = 0; c < x.columns && x.levels; c += 2) {
    x.rules.categories |= std::uint64_t{1} << c;
    for (const std::size_t k : {c, c + kTwigColumns})
      std::fill_n(x.rules.level.data() + k * kTwigRows, kTwigRows, std::uint8_t{255});
  }
  turn_twig(x.rows, rows, x.columns);
}

Greedy twig_by_definition(const TwigCase& x, std::span<const std::uint8_t> at, std::uint32_t node, double min_leaf) {
  Gini gini{};
  gini.classes = static_cast<int>(x.classes);
  std::vector<std::int64_t> total(x.classes), left, right;
  for (const std::uint8_t i : at) total[x.label[i]] += x.rows.count[i];
  Greedy out;
  out.min_leaf = min_leaf;
  RandomSeries draws(x.rules.seed, Purpose::Sapling, x.rules.tree, node);
  std::vector<std::uint32_t> order(x.columns);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t k = 0; k < x.columns && (k < x.rules.wanted || !out.any); ++k) {
    std::swap(order[k], order[k + draws.below(x.columns - k)]);
    std::vector<std::int64_t> sums(x.codes * x.classes);
    std::vector<std::uint16_t> codes;
    for (const std::uint8_t i : at) {
      const std::uint8_t code = x.rows.row[i][order[k]];
      sums[code * x.classes + x.label[i]] += x.rows.count[i], codes.push_back(code);
    }
    std::ranges::sort(codes);
    codes.erase(std::ranges::unique(codes).begin(), codes.end());
    if (codes.size() < 2) continue;
    const ColumnSums column{.column = order[k], .codes = codes, .sums = sums.data(), .total = total};
    const double parent = score(gini, total);
    if (x.rules.categories >> order[k] & 1) scan_categories<0>(column, gini, parent, out, left, right);
    else scan_numbers<0>(column, gini, parent, out, left, right);
  }
  return out;
}

void expect_by_definition(TwigCase& x, const std::vector<std::uint8_t>& at, std::uint32_t number, double min_leaf) {
  TwigNode node{.rows = static_cast<std::uint32_t>(at.size()), .node = number};
  node.at.fill(0);
  std::ranges::copy(at, node.at.begin());
  x.rules.least = static_cast<std::uint32_t>(min_leaf);
  const Greedy expected = twig_by_definition(x, at, number, min_leaf);
  TwigCut cut;
  choose_twig(x.rows, node, x.rules, cut);
  ASSERT_EQ(cut.any, expected.any);
  if (!cut.any) return;
  const Split& split = expected.chosen;
  ASSERT_EQ(cut.column, split.column);
  const double wl = cut.left_all, wr = cut.all - cut.left_all;
  const Offer offer{cut.left_squares / wl, cut.right_squares / wr, cut.squares / (wl + wr), wl, wr};
  EXPECT_EQ(offer.gain(), split.gain);
  EXPECT_EQ(cut.has_missing ? !cut.missing_right : wl >= wr, split.missing_left);
  if (!split.set) {
    EXPECT_EQ(cut.bin, split.bin);
    EXPECT_EQ(cut.next, split.next);
  }
  std::vector<std::uint8_t> left, right;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::uint32_t code = x.rows.row[at[i]][split.column];
    const bool has = split.set ? std::ranges::count(split.left, code - 1) > 0 : code <= split.bin;
    const bool goes_left = code == 0 ? split.missing_left : has;
    EXPECT_EQ(cut.left >> i & 1, goes_left);
    (goes_left ? left : right).push_back(at[i]);
  }
  ASSERT_EQ(cut.left_rows, left.size());
  EXPECT_TRUE(std::equal(left.begin(), left.end(), cut.left_at.begin()));
  EXPECT_TRUE(std::equal(right.begin(), right.end(), cut.right_at.begin()));
}

// Of the whole twig, and of some of its rows.
void expect_nodes_by_definition(TwigCase& x, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  const auto rows = static_cast<std::uint8_t>(x.label.size());
  for (std::uint32_t node = 0; node < 12; ++node) {
    std::vector<std::uint8_t> at;
    for (std::uint8_t i = 0; i < rows; ++i)
      if (node == 0 || random.below(12, node * 64 + i) >= node) at.push_back(i);
    if (at.size() < 2 || x.label[at[0]] == x.label[at.back()]) continue;
    expect_by_definition(x, at, 1000 * static_cast<std::uint32_t>(seed) + node, node % 3 == 2 ? 3 : 1);
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", rows " << at.size();
  }
}

template <class Body>
void on_every_instruction_set(Body body) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    SCOPED_TRACE(hwy::TargetName(left & -left));
    if (twigs_pay()) body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

void expect_cuts_by_definition() {
  std::uint64_t seed = 0;
  for (const std::size_t columns : {2, 5, 16, 21, 64})
    for (const std::size_t rows : {2, 3, 4, 5, 8, 9, 12, 16, 17, 24, 31, 32})
      for (const std::size_t codes : {3, 6, 255})
        for (const std::size_t classes : {2, 3, 20}) {
          TwigCase x{.columns = columns, .codes = codes, .classes = classes};
          x.rules.wanted = 1 + seed % std::min<std::size_t>(columns - 1, 11);
          fill_case(x, ++seed, rows);
          expect_nodes_by_definition(x, seed);
        }
}

TEST(SaplingTwig, TakesTheFirstOfTheBestCuts) { on_every_instruction_set(expect_cuts_by_definition); }

void expect_levels_by_definition() {
  std::uint64_t seed = 0;
  for (int round = 0; round < 10; ++round)
    for (const std::size_t columns : {2, 5, 16, 21})
      for (std::size_t rows = 2; rows <= kTwigRows; ++rows)
        for (const std::size_t codes : {3, 5, 255}) {
          TwigCase x{.columns = columns,
                     .codes = codes,
                     .most = rows > 10 ? kTwigCount : 31 + static_cast<std::uint32_t>(seed % 5),
                     .levels = true};
          x.rules.wanted = 1 + seed % std::min<std::size_t>(columns - 1, 5);
          fill_case(x, ++seed, rows);
          expect_nodes_by_definition(x, seed);
        }
}

TEST(SaplingTwig, PutsLevelsInOrder) { on_every_instruction_set(expect_levels_by_definition); }

}  // namespace
}  // namespace wald::sapling
