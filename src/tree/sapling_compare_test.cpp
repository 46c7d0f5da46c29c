#include "tree/sapling_compare.h"

#include <gtest/gtest.h>

#include <map>

#include "core/random.h"
#include "tree/sapling_classes.h"
#include "tree/sapling_sums.h"

namespace wald::sapling {
namespace {

struct ComparedCase {
  std::vector<ClassEntry> entries;  // class by class
  std::vector<std::uint8_t> code;   // by place
  int codes = 2;
};

ComparedCase compared_case(std::uint64_t seed, std::size_t rows, std::size_t classes, std::size_t codes) {
  const Random random(seed, Purpose::Bootstrap, 0);
  ComparedCase out{{}, {}, static_cast<int>(codes)};
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    out.code.push_back(static_cast<std::uint8_t>(1 + random.below(codes - 1, draw++)));
    out.entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(random.below(classes, draw++)),
                           static_cast<std::uint16_t>(random.below(8, draw++) == 0 ? 2 : 1)});
  }
  std::ranges::stable_sort(out.entries, {}, &ClassEntry::label);
  return out;
}

// The first of the best cuts, by trying each.
Choice best_by_definition(const ComparedCase& x, double min_leaf) {
  const auto squares = [](const std::map<int, double>& counts) {
    double sum = 0;
    for (const auto& [label, n] : counts) sum += n * n;
    return sum;
  };
  Choice out;
  std::map<int, double> all;
  double weight = 0;
  for (const ClassEntry& e : x.entries) all[e.label] += e.count, weight += e.count;
  out.parent = squares(all) / weight, out.greedy.min_leaf = min_leaf;
  for (int c = 1; c < x.codes; ++c) {
    std::map<int, double> left, right;
    double wl = 0, wr = 0;
    std::uint32_t next = 0xFFFF;
    bool occupied = false;
    for (const ClassEntry& e : x.entries) {
      const std::uint32_t code = x.code[e.place];
      occupied |= code == static_cast<std::uint32_t>(c);
      if (code <= static_cast<std::uint32_t>(c)) left[e.label] += e.count, wl += e.count;
      else right[e.label] += e.count, wr += e.count, next = std::min(next, code);
    }
    if (!occupied || !out.greedy.admits(wl, wr)) continue;
    Split* split = out.greedy.offer({squares(left) / wl, squares(right) / wr, out.parent, wl, wr});
    if (split != nullptr) split->bin = static_cast<std::uint32_t>(c), split->next = next;
  }
  return out;
}

void expect_same_choice(const Greedy& a, const Greedy& b) {
  ASSERT_EQ(a.any, b.any);
  if (!a.any) return;
  EXPECT_EQ(a.chosen.bin, b.chosen.bin);
  EXPECT_EQ(a.chosen.next, b.chosen.next);
  EXPECT_EQ(a.chosen.gain, b.chosen.gain);
}

template <bool kTwoClasses>
void expect_compared_by_definition(const ComparedCase& x, double min_leaf) {
  const Choice expected = best_by_definition(x, min_leaf);
  Choice choice;
  choice.parent = expected.parent, choice.greedy.min_leaf = min_leaf;
  CodeColumn column;
  column.codes = x.codes, column.narrow = x.code.data();
  ComparedNode<kTwoClasses> node;
  ASSERT_TRUE(node.suits(column, x.entries.size(), kMostCounted));
  std::vector<TwoEntry> two;
  for (const ClassEntry& e : x.entries) two.push_back({e.place, std::uint32_t{e.count} << (e.label == 0 ? 0 : 16)});
  Compared found;
  if constexpr (kTwoClasses) found = node.scan(column, std::span<const TwoEntry>(two), choice);
  else found = node.scan(column, std::span<const ClassEntry>(x.entries), choice);
  const bool alike = std::ranges::count(x.code, x.code[0]) == static_cast<std::ptrdiff_t>(x.code.size());
  EXPECT_EQ(found, alike ? Compared::Alike : Compared::Done);
  expect_same_choice(choice.greedy, expected.greedy);
}

