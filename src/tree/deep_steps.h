// Many rows down one deep tree while a forest is fitted, each step an addition of small whole numbers. Prediction has
// its own way, for which rows are made ready (model/descent.h): here each tree has rows of its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wald {

// Of a node of two ways, or a leaf: a word. It has the code's place in a row in its lowest 16 bits; above them what the
// greatest code that goes left lacks to the greatest of all; above that the first child, of a leaf itself. A code added
// to the second part carries into the place where it is greater: so the sum has the place of the child that is next.
struct DeepStep {
  static constexpr std::uint32_t kEvery = 0xFFFF;  // all codes go left, as those of leaves and sets
  // Missing values, whose code is the least, go right: it is the greatest once every code is one less.
  static constexpr std::uint64_t kMissingRight = std::uint64_t{1} << 63;

  static std::uint64_t word(std::uint32_t child, std::uint32_t place, std::uint32_t most, bool missing_right) {
    return (missing_right ? kMissingRight : 0) | std::uint64_t{child} << 32 | (kEvery - most) << 16 | place;
  }
};

struct DeepTree {
  std::vector<std::uint64_t> steps;
  bool missing_right = false;  // whether a step says so
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
