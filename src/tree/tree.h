// A tree as it is grown: still in terms of bins. An Assembler turns grown trees into the Forest that models keep.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/pool.h"
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

// Takes trees one after another, in their order, so that a grown tree need not be kept. Equal vectors of leaves are
// stored once, thresholds once a column.
class Assembler {
 public:
  Assembler(std::vector<double> base, std::size_t columns);
  void add(const Tree&);
  Forest finish() &&;

 private:
  Node node_of(const Tree&, std::size_t n, std::span<const LeafTerm>& terms);
  std::uint32_t vector_of(std::span<const double> values, std::span<const LeafTerm> terms);
  void sort_cuts();

  Forest out_;
  std::size_t width_ = 0;
  Pool values_;
  std::vector<Pool> cuts_;  // in the order of their appearance
  std::vector<std::uint64_t> first_{0}, sets_, term_first_{0};
  std::vector<Node> nodes_;
  std::vector<float> gain_;
  std::vector<std::uint32_t> output_;
  std::vector<Term> terms_;
};
Forest assemble(std::vector<double> base, std::size_t columns, const std::vector<Tree>& trees);

}  // namespace wald
