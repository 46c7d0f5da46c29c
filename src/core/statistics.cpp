#include "core/statistics.h"

#include <cmath>
#include <limits>

#include "core/elementary.h"

namespace wald {
namespace {

// log of (a - 1)! for whole a, and of its like for halves, by a product: freedom is small and whole.
double log_gamma_of_half(double a) {
  constexpr double kLogRootPi = 0.57236494292470008707;
  double sum = a == std::floor(a) ? 0 : kLogRootPi;
  for (double t = a - 1; t > 0; t -= 1) sum += log_exact(t);
  return sum;
}

// The lower incomplete gamma function by its series, for x < a + 1.
double lower_series(double a, double x, double front) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > sum * 1e-17; ++n) term *= x / n, sum += term;
  return sum * front;
}

// The upper one by its continued fraction (modified Lentz), for x >= a + 1.
double upper_fraction(double a, double x, double front) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b, c = b + an / c;
    if (std::fabs(d) < kTiny) d = kTiny;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::fabs(step - 1) < 1e-16) break;
  }
  return front * h;
}

// The continued fraction of the incomplete beta integral (Abramowitz and Stegun 26.5.8), by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), out = d;
  for (int m = 1; m < 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d), c = away(1 + even / c), out *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d), c = away(1 + odd / c), out *= c * d;
    if (std::fabs(c * d - 1) < 1e-16) break;
  }
  return out;
}

// P[N(0,1) > z], z >= 0, through chi-square of one degree of freedom.
double normal_tail(double z) { return chi_square_tail(z * z, 1) / 2; }

}  // namespace

double student_tails(double t, int freedom) {
  if (std::isnan(t)) return t;
  if (t == 0) return 1;
  if (std::isinf(t)) return 0;
  const double a = freedom / 2.0, b = 0.5, x = freedom / (freedom + t * t), y = t * t / (freedom + t * t);
  const double front = exp_exact(log_gamma_of_half(a + b) - log_gamma_of_half(a) - log_gamma_of_half(b) +
                                 a * log_exact(x) + b * log_exact(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double chi_square_tail(double x, double freedom) {
  if (!(x > 0)) return 1;
  if (x == std::numeric_limits<double>::infinity()) return 0;
  const double a = freedom / 2, half = x / 2;
  const double front = exp_exact(a * log_exact(half) - half - log_gamma_of_half(a));
  return half < a + 1 ? 1 - lower_series(a, half, front) : upper_fraction(a, half, front);
}

// Bisection on the tail, which halves its error each time, then Newton: slow, short, and used once a training.
double normal_quantile(double p) {
  if (!(p > 0)) return -std::numeric_limits<double>::infinity();
  if (!(p < 1)) return std::numeric_limits<double>::infinity();
  if (p < 0.5) return -normal_quantile(1 - p);
  const double tail = 1 - p;
  double low = 0, high = 39;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_tail(middle) > tail ? low : high) = middle;
  }
  constexpr double kInverseRootTwoPi = 0.39894228040143267794;
  double z = (low + high) / 2;
  for (int i = 0; i < 2; ++i) z += (normal_tail(z) - tail) / (kInverseRootTwoPi * exp_exact(-z * z / 2));
  return z;
}

}  // namespace wald
