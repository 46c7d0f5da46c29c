// The plain walk of one row through the trees of a forest: what every faster way must equal, bit for bit.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/figures.h"
#include "wald/forest.h"

namespace wald {

struct Reached {
  std::uint32_t node = 0;
  double share = 1;
};

// Looks into the forest, which must outlive it. A cell is what `cell(column)` says: a number, a level's code, or NaN.
class Walker {
 public:
  explicit Walker(const Forest& forest);

  // One step down; the node itself where the row ends: at a leaf, or where a missing value follows every child.
  template <class Cell>
  std::uint32_t step(const Node* nodes, std::uint32_t k, const Cell& cell) const {
    const Node& node = nodes[k];
    if (node.is_leaf()) return k;
    const double x = cell(node.column());
    if (x != x) return node.missing() == kMissingEverywhere ? k : node.child + node.missing();
    if (node.test() == Test::Threshold) return node.child + !(x <= cuts_[node.column()][node.ref]);
    const auto level = static_cast<std::int32_t>(x);
    if (node.test() == Test::Set) return node.child + !forest_.set_has(node.ref, level);
    return node.child + static_cast<std::uint32_t>(level);
  }

  // The leaves below node `from` that the row reaches, from the first child to the last; their shares sum to 1.
  template <class Cell>
  void reach(std::size_t t, std::uint32_t from, const Cell& cell, std::vector<Reached>& leaves) {
    const TreeView tree = forest_.tree(t);
    leaves.clear();
    open_.assign(1, {from, 1.0});
    while (!open_.empty()) {
      Reached at = open_.back();
      open_.pop_back();
      for (std::uint32_t next; (next = step(tree.nodes.data(), at.node, cell)) != at.node;) at.node = next;
      const Node& node = tree.nodes[at.node];
      if (node.is_leaf()) leaves.push_back(at);
      else push_children(spread_[t], node, at.share);
    }
  }

  // What a leaf says: its values, then each of its terms in order.
  template <class Cell>
  void says(const Node& leaf, const Cell& cell, std::span<double> into) const {
    std::ranges::copy(forest_.values_of(leaf), into.begin());
    for (const Term& term : forest_.terms_of(leaf)) into[term.output] += term.at(cell(term.column));
  }

  // score[o] += what tree t says of the row, from node `from` on. Where the row reaches several leaves, their shares
  // are summed first.
  template <class Cell>
  void add(std::size_t t, std::uint32_t from, const Cell& cell, double* score) {
    if (!forest_.output.empty()) score += forest_.output[t];
    reach(t, from, cell, leaves_);
    const Node* nodes = forest_.tree(t).nodes.data();
    const bool whole = leaves_.size() == 1 && leaves_[0].share == 1;
    std::ranges::fill(sum_, 0.0);
    for (const Reached& leaf : leaves_) {
      says(nodes[leaf.node], cell, whole ? sum_ : one_);
      if (whole) break;
      for (std::size_t o = 0; o < sum_.size(); ++o) sum_[o] += leaf.share * one_[o];
    }
    for (std::size_t o = 0; o < sum_.size(); ++o) score[o] += sum_[o];
  }

 private:
  void push_children(std::span<const double> cover, const Node& node, double share);

  const Forest& forest_;
  std::vector<const double*> cuts_;
  std::vector<std::vector<double>> spread_;  // per tree: the covers of its nodes, where missing values need them
  std::vector<Reached> open_, leaves_;
  std::vector<double> sum_, one_;
};

}  // namespace wald
