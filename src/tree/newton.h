// Second-order boosting as a criterion (Chen and Guestrin 2016, equations 5 to 7): with G and H the sums of first and
// second derivatives of the loss over a node's rows, its best value is -G / (H + l2) and lowers the loss by
// 1/2 G^2 / (H + l2). L1 shrinks G towards zero first.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/criterion.h"

namespace wald {

struct Gradient {
  std::int32_t g = 0, h = 0;  // in units of FixedGradients; h is never negative
};

// The derivatives of every row on grids of powers of two, taken from their exact maxima.
struct FixedGradients {
  std::vector<Gradient> row;
  double g_unit = 1, h_unit = 1;
};

// The largest |g| and the largest h get at most 2^bits units; bits <= 30. h below zero counts as zero. Rows' weights
// are in the derivatives already.
FixedGradients fix_gradients(std::span<const double> g, std::span<const double> h, int bits);

struct Newton {
  using Part = Gradient;
  const FixedGradients* gradients = nullptr;
  double l1 = 0, l2 = 1;

  static constexpr int width() { return 2; }
  static constexpr int outputs() { return 1; }
  Part part(Row r) const { return gradients->row[r]; }
  static void add(const Part& p, std::int64_t* into) { into[0] += p.g, into[1] += p.h; }
  static bool same(Row, Row) { return false; }
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
  static void pure(Row, std::span<double>) {}
  static double gain_unit() { return 1; }
  static int orders() { return 1; }
  double order(Sums s, int) const { return static_cast<double>(s[0]) * gradients->g_unit / (weight(s) + l2); }
};

static_assert(Criterion<Newton>);

}  // namespace wald
