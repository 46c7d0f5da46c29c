// The one tree grower: divide and conquer over binned rows.
//
// A node's life: (1) it is opened with its rows and their sums; (2) the sums per bin of every column are counted, or
// got from its parent's and its sibling's by subtraction; (3) every split is offered to the chooser; (4) if one is
// taken and the stop rules allow it, the rows are divided in place and the children opened. Nodes of many rows are
// worked on by all threads, column by column; subtrees of few rows are grown whole by one thread each. No result
// depends on which: all sums are of whole numbers, and the finished nodes are numbered level by level.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"
#include "tree/grow_options.h"
#include "tree/tree.h"
#include "wald/run.h"

namespace wald {

// What growing needs besides the table. Kept from tree to tree of one fit, it spares small trees nearly all requests
// for memory.
struct GrowScratch;
struct GrowSpace {
  std::vector<Row> rows;     // before: who grows the tree; afterwards: the same, leaf by leaf ...
  std::vector<Range> range;  // ... and where each node's rows lie, ...
  bool wants_range = true;   // ... unless nobody asks
  std::vector<Row> spare;
  std::unique_ptr<GrowScratch> scratch;

  GrowSpace();
  ~GrowSpace();
};

template <Criterion C>
Tree grow(const Binned& x, GrowSpace&, const C& criterion, const GrowOptions&, const Run&);

// rows: who grows the tree, with repetition for bootstrap samples; each must have a positive weight. If run.stop
// is set while growing, what has been grown so far comes back.
template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions&, const Run&);

}  // namespace wald
