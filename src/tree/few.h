// Subtrees of few rows. Nearly all nodes of a tree that is grown to its end lie in these, and what they cost besides
// their rows is what the tree costs: they are grown by the loop of saplings, which asks for no memory and reads codes
// that lie together. Same rules, same tree.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tree/grow_options.h"
#include "tree/tree.h"

namespace wald {
struct Gini;
struct Newton;
struct Variance;
}  // namespace wald

namespace wald::growing {

// Trees on the way. What is known of a node lies together, and children side by side: it is written once and read
// once, out of order, when the nodes are numbered.
struct Grown {
  struct Node {
    TreeNode node;
    double threshold = 0, gain = 0, cover = 0;
    Row first = 0, last = 0;  // of its rows
  };
  int outputs = 1;
  std::vector<Node> nodes;
  std::vector<double> values;  // `outputs` a node
  std::vector<std::uint64_t> sets;
  std::vector<std::vector<StandIn>> surrogates;  // a node's; empty: no node has any

  std::span<double> values_of(std::size_t node) {
    return std::span(values).subspan(node * static_cast<std::size_t>(outputs), static_cast<std::size_t>(outputs));
  }
  std::uint32_t add(std::size_t count) {  // leaves; gives the first
    const std::size_t first = nodes.size();
    nodes.resize(first + count), values.resize(values.size() + count * static_cast<std::size_t>(outputs));
    return static_cast<std::uint32_t>(first);
  }
  // Room for the tree that so many rows can make, unless that is much: growing means copying to fresh memory.
  void reserve(std::size_t rows) {
    const std::size_t most = std::min<std::size_t>(2 * rows, 1u << 14);
    nodes.reserve(most), values.reserve(most * static_cast<std::size_t>(outputs));
  }
};

// Grows what lies below a node of `into` from its rows, which begin at `first` of the tree's; puts them in the order of
// the leaves.
struct FewNode {
  Grown& into;
  std::uint32_t node = 0;
  int depth = 0;
  std::size_t first = 0;
};
class Few {
 public:
  virtual ~Few() = default;
  virtual void grow(const FewNode&, std::span<Row> rows) = 0;
  bool grows(std::size_t rows, int depth) const { return rows <= most && depth <= deepest; }
  std::size_t most = 0;
  int deepest = std::numeric_limits<int>::max();
};

// None where the criterion or the options ask for what saplings do not do. Takes over what the tree before it, of the
// same table, has left.
std::unique_ptr<Few> few_grower(const Binned&, const Gini&, const GrowOptions&, double all, std::unique_ptr<Few>);
std::unique_ptr<Few> few_grower(const Binned&, const Variance&, const GrowOptions&, double all, std::unique_ptr<Few>);
std::unique_ptr<Few> few_grower(const Binned&, const Newton&, const GrowOptions&, double all, std::unique_ptr<Few>);
template <class C>
std::unique_ptr<Few> few_grower(const Binned&, const C&, const GrowOptions&, double, std::unique_ptr<Few>) {
  return nullptr;
}

}  // namespace wald::growing
