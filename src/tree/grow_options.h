// What can be asked of the grower.
#pragma once
#include <cstdint>
#include <vector>

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

}  // namespace wald
