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

// A split that stands in for a node's where the node's column is missing.
struct StandIn {
  std::uint32_t column = 0;
  std::uint32_t bin = 0;  // of numbers: the last that goes to child 0, or with `turned` to child 1
  bool turned = false;
  double threshold = 0;            // the same on raw values
  std::vector<std::uint64_t> set;  // of categories: the levels that go to child 0; empty for numbers
  double agreement = 0;            // with the node's split, share of the rows that know both columns

  std::uint32_t child(int code) const {  // of a known value
    if (set.empty()) return (static_cast<std::uint32_t>(code) > bin) != turned;
    return !(set[static_cast<std::size_t>(code - 1) / 64] >> ((code - 1) % 64) & 1);
  }
  bool operator==(const StandIn&) const = default;
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
  // Per node, the best first; empty: no node has any. Rows that none can place go to the node's child `missing`.
  std::vector<std::vector<StandIn>> surrogates;
  bool operator==(const Tree&) const = default;
};

struct Range {  // of rows
  std::size_t first = 0, last = 0;
};

// Which child, counted from 0, a row of the binned table goes to from an inner node; the child; the leaf it reaches.
std::uint32_t way_of_missing(std::span<const StandIn>, const Binned&, Row, std::uint32_t otherwise);
std::uint32_t way_of(const Tree&, const Binned&, std::uint32_t node, Row);
std::uint32_t child_of(const Tree&, const Binned&, std::uint32_t node, Row);
std::uint32_t leaf_of(const Tree&, const Binned&, Row);

}  // namespace wald
