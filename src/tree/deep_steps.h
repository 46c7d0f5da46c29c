// Many rows down one deep tree while a forest is fitted, each step a comparison of small whole numbers. Prediction has
// its own way, for which a tree is made ready (model/descent.h): here a tree is walked once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "wald/forest.h"

namespace wald {

struct DeepStep {
  std::uint32_t child;        // the first one and the flags below; of a leaf: itself
  std::uint16_t column, ref;  // the greatest code that goes left, of a leaf all; or a set's first word among the tree's

  static constexpr std::uint32_t kMissingRight = 1u << 31, kSet = 1u << 30, kChild = kSet - 1;
};
static_assert(sizeof(DeepStep) == 8);

// Of a node of two ways; child: where its first one lies among the steps; ref: the number of its threshold, below
// 2^16 - 1, or its set's first word.
DeepStep deep_step(const Node&, std::size_t child, std::size_t column, std::size_t ref);
inline DeepStep deep_leaf(std::size_t at) { return {static_cast<std::uint32_t>(at), 0, 0xFFFF}; }

struct DeepTree {
  const DeepStep* steps;
  const std::uint64_t* sets;  // of the tree's tests; null: it has none
};

// Of a number one more than the thresholds below it, of a category one more than its level; 0 where missing.
struct DeepCodes {
  const std::uint8_t* code;  // row x column
  std::size_t stride;        // from one row to the next
};

// leaf[i]: the step at which rows[i] ends.
void walk_down(const DeepTree&, const DeepCodes&, std::span<const std::uint32_t> rows, std::uint32_t* leaf);

}  // namespace wald
