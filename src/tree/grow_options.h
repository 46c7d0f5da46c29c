// What can be asked of the grower.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wald/task.h"

namespace wald {

// Try both sides, follow the heavier child, or judge splits by known values only and let other columns stand in.
enum class MissingRule { Learn, Majority, Surrogates };
enum class Order { Depth, Level, Best };  // which open node is split next; matters only where max_leaves binds

struct GrowOptions {
  int max_depth = 0;            // 0 = no limit
  std::int64_t max_leaves = 0;  // 0 = no limit
  double min_split = 2;         // least weight of a node that is split
  double min_leaf = 1;          // least weight of a child (weights average 1, so this counts rows)
  double min_gain = 0;          // least gain, divided by the weight of all rows
  bool zero_gain = false;       // also take splits that gain nothing by themselves (XOR needs one)
  int columns_per_node = 0;     // columns drawn for each node out of those of its level; 0 = all
  int columns_per_level = 0;    // ... for each level out of those of the tree
  int columns_per_tree = 0;     // ... for the tree
  Order order = Order::Best;
  MissingRule missing = MissingRule::Learn;
  int surrogates = 5;      // most that a node keeps, for MissingRule::Surrogates
  std::uint32_t tree = 0;  // number of the tree, part of what the draws depend on

  // One a column: 1 = the prediction never falls as the column rises, -1 = never rises, 0 = free; empty = all free.
  // Only for criteria with a value a node (Newton).
  std::vector<std::int8_t> monotone = {};
  // Columns may meet on a path only if they are together in one of these groups; empty = all may.
  std::vector<std::vector<std::uint32_t>> together = {};
};

// --- what a criterion may ask besides
// ---------------------------------------------------------------------------------

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
  double sure = std::numeric_limits<double>::infinity();  // a level of k times as many rows counts there as 1 / k
};

// What can be asked of a sapling.
struct SaplingOptions : GrowOptions {
  bool random_cut = false;  // one cut a column, drawn between its least and its greatest value in the node
};

}  // namespace wald
