// Many rows down one deep tree, several at a time: see model/deep.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "wald/forest.h"

namespace wald {

struct DeepStep {
  std::uint32_t child;        // the first one and the flags below; of a leaf: the number of its vector of values
  std::uint16_t column, ref;  // of a threshold its number, of a set its first word among the tree's

  static constexpr std::uint32_t kLeftLeaf = 1u << 28;  // its double: that the right child is a leaf
  static constexpr std::uint32_t kMissingRight = 1u << 30, kSet = 1u << 31, kChild = kLeftLeaf - 1;
};
static_assert(sizeof(DeepStep) == 8);

// Of a node of two ways among its tree's; child: where its first one lies among the steps.
inline DeepStep deep_step(std::span<const Node> nodes, const Node& node, std::size_t child, std::size_t column,
                          std::size_t ref) {
  DeepStep step{static_cast<std::uint32_t>(child), static_cast<std::uint16_t>(column), static_cast<std::uint16_t>(ref)};
  for (std::uint32_t way = 0; way < 2; ++way)
    if (nodes[node.child + way].is_leaf()) step.child |= DeepStep::kLeftLeaf << way;
  if (node.missing() == 1) step.child |= DeepStep::kMissingRight;
  if (node.test() == Test::Set) step.child |= DeepStep::kSet;
  return step;
}

struct DeepTree {
  const DeepStep* steps;
  const std::uint64_t* sets;  // of the tree's tests; null: it has none
};

// Code: two bytes, all of whose bits are set where a cell is missing; or one, which counts from 1, 0 being missing.
template <class Code>
struct DeepRows {
  const Code* code;             // row x column
  std::uint32_t columns;        // from one row to the next
  std::uint32_t *row, *at;      // rows on their way and the nodes where they are: to begin with all of them, at 0
  std::uint32_t *ended, *leaf;  // out: rows in the order in which they came to a leaf, and that
};
constexpr std::size_t kDeepPadding = 64;  // entries behind the last, four bytes of code, which may be read or written

// The root must not be a leaf. No code lies 2^31 bytes from the first.
void walk_down(const DeepTree&, std::size_t rows, const DeepRows<std::uint16_t>&);
void walk_down(const DeepTree&, std::size_t rows, const DeepRows<std::uint8_t>&);

}  // namespace wald
