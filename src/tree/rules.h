// Rules that a criterion may ask the grower to keep, beside those of GrowOptions.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "wald/task.h"

namespace wald {

// How many rows a leaf must have, for criteria whose sums do not count them. Weighted rows count by their weight.
struct LeastRows {
  double rows = 0;                       // up to 1 there is nothing to check: no side is empty
  std::span<const std::int64_t> weight;  // in units of 2^-30; empty = all 1

  bool any() const { return rows > 1 || (rows > 0 && !weight.empty()); }
  std::int64_t of(Row r) const { return weight.empty() ? 1 : weight[r]; }
  std::int64_t of(std::span<const Row> some) const {
    std::int64_t all = 0;
    for (const Row r : some) all += of(r);
    return all;
  }
  std::int64_t needed() const {
    const double units = std::ceil(rows * (weight.empty() ? 1 : 0x1p30));
    return units < 0x1p62 ? static_cast<std::int64_t>(units) : std::int64_t{1} << 62;
  }
};

// How the levels of a category are divided by a criterion that lets it matter. Rows are counted by their share of the
// node's second derivatives.
struct LevelRules {
  int one_against_rest = 0;  // so many levels in a node or fewer are cut off one at a time
  double min_rows = 0;       // levels of fewer rows in the node stay together
  double smoothing = 0;      // rows of the node's mean added to each level before they are sorted
  double l2 = 0;             // added to l2 where a set is judged
  int most = 0;              // levels on the smaller side of a set; 0 = no limit
};

}  // namespace wald
