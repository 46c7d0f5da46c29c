#include "privacy/accountant.h"

#include <cmath>

#include "core/check.h"

namespace wald {
namespace {

using Real = long double;  // 64 bits of precision: what cancels below leaves ten digits at the least

Real below(Real z) { return std::erfc(-z / std::sqrt(Real{2})) / 2; }  // the normal distribution function

// Ten digits are right; the claim is made as if only eight were.
constexpr double kSafe = 1e-8;

}  // namespace

double gaussian_delta(double epsilon, double mu) {
  if (mu <= 0) return 0;
  const Real e = epsilon, m = mu;
  const Real delta = below(-e / m + m / 2) - std::exp(e) * below(-e / m - m / 2);
  return static_cast<double>(delta > 0 ? delta : 0);
}

double gaussian_mu(double epsilon, double delta) {
  WALD_CHECK(epsilon > 0 && delta > 0 && delta < 1);
  double low = 0, high = 1;
  while (gaussian_delta(epsilon, high) < delta) low = high, high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = (low + high) / 2;
    (gaussian_delta(epsilon, middle) < delta ? low : high) = middle;
  }
  return low * (1 - kSafe);
}

double gaussian_epsilon(double mu, double delta) {
  WALD_CHECK(mu >= 0 && delta > 0 && delta < 1);
  double low = 0, high = 1;
  if (gaussian_delta(0, mu) <= delta) return 0;
  while (gaussian_delta(high, mu) > delta) low = high, high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = (low + high) / 2;
    (gaussian_delta(middle, mu) > delta ? low : high) = middle;
  }
  return high * (1 + kSafe);
}

double discretisation(double numbers, double variance) {
  WALD_CHECK(variance >= 64);
  return numbers / (4 * variance);
}

}  // namespace wald
