// Models in the leaves (Quinlan 1992, "Learning with continuous classes", for numbers; Landwehr, Hall and Frank 2005,
// "Logistic model trees", for two classes): a ridge regression, linear or logistic, on the columns of numbers, each
// standardised by the node's own rows. Every node gets one, inner nodes too, so that pruning can weigh them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"
#include "wald/task.h"

namespace wald {

struct LeafModelOptions {
  bool logistic = false;     // two classes; the tree then has one output, the log-odds of the second
  double ridge = 1;          // added to each standardised column's sum of squares, which is the node's weight
  int most_terms = 20;       // columns a model may use: those of the largest correlation with the target
  bool extrapolate = false;  // else a column is clamped to its range among the node's rows
};

// Sums run over rows in ascending order, whatever the threads.
void fit_leaf_models(Tree&, const Binned&, const Task&, std::vector<Row> rows, const LeafModelOptions&);

// What a node's model says of a row of the task's table.
class NodeModels {
 public:
  NodeModels(const Tree&, const Table&);
  double at(std::uint32_t node, Row) const;

 private:
  const Tree& tree_;
  const Table& table_;
  std::vector<std::size_t> first_;  // of each node's terms
};

}  // namespace wald
