// Forests of deep trees, as fully grown ones are: rows walk down in groups, over codes instead of numbers.
//
// The tops of such trees are not worth a circuit, and the forest is larger than any cache. So a tree is taken through
// thousands of rows before the next one: its nodes are read from memory once. Each cell is looked up among its column's
// thresholds once and kept as the number of those below it, in two bytes; a step is then a comparison of small whole
// numbers. A group of rows takes every step together, so that none waits for memory alone; whoever has reached a leaf
// steps in place.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/circuit.h"
#include "wald/model.h"

namespace wald {

class DeepWalk {
 public:
  static constexpr std::size_t kRows = 4096;  // at once

  struct Room {
    std::vector<std::uint16_t> code;  // row x column
  };

  // Looks into the model, which must outlive it. Not wanted: never worth it.
  DeepWalk(const Model&, bool wanted);
  bool worth() const { return !nodes_.empty(); }
  // score: row x output.
  void score(CellColumns cells, std::size_t rows, double* score, Room&) const;

 private:
  static constexpr std::uint16_t kNone = 0xFFFF;  // the code of a missing cell
  struct Step {
    std::uint32_t child;  // of a leaf: itself
    std::uint16_t column, kind;
    std::uint32_t ref;  // of a leaf no code is greater
  };
  enum Kind : std::uint16_t { kMissingRight = 1, kSet = 2 };

  void read_codes(CellColumns cells, std::size_t rows, Room&) const;
  template <bool kSets>
  void add_tree(std::size_t t, std::size_t rows, const Room&, double* score) const;

  const Forest& forest_;
  std::vector<Step> nodes_;
  std::vector<bool> categories_, used_;
  bool sets_ = false;
};

}  // namespace wald
