// Minus the log likelihood of several classes; the probability of class k is e^f_k / sum_j e^f_j.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "loss/loss.h"

namespace wald {

struct Softmax {
  static constexpr std::string_view kMeasure = "log_loss";

  static double value(int label, std::span<const double> f) {
    const double top = *std::ranges::max_element(f);
    double sum = 0;
    for (const double v : f) sum += exp_exact(v - top);
    return log_exact(sum) - (f[static_cast<std::size_t>(label)] - top);
  }

  // All scores move at once, and the same step in all of them changes nothing: seen from one score, the others step
  // back by 1 / (K - 1) of its step on average. Hence the curvature p (1 - p) K / (K - 1) (Friedman 2001, equation 30).
  // e: e^f, or any multiple of it.
  static void slopes_at(int label, std::span<const double> e, std::span<Slope> out) {
    const double k = static_cast<double>(e.size()), around = k > 1 ? k / (k - 1) : 1;
    double sum = 0;
    for (const double v : e) sum += v;
    for (std::size_t i = 0; i < e.size(); ++i) {
      const double p = e[i] / sum;
      out[i] = {p - (static_cast<std::size_t>(label) == i ? 1.0 : 0.0), p * (1 - p) * around};
    }
  }
  // What to take exponentials of: none of these overflows.
  static void exponents(std::span<const double> f, std::span<double> out) {
    const double top = *std::ranges::max_element(f);
    for (std::size_t i = 0; i < f.size(); ++i) out[i] = f[i] - top;
  }
};

}  // namespace wald
