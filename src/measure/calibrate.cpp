// Curves from scores to probabilities.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "wald/decide.h"

namespace wald {
namespace {

double weight_at(std::span<const double> weight, std::size_t row) { return weight.empty() ? 1.0 : weight[row]; }

// What a row of the class and one of the others are taken for, so that no probability becomes 0 or 1 (Platt 1999,
// section 2.1).
struct Aims {
  double yes = 0, no = 0;
};
Aims aims_of(std::span<const std::uint8_t> yes, std::span<const double> weight) {
  double with = 0, without = 0;
  for (std::size_t i = 0; i < yes.size(); ++i) (yes[i] ? with : without) += weight_at(weight, i);
  return {(with + 1) / (with + 2), 1 / (without + 2)};
}

// log(1 + exp(z)), without overflow.
double softplus(double z) { return (z > 0 ? z : 0) + log_exact(1 + exp_exact(-std::fabs(z))); }

struct Sigmoid {
  double slope = 0, offset = 0;
};

}  // namespace

// Newton's method with backtracking on the log loss (Lin, Lin and Weng 2007, "A note on Platt's probabilistic outputs
// for support vector machines").
Calibration::Curve fit_sigmoid(std::span<const double> x, std::span<const std::uint8_t> yes,
                               std::span<const double> weight) {
  constexpr int kMostSteps = 100;
  constexpr double kRidge = 1e-12, kSmallSlope = 1e-10, kSmallestStep = 1e-10, kEnough = 1e-4;
  const Aims aims = aims_of(yes, weight);
  const auto loss = [&](const Sigmoid& s) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double z = s.slope * x[i] + s.offset, aim = yes[i] ? aims.yes : aims.no;
      sum += weight_at(weight, i) * (softplus(z) - aim * z);
    }
    return sum;
  };
  double with = 0, without = 0;
  for (std::size_t i = 0; i < x.size(); ++i) (yes[i] ? with : without) += weight_at(weight, i);
  Sigmoid at{0, log_exact((with + 1) / (without + 1))};
  double now = loss(at);
  for (int step = 0; step < kMostSteps; ++step) {
    double h11 = kRidge, h22 = kRidge, h21 = 0, g1 = 0, g2 = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double z = at.slope * x[i] + at.offset, e = exp_exact(-std::fabs(z));
      const double p = z >= 0 ? 1 / (1 + e) : e / (1 + e), w = weight_at(weight, i);
      const double curve = w * p * (1 - p), miss = w * (p - (yes[i] ? aims.yes : aims.no));
      h11 += x[i] * x[i] * curve, h22 += curve, h21 += x[i] * curve;
      g1 += x[i] * miss, g2 += miss;
    }
    if (std::fabs(g1) < kSmallSlope && std::fabs(g2) < kSmallSlope) break;
    const double det = h11 * h22 - h21 * h21;
    const double d1 = -(h22 * g1 - h21 * g2) / det, d2 = -(h11 * g2 - h21 * g1) / det;
    const double fall = g1 * d1 + g2 * d2;
    double share = 1;
    for (; share >= kSmallestStep; share /= 2) {
      const Sigmoid next{at.slope + share * d1, at.offset + share * d2};
      if (const double then = loss(next); then < now + kEnough * share * fall) {
        at = next, now = then;
        break;
      }
    }
    if (share < kSmallestStep) break;
  }
  return {{at.slope}, {at.offset}};
}

// Pools neighbours that fall (Ayer and others 1955). A pool is a segment of the ROC curve's hull, its mean the slope
// there (Fawcett and Niculescu-Mizil 2007).
Calibration::Curve fit_isotonic(std::span<const double> x, std::span<const std::uint8_t> yes,
                                std::span<const double> weight) {
  struct Level {
    double low = 0, high = 0, sum = 0, weight = 0;
    double mean() const { return sum / weight; }
  };
  const Aims aims = aims_of(yes, weight);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  std::vector<Level> pools;
  const auto join_last = [&] {
    const Level last = pools.back();
    pools.pop_back();
    pools.back().high = last.high, pools.back().sum += last.sum, pools.back().weight += last.weight;
  };
  for (std::size_t i = 0; i < order.size();) {
    Level next{x[order[i]], x[order[i]]};
    for (; i < order.size() && x[order[i]] == next.low; ++i) {
      const double w = weight_at(weight, order[i]);
      next.sum += yes[order[i]] ? w : 0, next.weight += w;
    }
    if (!(next.weight > 0)) continue;
    pools.push_back(next);
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) join_last();
  }
  Calibration::Curve out;
  for (const Level& pool : pools) {
    const double p = aims.no + (aims.yes - aims.no) * pool.mean();
    for (const double at : {pool.low, pool.high}) {
      if (!out.at.empty() && out.at.back() == at) continue;
      out.at.push_back(at), out.to.push_back(p);
    }
  }
  return out;
}

}  // namespace wald
