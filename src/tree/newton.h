// Second-order boosting as a criterion (Chen and Guestrin 2016, equations 5 to 7): with G and H the sums of first and
// second derivatives of the loss over a node's rows, its best value is -G / (H + l2) and lowers the loss by
// 1/2 G^2 / (H + l2). L1 shrinks G towards zero first.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/huge.h"
#include "tree/criterion.h"
#include "tree/grow_options.h"

namespace wald {

// In units of FixedGradients. h, never negative, lies below g, so that the two read as one word are Newton's packed
// form.
struct Gradient {
  std::int32_t h = 0, g = 0;
};

// Of more digits than 32 bits hold.
struct FineGradient {
  std::int64_t h = 0, g = 0;
};
constexpr int kGradientBits = 30;

// The derivatives of every row on grids of powers of two, taken from their exact maxima.
struct FixedGradients {
  HugeVector<Gradient> row;
  HugeVector<FineGradient> fine;  // in place of those, where bits > kGradientBits
  double g_unit = 1, h_unit = 1;
  int bits = 0;              // |g| <= 2^bits and h <= 2^bits
  std::int64_t h_most = 0;   // the largest h, ...
  std::int64_t h_least = 0;  // ... and the least
};

// The largest |g| and the largest h get at most 2^bits units; bits <= most_bits(rows). h below zero counts as zero.
// Rows' weights are in the derivatives already.
constexpr int most_bits(std::size_t rows) { return std::min(62 - static_cast<int>(std::bit_width(rows)), 48); }
void fix_gradients(std::span<const double> g, std::span<const double> h, int bits, FixedGradients& into);

struct BoundedNewton;
struct GatheredNewton;

struct Newton {
  using Bounded = BoundedNewton;
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  using Part = Gradient;
  const FixedGradients* gradients = nullptr;
  double l1 = 0, l2 = 1;
  LevelRules levels = {};
  LeastRows least = {};

  static constexpr int width() { return 2; }
  static constexpr int outputs() { return 1; }
  Part part(Row r) const { return gradients->row[r]; }
  static void add(const Part& p, std::int64_t* into) { into[0] += p.g, into[1] += p.h; }
  // Both sums in one word, g in the upper half: the sum of fewer than 2^(31 - bits) rows stays within each half.
  std::size_t packed_rows() const { return (std::size_t{1} << (31 - gradients->bits)) - 1; }
  static std::uint64_t pack(const Part& p) { return std::bit_cast<std::uint64_t>(p); }
  const void* source(Row r) const { return &gradients->row[r]; }
  static void unpack(std::uint64_t word, std::int64_t* into) {
    into[0] += static_cast<std::int32_t>(word >> 32), into[1] += static_cast<std::uint32_t>(word);
  }
  static TwoSums widen(const Part& p) { return {p.g, p.h}; }
  static void unpack(TwoSums cell, std::int64_t* into) { into[0] += cell.pair[0], into[1] += cell.pair[1]; }
  static bool same(Row, Row) { return false; }
  bool every_row_adds() const { return gradients->h_least > 0; }  // so that no sum of rows is zero
  double weight(Sums s) const { return static_cast<double>(s[1]) * gradients->h_unit; }
  double shrunk(Sums s) const {
    const double g = static_cast<double>(s[0]) * gradients->g_unit;
    return l1 == 0 ? g : std::copysign(std::fmax(std::fabs(g) - l1, 0), g);
  }
  double score(Sums s, double h) const {
    const double g = shrunk(s);
    return g == 0 ? 0 : 0.5 * g * g / (h + l2);
  }
  void leaf(Sums s, std::span<double> out) const {
    const double g = shrunk(s);
    out[0] = g == 0 ? 0 : -g / (weight(s) + l2);
  }
  // The gain of every cut, kNone where a side has less than min_leaf; gives the largest. Only where fits_doubles().
  double gains(const Cuts&, double parent, double min_leaf, double* out) const;
  bool fits_doubles() const { return gradients->row.size() < std::size_t{1} << (53 - gradients->bits); }
  // No row has more than the largest second derivative.
  double proven_rows(Sums s) const {
    if (!least.weight.empty() || gradients->h_most <= 0) return 0;
    return std::ceil(static_cast<double>(s[1]) / static_cast<double>(gradients->h_most));
  }
  static void pure(Row, std::span<double>) {}
  static double gain_unit() { return 1; }
  // The same of some rows, whose derivatives are copied side by side.
  Newton gathered(std::span<const Row>, GatheredNewton& into) const;
  static int orders() { return 1; }
  double order(Sums s, int) const { return place(s, 0, s, 0); }
  // Minus the best value of a level, had it the given share of the node's rows besides its own.
  double place(Sums s, int, Sums node, double share) const {
    const double g = static_cast<double>(s[0]) + share * static_cast<double>(node[0]);
    return g * gradients->g_unit / (weight(s) + share * weight(node) + l2);
  }
};

struct GatheredNewton {
  FixedGradients gradients;
  std::vector<std::int64_t> weight;  // that least rows are counted by
};

// The same where monotone splits above have set bounds to the node's value: then the best value is the nearest within
// them, and the loss falls by less.
struct BoundedNewton : Newton {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double value(Sums s, double h) const {
    const double g = shrunk(s);
    return std::clamp(g == 0 ? 0 : -g / (h + l2), low, high);
  }
  double score(Sums s, double h) const {
    const double v = value(s, h), g = static_cast<double>(s[0]) * gradients->g_unit;
    return -(g * v + 0.5 * (h + l2) * v * v + l1 * std::fabs(v));
  }
};

// The same with sums as fine as those of doubles: slow, and the measure of what fewer digits do.
struct FineNewton : Newton {
  using Part = FineGradient;
  Part part(Row r) const { return gradients->fine[r]; }
  static void add(const Part& p, std::int64_t* into) { into[0] += p.g, into[1] += p.h; }
  static TwoSums widen(const Part& p) { return {p.g, p.h}; }
  const void* source(Row r) const { return &gradients->fine[r]; }
  static bool fits_doubles() { return false; }
};

static_assert(std::endian::native == std::endian::little);
static_assert(Criterion<Newton> && Criterion<BoundedNewton> && Criterion<FineNewton>);

}  // namespace wald
