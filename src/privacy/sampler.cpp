#include "privacy/sampler.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/check.h"

namespace wald {
namespace {

// exp(-a/b) for a <= b, algorithm 1: of coins with the probabilities g, g/2, g/3, ... (g = a/b) the number of the first
// that fails is odd with probability exp(-g). After 64 terms it has failed but with probability 1/64! < 2^-295.
bool bernoulli_exp_below_one(Entropy& entropy, Wide a, Wide b) {
  unsigned k = 1;
  while (k < 64 && entropy.below(b * k) < a) ++k;
  return k % 2 == 1;
}

std::uint64_t root(std::uint64_t square) {  // the floor of the square root
  std::uint64_t low = 0, high = std::uint64_t{1} << 32;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (middle * middle <= square ? low : high) = middle;
  }
  return low;
}

}  // namespace

bool bernoulli_exp(Entropy& entropy, Fraction x) {
  WALD_CHECK(x.under > 0 && x.under >> kUnderBits == 0);
  Wide whole = x.over / x.under;
  for (; whole > 0; --whole)
    if (!bernoulli_exp_below_one(entropy, 1, 1)) return false;
  return bernoulli_exp_below_one(entropy, x.over % x.under, x.under);
}

// Algorithm 2: x = u + over * v has P[x] ~ exp(-x / over), and x / under rounded down the scale over / under.
std::int64_t discrete_laplace(Entropy& entropy, std::uint64_t over, std::uint64_t under) {
  WALD_CHECK(over > 0 && under > 0 && over >> 48 == 0 && under >> 48 == 0);
  for (;;) {
    const std::uint64_t u = entropy.below(over);
    if (!bernoulli_exp(entropy, {u, over})) continue;
    std::uint64_t v = 0;
    while (v < 10'000 && bernoulli_exp(entropy, {1, 1})) ++v;  // further with probability exp(-10,000)
    const auto size = static_cast<std::int64_t>((u + over * v) / under);
    const bool negative = entropy.coin();
    if (negative && size == 0) continue;
    return negative ? -size : size;
  }
}

// Algorithm 3: a discrete Laplace draw y of scale t is kept with probability exp(-(|y| - variance/t)^2 / (2 variance)).
// In whole numbers the exponent is z^2 / (2 variance t^2), z = |y| t - variance. With variance < 2^58 and t <= 2^29 the
// denominator is below 2^118; draws with |z| >= 2^63 would be kept with a probability below 2^-700 and never are.
std::int64_t discrete_gaussian(Entropy& entropy, std::uint64_t variance) {
  WALD_CHECK(variance > 0 && variance >> kVarianceBits == 0);
  const std::uint64_t t = root(variance) + 1;
  const Wide under = static_cast<Wide>(2) * variance * t * t;
  for (;;) {
    const std::int64_t y = discrete_laplace(entropy, t, 1);
    const Wide reach = static_cast<Wide>(y < 0 ? -y : y) * t;
    const Wide z = reach > variance ? reach - variance : variance - reach;
    if (z >> 63 != 0) continue;
    if (bernoulli_exp(entropy, {z * z, under})) return y;
  }
}

std::size_t permute_and_flip(Entropy& entropy, std::span<const std::int64_t> scores, std::uint64_t sensitivity,
                             std::uint64_t over, std::uint64_t under) {
  WALD_CHECK(!scores.empty() && sensitivity > 0 && sensitivity >> 40 == 0 && under >> 40 == 0 && over >> 41 == 0);
  const std::int64_t best = std::ranges::max(scores);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[entropy.below(left)]);
    const auto behind = static_cast<std::uint64_t>(best - scores[order[left - 1]]);
    WALD_CHECK(behind >> 60 == 0);  // with `over` within 128 bits
    if (bernoulli_exp(entropy, {static_cast<Wide>(behind) * over, static_cast<Wide>(2) * sensitivity * under}))
      return order[left - 1];
  }
  return order[0];
}

}  // namespace wald
