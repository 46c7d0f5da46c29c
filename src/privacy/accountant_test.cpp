#include "privacy/accountant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/budget.h"

namespace wald {
namespace {

// The curve by its definition: the integral of (p - e^epsilon q)+ over two normal densities, mu apart.
double delta_by_integration(double epsilon, double mu) {
  const auto density = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); };
  double sum = 0;
  const double step = 1e-4;
  for (double z = -12; z < 14 + mu; z += step) {
    const double more = density(z - mu) - std::exp(epsilon) * density(z);
    if (more > 0) sum += more * step;
  }
  return sum;
}

TEST(Accountant, CurveIsTheIntegralThatDefinesIt) {
  for (const double mu : {0.2, 0.7, 1.0, 2.5})
    for (const double epsilon : {0.1, 0.5, 1.0, 3.0})
      EXPECT_NEAR(gaussian_delta(epsilon, mu), delta_by_integration(epsilon, mu), 1e-8);
}

// From Dong, Roth and Su: at mu = 1 and epsilon = 1 delta is Phi(-1/2) - e Phi(-3/2); the decimals from a table of the
// normal distribution.
TEST(Accountant, CurveHasTabulatedValues) {
  EXPECT_NEAR(gaussian_delta(1, 1), 0.3085375387 - M_E * 0.0668072013, 1e-9);
  EXPECT_NEAR(gaussian_delta(0, 1), 2 * 0.6914624613 - 1, 1e-9);
}

TEST(Accountant, CalibrationIsTightAndNeverTooBold) {
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 4.0, 10.0, 50.0})
    for (const double delta : {1e-12, 1e-6, 1e-5, 1e-2}) {
      const double mu = gaussian_mu(epsilon, delta);
      EXPECT_LE(gaussian_delta(epsilon, mu), delta);
      EXPECT_GT(gaussian_delta(epsilon, mu * (1 + 1e-5)), delta * (1 - 1e-9));
      EXPECT_NEAR(gaussian_epsilon(mu, delta), epsilon, 2e-6 * epsilon + 1e-7);
      EXPECT_LE(gaussian_delta(gaussian_epsilon(mu, delta), mu), delta);
    }
}

TEST(Accountant, DiscreteNoiseIsAsNearToRoundedNoiseAsClaimed) {
  for (const double variance : {64.0, 400.0}) {
    const double deviation = std::sqrt(variance);
    double all = 0, distance = 0;
    for (int k = -3000; k <= 3000; ++k) all += std::exp(-k * static_cast<double>(k) / (2 * variance));
    for (int k = -3000; k <= 3000; ++k) {
      const auto below = [&](double x) { return 0.5 * std::erfc(-x / deviation / std::sqrt(2.0)); };
      distance +=
          std::fabs(std::exp(-k * static_cast<double>(k) / (2 * variance)) / all - (below(k + 0.5) - below(k - 0.5)));
    }
    EXPECT_LE(distance / 2, discretisation(1, variance));
    EXPECT_GE(distance / 2, discretisation(1, variance) / 30);
  }
}

TEST(Budget, SpendsWhatItHasAndNoMore) {
  Entropy entropy;
  auto budget = GaussianBudget::of(1, 1e-6);
  ASSERT_TRUE(budget);
  const std::uint64_t reach = std::uint64_t{1} << budget->unit_bits(0.5, 1);
  (void)budget->release(entropy, {1, 2, 3}, reach, 0.5);
  (void)budget->release(entropy, {1, 2, 3}, reach, 0.5);
  EXPECT_NEAR(budget->left(), 0, 1e-12);
  EXPECT_DEATH((void)budget->release(entropy, {1}, reach, 0.01), "share");
}

TEST(Budget, NoiseHasTheDeviationThatTheCurveAsksFor) {
  Entropy entropy;
  auto budget = GaussianBudget::of(1, 1e-5);
  const double mu = budget->mu();
  const std::uint64_t reach = 1 << 24;
  const Noisy noisy = budget->release(entropy, std::vector<std::int64_t>(20000), reach, 0.25);
  EXPECT_NEAR(noisy.deviation, static_cast<double>(reach) / (mu * 0.5), 1e-3 * noisy.deviation);
  double squares = 0;
  for (const std::int64_t value : noisy.value) squares += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(std::sqrt(squares / 20000), noisy.deviation, 0.03 * noisy.deviation);
}

TEST(Budget, RefusesClaimsOutsideReason) {
  EXPECT_FALSE(GaussianBudget::of(0, 1e-6));
  EXPECT_FALSE(GaussianBudget::of(1, 0));
  EXPECT_FALSE(GaussianBudget::of(1000, 1e-6));
}

TEST(Budget, PureCostsAddAndDisjointPartsCostAsMuchAsOne) {
  Entropy entropy;
  PureBudget budget(1);
  const std::uint64_t half = budget.left() / 2;
  std::vector<PureBudget> parts = budget.disjoint(3, half);
  EXPECT_EQ(budget.left(), half);
  for (PureBudget& part : parts) (void)part.release(entropy, 10, 1, half);
  EXPECT_DEATH((void)parts[0].release(entropy, 10, 1, 1), "cost");
  EXPECT_DEATH((void)budget.choose(entropy, std::vector<std::int64_t>{1, 2}, 1, half + 1), "cost");
}

}  // namespace
}  // namespace wald
