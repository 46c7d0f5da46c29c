// Many rows down one deep tree, several at a time: see deep.h.
#pragma once
#include <cstddef>
#include <cstdint>

namespace wald {

struct DeepStep {
  std::uint32_t child;        // the first one and the flags below; of a leaf: the number of its vector of values
  std::uint16_t column, ref;  // of a threshold its number, of a set its first word among the tree's

  static constexpr std::uint32_t kLeftLeaf = 1u << 28;  // its double: that the right child is a leaf
  static constexpr std::uint32_t kMissingRight = 1u << 30, kSet = 1u << 31, kChild = kLeftLeaf - 1;
};
static_assert(sizeof(DeepStep) == 8);

struct DeepTree {
  const DeepStep* steps;
  const std::uint64_t* sets;  // of the tree's tests; null: it has none
};

struct DeepRows {
  static constexpr std::size_t kPadding = 64;  // entries behind the last, two of code, which may be read or written
  const std::uint16_t* code;                   // row x column; 0xFFFF: missing
  std::uint32_t columns;
  std::uint32_t *row, *at;      // rows on their way and the nodes where they are: to begin with all of them, at 0
  std::uint32_t *ended, *leaf;  // out: rows in the order in which they came to a leaf, and that
};

// The root must not be a leaf.
void walk_down(const DeepTree&, std::size_t rows, const DeepRows&);

}  // namespace wald
