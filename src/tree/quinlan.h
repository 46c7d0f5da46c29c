// Quinlan's trees: ID3 (1986) and C4.5 (1993). They differ from what grow() makes in three ways that go to its root, so
// they have a loop of their own (docs/decisions/0011): a category opens one branch a level; a row whose value is
// missing goes down every branch with a fraction of its weight, so nodes do not divide the rows; and a column is chosen
// by comparing the columns' best splits with each other, not split against split.
//
// Weights are whole multiples of 2^-30, fractions too, so that sums do not depend on the order of rows or threads.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/tree.h"
#include "wald/run.h"

namespace wald {

struct QuinlanOptions {
  bool ratio = true;       // gain ratio among the columns of at least average gain; else the largest gain
  bool zero_gain = false;  // with gain: split also where no column gains anything
  double min_branch = 2;   // at least two branches must have this weight
  double max_p = 1;        // largest p-value of the chi-square test of a split
  int max_depth = 0;       // 0 = no limit
  bool collapse = true;    // make leaves of subtrees that make no fewer training errors
  bool prune = true;       // pessimistically
  double confidence = 0.25;
  bool raise = true;  // put a node's largest branch in its place where that is estimated better
  double smoothing = 0;
};

struct QuinlanTask {
  const Binned& x;
  std::span<const std::int32_t> label;
  std::span<const std::int64_t> weight;  // empty = all 1
  int classes = 2;
};

inline constexpr int kDeepestQuinlan = 5000;  // deeper nodes are leaves

// Missing values follow every branch (kMissingEverywhere); an empty branch predicts what its parent does.
Tree grow_quinlan(const QuinlanTask&, const std::vector<Row>& rows, const QuinlanOptions&, const Run&);

}  // namespace wald
