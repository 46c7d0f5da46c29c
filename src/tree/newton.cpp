#include "tree/newton.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/check.h"
#include "core/parallel.h"

namespace wald {
namespace {

constexpr std::size_t kGrain = 1u << 14;

double largest(std::span<const double> values) {
  std::vector<double> of((values.size() + kGrain - 1) / kGrain, 0);
  parallel_for(values.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::array<double, 8> most{};  // a chain of comparisons each, so that none waits for the one before
    for (; begin % most.size() != end % most.size(); ++begin) most[0] = std::max(most[0], std::fabs(values[begin]));
    for (; begin < end; begin += most.size())
      for (std::size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], std::fabs(values[begin + k]));
    of[(end - 1) / kGrain] = *std::ranges::max_element(most);
  });
  return of.empty() ? 0 : *std::ranges::max_element(of);
}

// The least exponent e with most <= 2^e, lifted so that neither 2^(e - bits) nor its inverse leaves the doubles.
int exponent(double most) {
  int e = -900;
  if (most > 0) std::frexp(most, &e);
  return std::clamp(e, -900, 1000);
}

// Ties to even.
template <class Whole>
Whole rounded(double v) {
  return static_cast<Whole>(v + 0x1.8p52 - 0x1.8p52);
}

// One's rows; gives the least h.
template <class Part>
std::int64_t round_rows(std::span<const double> g, std::span<const double> h, double g_scale, double h_scale,
                        Part* into) {
  using Whole = decltype(into->g);
  std::vector<Whole> least((g.size() + kGrain - 1) / kGrain);
  parallel_for(g.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    Whole h_least = std::numeric_limits<Whole>::max();
    for (std::size_t i = begin; i < end; ++i) {
      into[i] = {.h = rounded<Whole>(std::max(h[i], 0.0) * h_scale), .g = rounded<Whole>(g[i] * g_scale)};
      h_least = std::min(h_least, into[i].h);
    }
    least[(end - 1) / kGrain] = h_least;
  });
  return least.empty() ? 0 : *std::ranges::min_element(least);
}

}  // namespace

void fix_gradients(std::span<const double> g, std::span<const double> h, int bits, FixedGradients& into) {
  WALD_CHECK(g.size() == h.size() && bits > 0 && bits <= std::max(kGradientBits, most_bits(g.size())));
  const double h_most = largest(h);
  const int g_shift = bits - exponent(largest(g)), h_shift = bits - exponent(h_most);
  const double g_scale = power_of_two(g_shift), h_scale = power_of_two(h_shift);
  into.g_unit = power_of_two(-g_shift), into.h_unit = power_of_two(-h_shift), into.bits = bits;
  into.h_most = rounded<std::int64_t>(h_most * h_scale);
  const bool fine = bits > kGradientBits;
  into.row.resize(fine ? 0 : g.size()), into.fine.resize(fine ? g.size() : 0);
  into.h_least =
      fine ? round_rows(g, h, g_scale, h_scale, into.fine.data()) : round_rows(g, h, g_scale, h_scale, into.row.data());
}

Newton Newton::gathered(std::span<const Row> rows, GatheredNewton& into) const {
  constexpr std::size_t kAhead = 32;
  HugeVector<Gradient> row = std::move(into.gradients.row);
  if (row.size() < rows.size()) row.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) __builtin_prefetch(source(rows[i + kAhead]));
    row[i] = part(rows[i]);
  }
  into.gradients = {.row = std::move(row),
                    .fine = {},
                    .g_unit = gradients->g_unit,
                    .h_unit = gradients->h_unit,
                    .bits = gradients->bits,
                    .h_most = gradients->h_most,
                    .h_least = gradients->h_least};
  into.weight.clear();
  if (!least.weight.empty())
    for (const Row r : rows) into.weight.push_back(least.weight[r]);
  Newton out = *this;
  out.gradients = &into.gradients, out.least.weight = into.weight;
  return out;
}

}  // namespace wald
