// The one tree grower: divide and conquer over binned rows.
//
// A node's life: (1) it is opened with its rows and their sums; (2) the sums per bin of every column are counted, or
// got from its parent's and its sibling's by subtraction; (3) every split is offered to the chooser; (4) if one is
// taken and the stop rules allow it, the rows are divided in place and the children opened. Nodes of many rows are
// worked on by all threads, column by column; subtrees of few rows are grown whole by one thread each. No result
// depends on which: all sums are of whole numbers, and the finished nodes are numbered level by level.
#pragma once
#include <cstdint>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"
#include "tree/histogram.h"
#include "tree/scan.h"
#include "tree/tree.h"
#include "wald/run.h"

namespace wald {

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
  std::uint32_t tree = 0;  // number of the tree, part of what the draws depend on

  // One a column: 1 = the prediction never falls as the column rises, -1 = never rises, 0 = free; empty = all free.
  // Only for criteria with a value a node (Newton).
  std::vector<std::int8_t> monotone = {};
  // Columns may meet on a path only if they are together in one of these groups; empty = all may.
  std::vector<std::vector<std::uint32_t>> together = {};
};

struct Range {  // of rows
  std::size_t first = 0, last = 0;
};

// What growing needs besides the table. Kept from tree to tree of one fit, it spares small trees nearly all requests
// for memory.
struct GrowSpace {
  std::vector<Row> rows;     // before: who grows the tree; afterwards: the same, leaf by leaf ...
  std::vector<Range> range;  // ... and where each node's rows lie
  std::vector<Row> spare;
  std::vector<Scratch> scratch;  // one a thread
  Histograms histograms;
};

template <Criterion C>
Tree grow(const Binned& x, GrowSpace&, const C& criterion, const GrowOptions&, const Run&);

// rows: who grows the tree, with repetition for bootstrap samples; each must have a positive weight. If run.stop
// is set while growing, what has been grown so far comes back.
template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions&, const Run&);

}  // namespace wald
