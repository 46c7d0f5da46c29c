// Every tree learner ends as a Forest: flat arrays without pointers, which a model file holds as they are.
#pragma once
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
  EachLevel,  // a category: level k goes to child k; ref = number of children
};

// Sixteen bytes, the same in memory and in the file. Children are consecutive and come after their parent.
struct Node {
  std::uint32_t column = 0;
  std::uint32_t child = 0;    // first child, counted from the tree's own first node
  std::uint32_t ref = 0;      // see Test
  std::uint16_t missing = 0;  // the child that takes missing values and levels unseen in training
  Test test = Test::Leaf;
  std::uint8_t reserved = 0;  // must be 0

  std::uint32_t ways() const { return test == Test::Leaf ? 0 : test == Test::EachLevel ? ref : 2; }
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 16);

// Missing values follow every child, weighted by its cover (C4.5).
inline constexpr std::uint16_t kMissingEverywhere = 0xFFFF;

struct TreeView {
  std::span<const Node> nodes;
  std::span<const double> values;  // `outputs` a node, inner nodes too
  std::span<const double> cover;   // training weight that reached the node; empty in private models
  std::span<const double> gain;    // of the split; 0 in leaves; empty in private models
};

struct Forest {
  int outputs = 1;
  std::vector<double> base;               // one per output, added to the sum of the trees
  std::vector<std::vector<double>> cuts;  // per column: the thresholds its splits use, ascending
  Array<std::uint64_t> first;             // tree t owns nodes first[t] .. first[t + 1] - 1
  Array<Node> nodes;
  Array<double> values;
  Array<double> cover;
  Array<double> gain;
  Array<std::uint64_t> sets;  // bit sets of levels; a set at ref has (levels + 63) / 64 words

  std::size_t trees() const { return first.empty() ? 0 : first.size() - 1; }
  TreeView tree(std::size_t t) const;
  bool set_has(std::uint32_t ref, std::int32_t level) const { return sets[ref + level / 64] >> (level % 64) & 1; }
  bool operator==(const Forest&) const = default;
};

}  // namespace wald
