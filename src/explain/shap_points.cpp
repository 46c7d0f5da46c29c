#include "explain/shap_points.h"

#include <cstddef>
#include <numbers>

namespace wald {
namespace {

// A start for Newton's method; twelve terms are exact to rounding on [0, pi / 2].
double cosine(double x) {
  double sum = 0, term = 1;
  for (int i = 1; i <= 24; i += 2) {
    sum += term;
    term *= -x * x / (i * (i + 1.0));
  }
  return sum;
}

struct Legendre {
  double value, slope;
};

// P_n and its derivative by the recurrence k P_k = (2k - 1) x P_(k-1) - (k - 1) P_(k-2).
Legendre legendre(int n, double x) {
  double before = 1, now = x;
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  return {now, n * (x * now - before) / (x * x - 1)};
}

// The i-th positive root, from the largest down.
double root(int n, int i) {
  double x = cosine(std::numbers::pi * (i + 0.75) / (n + 0.5));
  for (int step = 0; step < 8; ++step) {
    const Legendre p = legendre(n, x);
    x -= p.value / p.slope;
  }
  return x;
}

}  // namespace

Quadrature gauss_legendre(int n) {
  if (n == 1) return {{0.5}, {1.0}};
  Quadrature q{std::vector<double>(static_cast<std::size_t>(n)), std::vector<double>(static_cast<std::size_t>(n))};
  double total = 0;
  for (int i = 0; i < (n + 1) / 2; ++i) {
    const double x = 2 * i + 1 == n ? 0.0 : root(n, i);
    const double slope = legendre(n, x).slope;
    const double weight = 1 / ((1 - x * x) * slope * slope);  // half of the weight on [-1, 1]
    q.point[n - 1 - i] = (1 + x) / 2, q.point[i] = (1 - x) / 2;
    q.weight[n - 1 - i] = q.weight[i] = weight;
    total += 2 * i + 1 == n ? weight : 2 * weight;
  }
  for (double& weight : q.weight) weight /= total;
  return q;
}

}  // namespace wald
