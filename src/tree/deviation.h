// Mean absolute deviation from the median as an impurity (Breiman, Friedman, Olshen and Stone 1984, section 8.11).
// Medians do not add up, so a node keeps no sums per bin: each column walks the node's rows in its own order and
// keeps the running median of either side in a Fenwick tree over the ranks of the targets. Exact, n log n a column.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/choose.h"
#include "tree/criterion.h"
#include "tree/grow_options.h"

namespace wald {

// The rows of one node, made once and read by all columns.
struct RankedRows {
  std::span<const Row> rows;
  std::vector<std::uint32_t> rank;   // of each row's target among them
  std::vector<std::int64_t> value;   // by rank: on the grid of FixedTarget
  std::vector<std::int64_t> weight;  // by rank
  double deviation = 0;              // of all rows, in grid units
};

struct Deviation {
  using Part = std::int64_t;  // weight
  std::span<const double> target;
  std::span<const std::int64_t> row_weight;  // empty = all 1
  const FixedTarget* fixed = nullptr;        // made without weights

  double unit() const { return row_weight.empty() ? 1.0 : 0x1p-30; }
  static int width() { return 1; }
  static int outputs() { return 1; }
  Part part(Row r) const { return row_weight.empty() ? 1 : row_weight[r]; }
  static void add(Part p, std::int64_t* into) { *into += p; }
  bool same(Row a, Row b) const { return target[a] == target[b]; }
  double weight(Sums s) const { return static_cast<double>(s[0]) * unit(); }
  static double score(Sums, double) { return 0; }                // sums cannot tell: see scan()
  static void leaf(Sums, std::span<double> out) { out[0] = 0; }  // refit_quantile() fills the leaves
  void pure(Row r, std::span<double> out) const { out[0] = target[r]; }
  double gain_unit() const { return times_power(1.0, fixed->shift); }
  static int orders() { return 1; }
  static double order(Sums, int) { return 0; }

  RankedRows ranked(std::span<const Row> rows) const;
  double score(const RankedRows& node) const { return -node.deviation * grid(); }
  // Offers every split of the column. Levels are ordered by their median: for absolute deviations that may miss the
  // best subset.
  void scan(const RankedRows&, const BinnedColumn&, std::uint32_t column, MissingRule, Greedy&) const;

 private:
  double grid() const { return times_power(unit(), -fixed->bits); }
};

static_assert(Criterion<Deviation>);

}  // namespace wald
