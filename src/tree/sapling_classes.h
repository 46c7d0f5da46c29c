// Counts of classes per code of a column, and what they make of its cuts.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace wald::sapling {

// The side of a cut up to a code, and the squares of the classes' counts on either side of it.
struct ClassCut {
  double all = 0, squares = 0, right_squares = 0;
};

// What adding up reads, and writes to `left`.
struct ClassSums {
  const std::int32_t *cells, *others;
  std::size_t stride;
  const double* total;
  double* left;
  double squares;
};

// Code by code, all classes at once. Counts below 2^25, so that sums of their squares are exact.
class ClassCells {
 public:
  static constexpr std::size_t kAtOnce = 8;  // classes; room is a multiple of it
  static constexpr std::int64_t kMost = 1 << 25;

  ClassCells(std::size_t classes, int codes);
  // total: of each class in the node; add() is for its rows then.
  void open(std::span<const std::int64_t> total, std::int64_t squares);
  struct Into {
    std::int32_t *cells, *others;
    std::size_t stride;
    void even(std::size_t code, std::size_t label, std::int32_t count) const { cells[code * stride + label] += count; }
    // Every other row has cells of its own, so that rows alike do not wait for each other.
    void odd(std::size_t code, std::size_t label, std::int32_t count) const { others[code * stride + label] += count; }
  };
  Into into() { return {cells_.data(), others_.data(), stride_}; }
  // Adds up from code `first` on: lists the codes that have rows, and the cut after each. Gives their number.
  std::size_t add_up(int first, int codes, std::uint16_t* code, ClassCut* cut);
  void clear(int codes);

 private:
  std::size_t stride_;
  std::vector<std::int32_t> cells_, others_;  // code x class; all zero between uses
  std::vector<double> total_, left_;
  double squares_ = 0;  // of the totals
};

}  // namespace wald::sapling
