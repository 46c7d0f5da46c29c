// Every tree learner ends as a Forest: flat arrays without pointers, which a model file holds as they are.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wald/array.h"

namespace wald {

enum class Test : std::uint8_t {
  Leaf,
  Threshold,  // a number: value <= cuts[column][ref] goes to child 0, else to child 1
  Set,        // a category: a level in the set at ref goes to child 0, else to child 1
  EachLevel,  // a category: level k goes to child k
};

// Missing values follow every child, weighted by its cover (C4.5).
inline constexpr std::uint32_t kMissingEverywhere = 0xFFFF;
inline constexpr std::uint32_t kMostColumns = 1u << 28;

// Twelve bytes, the same in memory and in the file. Children are consecutive and come after their parent.
struct Node {
  std::uint32_t what = 0;   // bits 0-27 column; 28-29 Test; 30-31 the missing values of a binary test: child 0, 1, or 2
                            // for every child
  std::uint32_t child = 0;  // first child, counted from the tree's own first node; of a leaf: its cover, a float's bits
  std::uint32_t ref = 0;    // of a leaf: the number of its vector of values; of EachLevel: the number of children, and
                            // in the upper half the child of missing values; else see Test

  static Node leaf(std::uint32_t vector, float cover = 0) { return {0, std::bit_cast<std::uint32_t>(cover), vector}; }
  static Node binary(Test test, std::uint32_t column, std::uint32_t child, std::uint32_t ref, std::uint32_t missing) {
    return {column | static_cast<std::uint32_t>(test) << 28 | std::min(missing, 2u) << 30, child, ref};
  }
  static Node each_level(std::uint32_t column, std::uint32_t child, std::uint32_t levels, std::uint32_t missing) {
    return {column | static_cast<std::uint32_t>(Test::EachLevel) << 28, child, levels | missing << 16};
  }

  Test test() const { return static_cast<Test>(what >> 28 & 3); }
  bool is_leaf() const { return test() == Test::Leaf; }
  std::uint32_t column() const { return what & (kMostColumns - 1); }
  std::uint32_t ways() const { return is_leaf() ? 0 : test() == Test::EachLevel ? ref & 0xFFFF : 2; }
  // The child that takes missing values and levels unseen in training, or kMissingEverywhere.
  std::uint32_t missing() const {
    if (test() == Test::EachLevel) return ref >> 16;
    return what >> 30 < 2 ? what >> 30 : kMissingEverywhere;
  }
  float cover() const { return std::bit_cast<float>(child); }  // of a leaf
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 12);

// A leaf may be linear: it says value + the sum over its terms of slope * (clamp(x, low, high) - centre).
struct Term {
  std::uint32_t column = 0;
  std::uint32_t output = 0;  // which number of the leaf's vector it is added to
  double slope = 0, centre = 0, low = 0, high = 0;

  double at(double x) const { return x != x ? 0 : slope * (std::clamp(x, low, high) - centre); }  // missing adds 0
  bool operator==(const Term&) const = default;
};
static_assert(sizeof(Term) == 40);

inline constexpr std::uint32_t kAllOutputs = 0xFFFF'FFFF;

struct TreeView {
  std::span<const Node> nodes;
  std::uint32_t output = kAllOutputs;  // the one this tree's leaves are added to
};

struct Forest {
  int outputs = 1;
  std::vector<double> base;               // one per output, added to the sum of the trees
  std::vector<std::vector<double>> cuts;  // per column: the thresholds its splits use, ascending
  bool covered = false;                   // leaves know the training weight that reached them; not in private models
  Array<std::uint64_t> first;             // tree t owns nodes first[t] .. first[t + 1] - 1
  Array<Node> nodes;
  Array<double> values;             // vectors of leaves, width() numbers each
  Array<float> gain;                // of the splits, one an inner node in the order of nodes; empty in private models
  Array<std::uint64_t> sets;        // bit sets of levels; a set at ref has (levels + 63) / 64 words
  Array<std::uint32_t> output;      // the one output each tree speaks for; empty: every tree speaks for all
  Array<std::uint64_t> term_first;  // vector v owns terms term_first[v] .. term_first[v + 1] - 1; empty: no terms
  Array<Term> terms;

  std::size_t trees() const { return first.empty() ? 0 : first.size() - 1; }
  std::size_t width() const { return output.empty() ? static_cast<std::size_t>(outputs) : 1; }
  TreeView tree(std::size_t t) const {
    return {std::span<const Node>(nodes).subspan(first[t], first[t + 1] - first[t]),
            output.empty() ? kAllOutputs : output[t]};
  }
  std::span<const double> values_of(const Node& leaf) const {
    return std::span<const double>(values).subspan(leaf.ref * width(), width());
  }
  std::span<const Term> terms_of(const Node& leaf) const {
    if (term_first.empty()) return {};
    const std::uint64_t begin = term_first[leaf.ref];
    return std::span<const Term>(terms).subspan(begin, term_first[leaf.ref + std::size_t{1}] - begin);
  }
  bool set_has(std::uint32_t ref, std::int32_t level) const { return sets[ref + level / 64] >> (level % 64) & 1; }
  bool operator==(const Forest&) const = default;
};

}  // namespace wald
