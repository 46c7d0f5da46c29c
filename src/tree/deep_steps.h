// Many rows down one deep tree while a forest is fitted, each step a comparison of small whole numbers. Prediction has
// its own way, for which rows are made ready (model/descent.h): here each tree has rows of its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wald {

// Of a node of two ways, or a leaf.
struct DeepStep {
  std::uint32_t child;   // the first one, and the flag below; of a leaf: itself
  std::uint16_t column;  // the code's place in a row
  std::uint16_t most;    // the greatest code that goes left, less 1 with the flag; of leaves and sets all do

  static constexpr std::uint32_t kMissingRight = 1u << 31, kChild = kMissingRight - 1;  // of numbers
  static constexpr std::uint16_t kEvery = 0xFFFF;
};

struct DeepTree {
  std::vector<DeepStep> steps;
  // Of trees with sets, a step each: the bits of the codes that go right, missing among them; of what is no set 0.
  // Where a column has more codes than a word has bits: where they are in `long_sets`, behind each other and after some
  // zeros.
  static constexpr std::size_t kZeros = 4;
  std::vector<std::uint64_t> right, long_sets;
};

// Of a number its bin, counted from 1, of a category one more than its level; 0 where missing.
struct DeepCodes {
  const std::uint8_t* code;  // row x column
  std::size_t stride;        // from one row to the next
};

// leaf[i]: the step at which rows[i] ends.
void walk_down(const DeepTree&, const DeepCodes&, std::span<const std::uint32_t> rows, std::uint32_t* leaf);

}  // namespace wald
