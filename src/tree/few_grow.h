// The loop of saplings as a grower of subtrees of few rows, for few*.cpp to instantiate.
#pragma once
#include <algorithm>
#include <limits>
#include <utility>

#include "tree/few.h"
#include "tree/partition.h"
#include "tree/sapling_grow.h"

namespace wald::growing {

static_assert(kFewRows <= sapling::Block::kRows);

class TreeSink {
 public:
  explicit TreeSink(const Binned& x) : x_(&x) {}
  void into(Grown& grown, std::size_t first) {
    grown_ = &grown, first_ = first;
    if (grown.tree.nodes.size() == 1) reserve(grown, 64);
  }

  template <class Scan>
  void visit(std::uint32_t node, const Scan& scan, std::size_t first, std::size_t last) {
    Tree& tree = grown_->tree;
    const auto outputs = static_cast<std::size_t>(tree.outputs);
    tree.cover[node] = scan.weight();
    scan.leaf(std::span(tree.values).subspan(node * outputs, outputs));
    grown_->range[node] = {first_ + first, first_ + last};
  }
  template <class Scan>
  void leaf(std::uint32_t, const Scan&) {}

  std::uint32_t split(std::uint32_t node, Split& split, int, std::uint32_t set_at, double gain_unit) {
    Tree& tree = grown_->tree;
    const std::size_t child = tree.nodes.size();
    settle(*x_, split);
    TreeNode& made = tree.nodes[node];
    made.column = split.column;
    made.child = static_cast<std::uint32_t>(child);
    made.missing = split.missing_left ? 0 : 1;
    made.test = split.set ? Test::Set : Test::Threshold;
    made.ref = split.set ? set_at : split.bin;
    tree.gain[node] = std::clamp(split.gain * gain_unit, 0.0, std::numeric_limits<double>::max());
    if (!split.set) tree.threshold[node] = split.threshold;
    tree.nodes.resize(child + 2), tree.threshold.resize(child + 2), tree.gain.resize(child + 2);
    tree.cover.resize(child + 2), grown_->range.resize(child + 2);
    tree.values.resize((child + 2) * static_cast<std::size_t>(tree.outputs));
    return static_cast<std::uint32_t>(child);
  }
  std::vector<std::uint64_t>& sets() { return grown_->tree.sets; }

 private:
  static void reserve(Grown& grown, std::size_t nodes) {
    Tree& tree = grown.tree;
    tree.nodes.reserve(nodes), tree.threshold.reserve(nodes), tree.gain.reserve(nodes), tree.cover.reserve(nodes);
    tree.values.reserve(nodes * static_cast<std::size_t>(tree.outputs)), grown.range.reserve(nodes);
  }

  const Binned* x_;
  Grown* grown_ = nullptr;
  std::size_t first_ = 0;
};

inline bool suits(const GrowOptions& how) {
  return how.max_leaves <= 0 && how.columns_per_node <= 0 && how.columns_per_level <= 0 && how.columns_per_tree <= 0 &&
         how.missing != MissingRule::Surrogates && how.monotone.empty() && how.together.empty();
}

inline SaplingOptions options_of(const GrowOptions& how) {
  SaplingOptions out;
  static_cast<GrowOptions&>(out) = how;
  return out;
}

template <class Scan>
class FewOf : public Few {
 public:
  FewOf(const Binned& x, Scan scan, const GrowOptions& how, double all)
      : grower_(x, std::move(scan), TreeSink(x), options_of(how), 0, all) {}
  void grow(const FewNode& at, std::span<Row> rows) override {
    grower_.sink().into(at.into, at.first);
    grower_.grow(at.node, at.depth, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = grower_.row(i);
  }
  template <class C>
  void begin(const C& criterion, const GrowOptions& how, double all) {
    grower_.scan().begin(criterion);
    grower_.begin(options_of(how), all);
  }

 private:
  sapling::Grower<Scan, TreeSink> grower_;
};

}  // namespace wald::growing
