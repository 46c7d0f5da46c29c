// The plain walk of one row through the trees of a forest: what every faster way must equal, bit for bit.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/figures.h"
#include "wald/forest.h"

namespace wald {

struct Asked;

struct Reached {
  std::uint32_t node = 0;
  double share = 1;
};

// Looks into the forest, which must outlive it. A cell is what `cell(column)` says: a number, a level's code, or NaN.
class Walker {
 public:
  // What a thread needs while it walks.
  struct Room {
    std::vector<Reached> open, leaves;
    std::vector<double> sum, one;
  };

  explicit Walker(const Forest&);
  Walker(const Forest&, const Asked&);

  // One step down; the node itself where the row ends: at a leaf, or where a missing value follows every child.
  template <class Cell>
  std::uint32_t step(const Node* nodes, std::uint32_t k, const Cell& cell) const {
    const Node& node = nodes[k];
    if (node.is_leaf()) return k;
    const double x = cell(node.column());
    if (x != x) return absent(node, k, cell);
    if (node.test() == Test::Threshold) return node.child + !(x <= cuts_[node.column()][node.ref]);
    const auto level = static_cast<std::int32_t>(x);
    if (node.test() == Test::Set) return node.child + !forest_.set_has(node.ref, level);
    return node.child + static_cast<std::uint32_t>(level);
  }

  // The leaves below node `from` that the row reaches, from the first child to the last; their shares sum to 1.
  template <class Cell>
  void reach(std::size_t t, std::uint32_t from, const Cell& cell, Room& room) const {
    const TreeView tree = forest_.tree(t);
    room.leaves.clear();
    room.open.assign(1, {from, 1.0});
    while (!room.open.empty()) {
      Reached at = room.open.back();
      room.open.pop_back();
      for (std::uint32_t next; (next = step(tree.nodes.data(), at.node, cell)) != at.node;) at.node = next;
      const Node& node = tree.nodes[at.node];
      if (node.is_leaf()) room.leaves.push_back(at);
      else push_children(spread_[t], node, at.share, room.open);
    }
  }

  // What a leaf says: its values, then each of its terms in order.
  template <class Cell>
  void says(const Node& leaf, const Cell& cell, std::span<double> into) const {
    std::ranges::copy(forest_.values_of(leaf), into.begin());
    for (const Term& term : forest_.terms_of(leaf)) into[term.output] += term.at(cell(term.column));
  }

  // score[o * step] += what tree t says of the row from node `from` on, for each output o it speaks for. Where the row
  // reaches several leaves, their shares are summed first.
  template <class Cell>
  void add(std::size_t t, std::uint32_t from, const Cell& cell, double* score, std::size_t stride, Room& room) const {
    if (!forest_.output.empty()) score += forest_.output[t] * stride;
    reach(t, from, cell, room);
    const Node* nodes = forest_.tree(t).nodes.data();
    const bool whole = room.leaves.size() == 1 && room.leaves[0].share == 1;
    room.sum.assign(forest_.width(), 0.0), room.one.resize(forest_.width());
    for (const Reached& leaf : room.leaves) {
      says(nodes[leaf.node], cell, whole ? room.sum : room.one);
      for (std::size_t o = 0; o < room.sum.size() && !whole; ++o) room.sum[o] += leaf.share * room.one[o];
    }
    for (std::size_t o = 0; o < room.sum.size(); ++o) score[o * stride] += room.sum[o];
  }

 private:
  template <class Cell>
  std::uint32_t absent(const Node& node, std::uint32_t k, const Cell& cell) const {
    if (node.missing() == kMissingEverywhere) return k;
    return node.child + (node.missing() == kMissingAsks ? forest_.surrogate_child(node, cell) : node.missing());
  }
  static void push_children(std::span<const double> cover, const Node&, double share, std::vector<Reached>& open);

  const Forest& forest_;
  std::vector<const double*> cuts_;
  std::vector<std::vector<double>> spread_;  // per tree: the covers of its nodes, where missing values need them
};

}  // namespace wald
