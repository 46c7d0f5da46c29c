// Surrogate splits (Breiman, Friedman, Olshen and Stone 1984, section 5.3): where a row misses the column by which a
// node is split, another column says which way the row would probably have gone. Of each column that split is taken
// which sends most rows the way the node's split sends them, counted over the rows that know both columns; it stands in
// if it does better than sending all of them the way of the majority, and sends at least two rows either way.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"
#include "tree/partition.h"
#include "tree/tree.h"

namespace wald {

// Where a node's split sends its rows.
struct Sides {
  std::span<const Row> rows;
  std::vector<std::int8_t> way;  // of each: child 0 or 1, or -1 if it misses the column
  std::vector<double> weight;    // of each
};

std::optional<StandIn> best_stand_in(const Binned&, std::uint32_t column, const Sides&);

// The best of all columns but the node's own: those of the largest agreement, among equals the first columns.
std::vector<StandIn> find_surrogates(const Binned&, std::uint32_t own, const Sides&, int most, Team);

// What came of a node divided by a split and its surrogates.
struct Placed {
  std::vector<StandIn> stand_ins;
  std::size_t left = 0;             // rows that went to child 0
  std::optional<double> gain = {};  // of the split for all rows, not only for those that know its column
};

// Finds the surrogates of a split and divides the rows by all of them. The split's sums, until now of the rows that
// know its column, become those of all rows on the left.
template <Criterion C>
Placed place_by_surrogates(const Binned& x, const C& criterion, Split& split, std::span<Row> rows, std::span<Row> spare,
                           int most, Team team) {
  Sides sides{.rows = rows, .way = std::vector<std::int8_t>(rows.size()), .weight = std::vector<double>(rows.size())};
  std::vector<std::int64_t> one(static_cast<std::size_t>(criterion.width()));
  find_ways(x, split, rows, sides.way);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::fill(one, 0);
    criterion.add(criterion.part(rows[i]), one.data());
    sides.weight[i] = criterion.weight(one);
  }
  Placed out{.stand_ins = find_surrogates(x, split.column, sides, most, team)};
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    const bool known = sides.way[i] >= 0;
    const bool left =
        known ? sides.way[i] == 0 : way_of_missing(out.stand_ins, x, row, split.missing_left ? 0 : 1) == 0;
    if (left && !known) criterion.add(criterion.part(row), split.left_sums.data());
    (left ? rows[out.left++] : spare[right++]) = row;
  }
  std::ranges::copy(spare.first(right), rows.begin() + static_cast<std::ptrdiff_t>(out.left));
  return out;
}

template <Criterion C>
double gain_of(const C& criterion, Sums total, Sums left) {
  std::vector<std::int64_t> right(total.begin(), total.end());
  for (std::size_t k = 0; k < right.size(); ++k) right[k] -= left[k];
  return score(criterion, left) + score(criterion, right) - score(criterion, total);
}

}  // namespace wald
