// Forests of deep trees, as fully grown ones are: rows walk down level by level, over codes instead of numbers.
//
// The tops of such trees are not worth a circuit, and the forest is larger than any cache. So a tree is taken through
// thousands of rows before the next one: its nodes are read from memory once. Each cell is looked up among its column's
// thresholds once and kept as the number of those below it, in two bytes; a step is then a comparison of small whole
// numbers. Rows take a few steps in turn, so that none waits for memory alone, until all are in a leaf.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/circuit.h"
#include "tree/deep_steps.h"
#include "wald/model.h"

namespace wald {

class DeepWalk {
 public:
  static constexpr std::size_t kRows = 4096;  // at once

  struct Room {
    std::vector<std::uint16_t> code;  // row x column
    bool any_missing = false;
    std::vector<std::uint32_t> row, leaf;  // each row, and where it ends
  };

  // Looks into the model, which must outlive it. Not wanted: never worth it.
  DeepWalk(const Model&, bool wanted);
  bool worth() const { return !steps_.empty(); }
  // score: row x output.
  void score(CellColumns cells, std::size_t rows, double* score, Room&) const;

 private:
  // A vector all of whose numbers but one are 0, as a pure leaf says; kMany: more than one is not.
  struct Single {
    double value = 0;
    std::size_t output = 0;
  };
  static constexpr std::size_t kMany = ~std::size_t{0};

  bool add_steps(const Schema&, std::size_t t);
  void find_singles();
  void read_codes(CellColumns cells, std::size_t rows, Room&) const;
  void add_values(std::size_t t, std::span<const std::uint32_t> leaf, double* score) const;

  const Forest& forest_;
  std::vector<DeepStep> steps_;
  std::vector<std::uint32_t> vector_;   // of values, that the leaf at a step says
  std::vector<std::uint64_t> sets_;     // words of all trees, one after another
  std::vector<std::size_t> first_set_;  // of each tree
  std::vector<Single> singles_;         // of each vector, where vectors are long
  std::vector<bool> categories_, used_;
};

}  // namespace wald
