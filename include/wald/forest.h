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
// Missing values ask other columns in their place: Forest::surrogates_of (CART).
inline constexpr std::uint32_t kMissingAsks = 0x10000;
inline constexpr std::uint32_t kMostColumns = 1u << 28;

// Twelve bytes, the same in memory and in the file. Children are consecutive and come after their parent.
struct Node {
  std::uint32_t what = 0;  // bits 0-27 column; 28-29 Test; 30-31 the missing values of a binary test: child 0, 1, 2 for
                           // every child, or 3 for a child that surrogates find
  std::uint32_t child = 0;  // first child, counted from the tree's own first node; of a leaf: its cover, a float's bits
  std::uint32_t ref = 0;    // of a leaf: the number of its vector of values; of EachLevel: the number of children, and
                            // in the upper half the child of missing values; else see Test

  static Node leaf(std::uint32_t vector, float cover = 0) { return {0, std::bit_cast<std::uint32_t>(cover), vector}; }
  static Node binary(Test test, std::uint32_t column, std::uint32_t child, std::uint32_t ref, std::uint32_t missing) {
    return {
        column | static_cast<std::uint32_t>(test) << 28 | (missing == kMissingAsks ? 3u : std::min(missing, 2u)) << 30,
        child, ref};
  }
  static Node each_level(std::uint32_t column, std::uint32_t child, std::uint32_t levels, std::uint32_t missing) {
    return {column | static_cast<std::uint32_t>(Test::EachLevel) << 28, child, levels | missing << 16};
  }

  Test test() const { return static_cast<Test>(what >> 28 & 3); }
  bool is_leaf() const { return test() == Test::Leaf; }
  std::uint32_t column() const { return what & (kMostColumns - 1); }
  std::uint32_t ways() const { return is_leaf() ? 0 : test() == Test::EachLevel ? ref & 0xFFFF : 2; }
  // The child that takes missing values and levels unseen in training, or kMissingEverywhere, or kMissingAsks.
  std::uint32_t missing() const {
    if (test() == Test::EachLevel) return ref >> 16;
    return what >> 30 < 2 ? what >> 30 : what >> 30 == 2 ? kMissingEverywhere : kMissingAsks;
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

// A split that stands in for another where that one's column is missing (Breiman and others 1984, section 5.3). The
// ones of a node are asked in turn; the first whose own column is known decides, or else the last, which asks nothing.
struct Surrogate {
  std::uint32_t what = 0;  // as Node::what; bit 30: what the test sends to child 0 goes to child 1 and back
  float agreement = 0;     // share of the training rows that know both columns and that both send the same way
  std::uint32_t ref = 0;   // as Node::ref; of the last one: the child

  static Surrogate asks(Test test, std::uint32_t column, std::uint32_t ref, bool turned, float agreement) {
    return {column | static_cast<std::uint32_t>(test) << 28 | static_cast<std::uint32_t>(turned) << 30, agreement, ref};
  }
  static Surrogate last(std::uint32_t child) { return {0, 0, child}; }
  Test test() const { return static_cast<Test>(what >> 28 & 3); }
  bool is_last() const { return test() == Test::Leaf; }
  std::uint32_t column() const { return what & (kMostColumns - 1); }
  bool turned() const { return what >> 30 & 1; }
  bool operator==(const Surrogate&) const = default;
};
static_assert(sizeof(Surrogate) == 12);

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
  Array<std::uint64_t> surrogate_first;  // node n (of all) owns surrogate_first[n] .. [n + 1] - 1; empty: none has any
  Array<Surrogate> surrogates;

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
  std::span<const Surrogate> surrogates_of(const Node& node) const {  // one of `nodes`
    if (surrogate_first.empty()) return {};
    const auto n = static_cast<std::size_t>(&node - nodes.data());
    return std::span<const Surrogate>(surrogates)
        .subspan(surrogate_first[n], surrogate_first[n + 1] - surrogate_first[n]);
  }
  // The child that a row goes to from a node whose column it misses, by surrogates. `cell(column)`: a number, a level's
  // code, or NaN.
  template <class Cell>
  std::uint32_t surrogate_child(const Node& node, const Cell& cell) const {
    for (const Surrogate& s : surrogates_of(node)) {
      if (s.is_last()) return s.ref;
      const double x = cell(s.column());
      if (x != x) continue;
      const bool holds =
          s.test() == Test::Threshold ? x <= cuts[s.column()][s.ref] : set_has(s.ref, static_cast<std::int32_t>(x));
      return holds == s.turned();
    }
    return 0;
  }
  bool set_has(std::uint32_t ref, std::int32_t level) const { return sets[ref + level / 64] >> (level % 64) & 1; }
  bool operator==(const Forest&) const = default;
};

}  // namespace wald
