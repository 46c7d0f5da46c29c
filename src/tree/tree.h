// A tree as it is grown: still in terms of bins.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "wald/forest.h"

namespace wald {

struct TreeNode {
  std::uint32_t column = 0;
  std::uint32_t child = 0;    // first child
  std::uint32_t ref = 0;      // Threshold: the last bin that goes to child 0; Set: place in sets; EachLevel: children
  std::uint16_t missing = 0;  // the child that takes missing values, or kMissingEverywhere
  Test test = Test::Leaf;

  std::uint32_t ways() const { return test == Test::Leaf ? 0 : test == Test::EachLevel ? ref : 2; }
  bool operator==(const TreeNode&) const = default;
};

struct LeafTerm {
  std::uint32_t node = 0;
  Term term;
  bool operator==(const LeafTerm&) const = default;
};

struct Tree {
  int outputs = 1;                     // length of a leaf's vector
  std::uint32_t output = kAllOutputs;  // the one output of the forest it speaks for; then `outputs` is 1
  std::vector<TreeNode> nodes;
  std::vector<double> threshold;    // per node; the same test on raw values
  std::vector<double> values;       // `outputs` a node; inner nodes have them too, for pruning
  std::vector<double> cover;        // per node; empty: the forest shall not tell
  std::vector<double> gain;         // per node; empty: the forest shall not tell
  std::vector<std::uint64_t> sets;  // as in Forest
  std::vector<LeafTerm> terms;      // of linear leaves, ascending by node
  bool operator==(const Tree&) const = default;
};

// The child that a row of the binned table goes to from an inner node, and the leaf that it reaches.
std::uint32_t child_of(const Tree&, const Binned&, std::uint32_t node, Row);
std::uint32_t leaf_of(const Tree&, const Binned&, Row);

}  // namespace wald