TEST(SaplingCompare, FindsTheFirstOfTheBestCuts) {
  std::uint64_t seed = 0;
  for (const std::size_t rows : {2, 3, 5, 8, 16, 17, 31, 33, 64, 128})
    for (const std::size_t codes : {2, 3, 17, 33, 100, 256})
      for (const double min_leaf : {1.0, 2.5}) {
        for (const std::size_t classes : {2, 3, 7, 40})
          expect_compared_by_definition<false>(compared_case(++seed, rows, classes, codes), min_leaf);
        expect_compared_by_definition<true>(compared_case(++seed, rows, 2, codes), min_leaf);
      }
}

TEST(SaplingCompare, LeavesMissingValuesToOthers) {
  ComparedCase x = compared_case(1, 10, 3, 9);
  x.code[4] = 0;
  CodeColumn column;
  column.codes = x.codes, column.narrow = x.code.data();
  Choice choice;
  ComparedNode<false> node;
  EXPECT_EQ(node.scan(column, std::span<const ClassEntry>(x.entries), choice), Compared::Missing);
  EXPECT_FALSE(choice.greedy.any);
}

// What each cut has on its sides, and that the best is among the near ones.
void expect_judged(const ComparedCase& x, std::size_t classes, ClassCells& cells) {
  std::vector<std::int64_t> total(classes), left(classes);
  std::int64_t all = 0, squares = 0, sum = 0;
  for (const ClassEntry& e : x.entries) total[e.label] += e.count, all += e.count;
  for (const std::int64_t n : total) squares += n * n;
  cells.open(total, squares);
  const CodesJudged judged = cells.judge(x.codes, all, 1);
  EXPECT_TRUE(judged.differ);
  const CodeCuts& cuts = cells.judged();
  double most = 0;
  std::size_t best = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(x.codes); ++c) {
    for (const ClassEntry& e : x.entries)
      if (x.code[e.place] == c) left[e.label] += e.count, sum += e.count;
    std::int64_t own = 0, rest = 0;
    for (std::size_t k = 0; k < classes; ++k)
      own += left[k] * left[k], rest += (total[k] - left[k]) * (total[k] - left[k]);
    EXPECT_EQ(cuts.all[c], sum);
    EXPECT_EQ(cuts.left_squares[c], own);
    EXPECT_EQ(cuts.right_squares[c], rest);
    if (sum == 0 || sum == all) {
      EXPECT_LT(cuts.score[c], 0);
      continue;
    }
    const double score = static_cast<double>(own) / static_cast<double>(sum) +
                         static_cast<double>(rest) / static_cast<double>(all - sum);
    EXPECT_NEAR(cuts.score[c], score, score * 0x1p-20);
    if (score > most) most = score, best = c;
  }
  EXPECT_NEAR(judged.most, most, most * 0x1p-20);
  EXPECT_TRUE(cuts.near[best / 64] >> (best % 64) & 1);
}

// Alone and together with others, of which one is never asked for.
TEST(SaplingCompare, CodesAreJudgedByTheirCounts) {
  std::uint64_t seed = 0;
  for (const std::size_t classes : {3, 8, 9, 16, 26, 33, 70})
    for (const std::size_t codes : {3, 17, 256})
      for (const std::size_t together : {1, 2, 3, 4}) {
        std::vector<ComparedCase> of;
        std::vector<CodeColumn> columns;
        for (std::uint32_t k = 0; k < together; ++k) {  // the same rows, other codes
          of.push_back(compared_case(++seed, 301, classes, codes));
          of[k].entries = of[0].entries;
          columns.push_back({.index = k, .codes = of[k].codes});
        }
        std::vector<const CodeColumn*> asked;
        for (std::uint32_t k = 0; k < together; ++k)
          columns[k].narrow = of[k].code.data(), asked.push_back(&columns[k]);
        ClassCells cells(classes, static_cast<int>(codes));
        for (const int node : {0, 1}) {
          cells.forget_ahead();
          cells.count_ahead(of[0].entries, asked);
          for (std::size_t k = together; k-- > (node == 0 && together > 1 ? 1 : 0);) {
            cells.count(of[k].entries, columns[k]);
            expect_judged(of[k], classes, cells);
            cells.clear(columns[k].codes);
          }
        }
      }
}

}  // namespace
}  // namespace wald::sapling
