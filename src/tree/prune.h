// Pruning: which inner nodes of a grown tree become leaves. What differs between the rules is what a node costs as a
// leaf: its errors on the training rows plus a price a leaf (cost-complexity), on rows held out (reduced-error), or
// their upper bound (pessimistic).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace wald {

using Parents = std::vector<std::uint32_t>;  // of each node; the root is its own. Children come after their parent.
Parents parents_of(const Tree&);

// Minimal cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3): for every price alpha of a
// leaf there is one smallest tree of least risk + alpha * leaves, and these trees are nested.
struct PruneStep {
  double alpha = 0;  // from here on ...
  std::uint32_t leaves = 1;
  double risk = 0;  // ... the tree has this risk: the sum over its leaves
};
struct PrunePath {
  std::vector<double> collapse;  // per node: the alpha from which on the path of a row ends here at the latest
  std::vector<PruneStep> steps;  // alpha ascending, from 0 to that which leaves the root alone
  std::vector<bool> at(double alpha) const;
};
// risk: of each node if it were a leaf, times its weight.
PrunePath cost_complexity(const Parents&, std::span<const double> risk);

// The risk of each node relative to its leaves' when risk is weighted impurity: the gains of the splits below it.
std::vector<double> risk_of_gains(const Parents&, std::span<const double> gain);

// From the leaves up, a node becomes a leaf where that costs no more than the leaves below it would (closer than slack
// counts as no more).
std::vector<bool> cheaper_as_leaf(const Parents&, std::span<const double> cost, double slack = 0);

// Nodes whose leaves all have the same label.
std::vector<bool> agreeing(const Parents&, std::span<const std::int32_t> label);

// Lets the bins that no training row of a node had go where the node's threshold on raw values sends them, so that
// leaf_of() decides on other rows as the finished model will.
void fit_bins_to_thresholds(Tree&, const Binned&);

// The tree in which the marked nodes are leaves, numbered level by level; of models in nodes those in leaves stay.
Tree cut(const Tree&, const Binned&, const std::vector<bool>& leaf);

// What the rows that reach each node sum to; `width` numbers a node.
template <class C>
std::vector<std::int64_t> node_sums(const Tree& tree, const Binned& x, std::span<const Row> rows, const C& criterion) {
  const auto width = static_cast<std::size_t>(criterion.width());
  std::vector<std::int64_t> sums(tree.nodes.size() * width);
  for (const Row r : rows) criterion.add(criterion.part(r), sums.data() + leaf_of(tree, x, r) * width);
  const Parents parent = parents_of(tree);
  for (std::size_t n = tree.nodes.size(); n-- > 1;)
    for (std::size_t k = 0; k < width; ++k) sums[parent[n] * width + k] += sums[n * width + k];
  return sums;
}

// C4.5's pessimistic estimate (Quinlan 1993, chapter 4): how many errors more than those seen among its training rows a
// leaf must fear; the upper limit of a binomial confidence interval of one-sided level `confidence`, at most 0.5.
class Pessimist {
 public:
  explicit Pessimist(double confidence);
  double added(double weight, double errors) const;
  double estimate(double weight, double errors) const { return errors + added(weight, errors); }

 private:
  double log_confidence_, z_;
};

}  // namespace wald
