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
  static void slopes(int label, std::span<const double> f, std::span<Slope> out) {
    const double top = *std::ranges::max_element(f), k = static_cast<double>(f.size()),
                 around = k > 1 ? k / (k - 1) : 1;
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += out[i].first = exp_exact(f[i] - top);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double p = out[i].first / sum;
      out[i] = {p - (static_cast<std::size_t>(label) == i ? 1.0 : 0.0), p * (1 - p) * around};
    }
  }
};

}  // namespace wald
