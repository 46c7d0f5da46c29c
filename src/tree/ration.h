// Least rows of a leaf, for a criterion whose sums do not count rows (Newton). Counting them in every histogram would
// slow the hot loop for an option that is seldom used. So splits are chosen without; only the favourite is checked, and
// counted only where its second derivatives do not prove that it has enough; a column whose favourite has too few rows
// is looked at again with the rows counted.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/grow_options.h"
#include "tree/histogram.h"
#include "tree/partition.h"
#include "tree/scan.h"
#include "tree/scan_levels.h"

namespace wald {

template <class C>
concept RationsRows = requires(const C& c) {
  { c.least } -> std::convertible_to<LeastRows>;
  { c.proven_rows(Sums{}) } -> std::same_as<double>;  // at least so many rows have these sums
};

// The criterion with the rows of a node as one more sum; a side of too few is worth nothing.
template <class C>
struct Rationed : C {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  int width() const { return C::width() + 1; }
  double score(Sums s, double weight) const {
    if (s.back() < C::least.needed()) return kNone;
    return C::score(s.first(s.size() - 1), weight);
  }
};

// Whether both sides of a split have rows enough. `all`: of the node, as LeastRows counts.
template <RationsRows C>
bool enough_rows(const Binned& x, const Split& split, std::span<const Row> rows, Sums total, std::int64_t all,
                 const C& criterion) {
  std::vector<std::int64_t> right(total.begin(), total.end());
  for (std::size_t k = 0; k < right.size(); ++k) right[k] -= split.left_sums[k];
  const double wanted = criterion.least.rows;
  if (criterion.proven_rows(split.left_sums) >= wanted && criterion.proven_rows(right) >= wanted) return true;
  const std::int64_t left = weight_left(x, split, rows, criterion.least.weight), needed = criterion.least.needed();
  return left >= needed && all - left >= needed;
}

// Offers the splits of one column whose sides have rows enough.
template <RationsRows C>
void scan_rationed(const Binned& x, std::span<const Row> rows, std::int64_t all, const ColumnSums& node,
                   const C& criterion, double parent, Greedy& choose) {
  const Rationed<C> judge{criterion};
  const auto width = static_cast<std::size_t>(judge.width());
  const BinnedColumn& column = x.columns[node.column];
  std::vector<std::int64_t> sums(static_cast<std::size_t>(column.codes) * width), left, right;
  std::vector<std::int64_t> total(node.total.begin(), node.total.end());
  total.push_back(all);
  with_codes(x, node.column, [&](auto code) {
    for (const Row r : rows) {
      std::int64_t* into = sums.data() + code[r] * width;
      criterion.add(criterion.part(r), into);
      into[width - 1] += criterion.least.of(r);
    }
  });
  std::vector<std::uint16_t> codes;
  occupied(sums.data(), column.codes, static_cast<int>(width), codes);
  ColumnSums counted = node;
  counted.codes = codes, counted.sums = sums.data(), counted.total = total;
  if (codes.size() <= 1) return;
  if (column.type == ColumnType::Number) scan_numbers<0>(counted, judge, parent, choose, left, right);
  else if constexpr (RulesLevels<C>) LevelScan<Rationed<C>, Greedy>(counted, judge, parent, choose, left, right).scan();
  else scan_categories<0>(counted, judge, parent, choose, left, right);
  if (choose.any) choose.chosen.left_sums.pop_back();
}

inline Greedy* first_choice(std::span<Greedy> found) {
  Greedy* top = nullptr;
  for (Greedy& f : found)
    if (f.any && (top == nullptr || top->better(f.chosen.gain, f.chosen.noise))) top = &f;
  return top;
}

// Gives `best` the best split that has rows enough of those found in the columns drawn.
template <RationsRows C>
void merge_rationed(const Binned& x, std::span<const Row> rows, Sums total, const C& criterion, const GrowOptions& how,
                    double parent, std::span<const std::uint32_t> drawn, std::span<Greedy> found, Greedy& best) {
  const std::int64_t all = criterion.least.of(rows);
  std::vector<bool> counted(drawn.size());
  while (Greedy* top = first_choice(found.first(drawn.size()))) {
    const auto i = static_cast<std::size_t>(top - found.data());
    if (counted[i] || enough_rows(x, settled(x, top->chosen), rows, total, all, criterion)) return best.merge(*top);
    counted[i] = true, top->any = false;
    const ColumnSums node{.column = drawn[i],
                          .total = total,
                          .rows = rows.size(),
                          .rule = how.missing,
                          .direction = how.monotone.empty() ? 0 : how.monotone[drawn[i]]};
    scan_rationed(x, rows, all, node, criterion, parent, *top);
  }
}

}  // namespace wald
