// A forest written down plainly, one entry a node, for tests; packed() makes it the Forest that models keep.
#pragma once
#include <vector>

#include "tree/pool.h"
#include "tree/tree.h"
#include "wald/forest.h"

namespace wald {

struct Parts {
  int outputs = 1;
  std::vector<double> base;
  std::vector<std::vector<double>> cuts;
  std::vector<std::uint64_t> first;
  std::vector<TreeNode> nodes;  // a Threshold's ref is the place in cuts
  std::vector<double> values;   // per node; those of inner nodes are not kept
  std::vector<double> cover;    // per node; those of inner nodes are not kept
  std::vector<double> gain;     // per node; those of leaves are not kept
  std::vector<std::uint64_t> sets;
  std::vector<std::uint32_t> output;
  std::vector<LeafTerm> terms;  // ascending by node, counted from the first of the forest
};

inline Node packed(const TreeNode& node) {
  if (node.test == Test::EachLevel) return Node::each_level(node.column, node.child, node.ref, node.missing);
  return Node::binary(node.test, node.column, node.child, node.ref, node.missing);
}

inline Forest packed(const Parts& parts) {
  Forest out{.outputs = parts.outputs, .base = parts.base, .cuts = parts.cuts, .covered = !parts.cover.empty()};
  const std::size_t width = parts.output.empty() ? static_cast<std::size_t>(parts.outputs) : 1;
  Pool pool(width);
  std::vector<Node> nodes;
  std::vector<float> gain;
  std::vector<Term> terms;
  std::vector<std::uint64_t> term_first{0};
  auto term = parts.terms.begin();
  for (std::size_t k = 0; k < parts.nodes.size(); ++k) {
    const TreeNode& node = parts.nodes[k];
    if (node.test != Test::Leaf) {
      nodes.push_back(packed(node));
      if (!parts.gain.empty()) gain.push_back(static_cast<float>(parts.gain[k]));
      continue;
    }
    const auto values = std::span(parts.values).subspan(k * width, width);
    const bool linear = term != parts.terms.end() && term->node == k;
    const std::uint32_t vector = linear ? pool.append(values) : pool.put(values);
    for (; term != parts.terms.end() && term->node == k; ++term) terms.push_back(term->term);
    if (term_first.size() <= pool.size()) term_first.push_back(terms.size());
    nodes.push_back(Node::leaf(vector, parts.cover.empty() ? 0 : static_cast<float>(parts.cover[k])));
  }
  out.first = parts.first, out.nodes = std::move(nodes), out.values = pool.take(), out.gain = std::move(gain);
  out.sets = parts.sets, out.output = parts.output;
  if (!terms.empty()) out.terms = std::move(terms), out.term_first = std::move(term_first);
  return out;
}

}  // namespace wald
