#include "privacy/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include "core/statistics.h"

namespace wald {
namespace {

// The slow tests (./dev test slow) ask for ten million.
int draws() {
  const char* text = std::getenv("WALD_DRAWS");
  return text == nullptr ? 200'000 : std::atoi(text);
}

// p-value of the chi-square test of draws against probabilities; cells expected to have few are put together.
double p_value(const std::function<std::int64_t()>& draw, const std::function<double(std::int64_t)>& share,
               std::int64_t from, std::int64_t to) {
  std::map<std::int64_t, double> seen;
  const int n = draws();
  for (int i = 0; i < n; ++i) ++seen[draw()];
  double statistic = 0, cells = 0, expected = 0, found = 0, expected_all = 0, found_all = 0;
  for (std::int64_t k = from; k <= to; ++k) {
    expected += n * share(k), found += seen[k];
    if (expected < 20 && k < to) continue;
    statistic += (found - expected) * (found - expected) / expected, ++cells;
    expected_all += expected, found_all += found, expected = found = 0;
  }
  const double rest = n - found_all, rest_expected = n - expected_all;  // beyond the range
  if (rest_expected > 5) statistic += (rest - rest_expected) * (rest - rest_expected) / rest_expected, ++cells;
  else EXPECT_LT(rest, 40);
  return chi_square_tail(statistic, cells - 1);
}

// One test in ten million fails by chance.
constexpr double kSurprise = 1e-7;

TEST(Sampler, DrawsBelowABoundAreUniform) {
  Entropy entropy;
  EXPECT_GT(p_value([&] { return static_cast<std::int64_t>(entropy.below(std::uint64_t{37})); },
                    [](std::int64_t) { return 1.0 / 37; }, 0, 36),
            kSurprise);
  const Wide bound = static_cast<Wide>(5) << 64;
  EXPECT_GT(p_value([&] { return static_cast<std::int64_t>(entropy.below(bound) >> 64); },
                    [](std::int64_t) { return 1.0 / 5; }, 0, 4),
            kSurprise);
}

TEST(Sampler, CoinsFallWithTheExponentialOfTheirFraction) {
  Entropy entropy;
  for (const auto& [over, under] : {std::pair<int, int>{0, 1}, {1, 3}, {1, 1}, {7, 3}}) {
    const double p = std::exp(-static_cast<double>(over) / under);
    const Fraction fraction{static_cast<Wide>(over), static_cast<Wide>(under)};
    int heads = 0;
    for (int i = 0; i < draws(); ++i) heads += bernoulli_exp(entropy, fraction);
    EXPECT_NEAR(heads, draws() * p, 5.4 * std::sqrt(draws() * p * (1 - p)) + 1e-9);
  }
}

TEST(Sampler, DiscreteLaplaceHasItsDistribution) {
  Entropy entropy;
  for (const auto& [over, under] : {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {7, 2}, {40, 3}}) {
    const double scale = static_cast<double>(over) / static_cast<double>(under), q = std::exp(-1 / scale);
    EXPECT_GT(
        p_value([&] { return discrete_laplace(entropy, over, under); },
                [&](std::int64_t k) { return (1 - q) / (1 + q) * std::exp(-static_cast<double>(std::abs(k)) / scale); },
                -150, 150),
        kSurprise);
  }
}

TEST(Sampler, DiscreteGaussianHasItsDistribution) {
  Entropy entropy;
  for (const std::uint64_t variance : {1, 5, 100, 2500}) {
    const double v = static_cast<double>(variance);
    double all = 0;
    for (int k = -1000; k <= 1000; ++k) all += std::exp(-k * static_cast<double>(k) / (2 * v));
    EXPECT_GT(p_value([&] { return discrete_gaussian(entropy, variance); },
                      [&](std::int64_t k) { return std::exp(-static_cast<double>(k * k) / (2 * v)) / all; }, -400, 400),
              kSurprise);
  }
}

TEST(Sampler, WideDiscreteGaussianHasTheQuantilesOfAGaussian) {
  Entropy entropy;
  const std::uint64_t variance = (std::uint64_t{1} << 57) + 12345;
  const double deviation = std::sqrt(static_cast<double>(variance));
  const auto cell = [&](std::int64_t draw) {
    const double z = static_cast<double>(draw) / deviation;
    return static_cast<std::int64_t>(std::floor(32 * 0.5 * std::erfc(-z / std::sqrt(2.0))));
  };
  EXPECT_GT(
      p_value([&] { return cell(discrete_gaussian(entropy, variance)); }, [](std::int64_t) { return 1.0 / 32; }, 0, 31),
      kSurprise);
}

// McKenna and Sheldon's mechanism by its definition: over all orders, the first whose coin falls.
std::vector<double> permute_and_flip_shares(std::vector<double> coin) {
  std::vector<double> out(coin.size());
  std::vector<std::size_t> order(coin.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  double orders = 0;
  do {
    double reached = 1;
    for (const std::size_t i : order) out[i] += reached * coin[i], reached *= 1 - coin[i];
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& share : out) share /= orders;
  return out;
}

TEST(Sampler, PermuteAndFlipHasItsDistribution) {
  Entropy entropy;
  const std::vector<std::int64_t> scores{10, 7, 0, 9};
  std::vector<double> coin;
  for (const std::int64_t score : scores) coin.push_back(std::exp(-0.5 / (2.0 * 2) * static_cast<double>(10 - score)));
  const std::vector<double> share = permute_and_flip_shares(coin);
  EXPECT_GT(p_value([&] { return static_cast<std::int64_t>(permute_and_flip(entropy, scores, 2, 1, 2)); },
                    [&](std::int64_t k) { return share[static_cast<std::size_t>(k)]; }, 0, 3),
            kSurprise);
}

TEST(Sampler, NoTwoRunsDrawTheSame) {
  Entropy one, other;
  int same = 0;
  for (int i = 0; i < 64; ++i) same += one.bits() == other.bits();
  EXPECT_EQ(same, 0);
}

}  // namespace
}  // namespace wald
