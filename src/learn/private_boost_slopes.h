// The secret half of private boosting, in whole numbers from end to end: scores of rows, their derivatives, and the
// sums of these a leaf. A row adds a vector of whole numbers whose Euclidean length is at most `unit`, by construction:
// that is the sensitivity of every sum here.
#pragma once
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "learn/private_boost_grid.h"

namespace wald {

// What one unit of a sum means.
struct SlopeScale {
  int outputs = 1;
  double g = 1, h = 1;  // a first or second derivative of 1 in units
  double score = 1;     // one unit of a score
  double scatter = 1;   // variance of a first derivative per unit of second derivative
};

// Two classes. Where the first derivative is p, the second is p (1 - p), and p^2 + 11 p^2 (1 - p)^2 <= 1: so the second
// derivative, told 3.3 times as finely, adds nothing to the length of the vector.
struct LogisticRows {
  static constexpr int kWidth = 2;
  LogisticRows(std::vector<std::uint8_t> labels, std::int64_t unit, double start);
  int width() const { return kWidth; }
  int outputs() const { return 1; }
  SlopeScale scale() const;
  void move(std::size_t row, const std::int32_t* step) { score[row] += step[0]; }
  void add(std::size_t row, std::int64_t* sums) const {
    const Pair& pair = table[label[row] * kEntries + place(score[row])];
    sums[0] += pair.g, sums[1] += pair.h;
  }

  struct Pair {
    std::int32_t g, h;
  };
  static constexpr int kScoreBits = 16, kDropped = 9, kMostScore = 10;
  static constexpr std::size_t kEntries = (2 * kMostScore << (kScoreBits - kDropped)) + 1;
  static std::size_t place(std::int32_t score) {
    constexpr std::int32_t most = kMostScore << kScoreBits;
    return static_cast<std::size_t>(((score < -most ? -most : score > most ? most : score) + most) >> kDropped);
  }
  std::vector<std::uint8_t> label;
  std::vector<std::int32_t> score;
  std::vector<Pair> table;  // by label and score
  std::int64_t unit;
};

// Numbers. The first derivative is the residual, cut off at +- clip; the second is 1.
struct SquaredRows {
  static constexpr int kClipBits = 20;
  SquaredRows(std::span<const double> y, std::int64_t unit, double start, double clip);
  int width() const { return 2; }
  int outputs() const { return 1; }
  SlopeScale scale() const;
  void move(std::size_t row, const std::int32_t* step) { score[row] += step[0]; }
  void add(std::size_t row, std::int64_t* sums) const {
    const std::int64_t most = std::int64_t{1} << clip_bits, off = std::int64_t{score[row]} - target[row];
    sums[0] += ((off < -most ? -most : off > most ? most : off) * unit_g) >> clip_bits;
    sums[1] += unit_h;
  }
  // From now on residuals are cut off at 2^doublings times the clip, which is then a first derivative of 1, and nothing
  // is spent on counting rows.
  void widen(int doublings, std::int64_t unit);
  std::vector<std::int32_t> target, score;  // from the start on, in units of clip / 2^20
  std::int64_t unit_g, unit_h;
  int clip_bits = kClipBits;
};

// Several classes.
struct SoftmaxRows {
  SoftmaxRows(std::vector<std::uint16_t> labels, int classes, std::int64_t unit, std::span<const double> start);
  int width() const { return 2 * classes; }
  int outputs() const { return classes; }
  SlopeScale scale() const;
  void move(std::size_t row, const std::int32_t* step) {
    for (int k = 0; k < classes; ++k)
      score[row * static_cast<std::size_t>(classes) + static_cast<std::size_t>(k)] += step[k];
  }
  void add(std::size_t row, std::int64_t* sums) const;

  std::vector<std::uint16_t> label;
  std::vector<std::int32_t> score;         // `classes` a row
  std::vector<std::uint32_t> exponential;  // of minus the place, in units
  int classes;
  std::int64_t unit;
};

using SecretRows = std::variant<LogisticRows, SquaredRows, SoftmaxRows>;

// Moves every row's score by the step of its leaf in the tree before (none at first), then adds its derivatives to its
// leaf in the next (none at last). Steps: `outputs` a leaf; sums: `width` a leaf, the first derivatives first.
struct Step {
  const Grid* grid = nullptr;
  std::vector<std::int32_t> by;
};
struct Rows {
  std::size_t begin = 0, end = 0;
};
std::vector<std::int64_t> pass_over(SecretRows&, const PrivateRows&, Rows, const Step& before, const Grid* next);

// The number of rows in each code of each column, all columns one after another.
std::vector<std::int64_t> code_counts(const PrivateRows&, Rows);

}  // namespace wald
