// Minus the log likelihood of two classes, y = 0 or 1; the score is the log odds of 1.
#pragma once
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Logistic {
  static constexpr std::string_view kMeasure = "log_loss";
  static constexpr ScoreIs kScore = ScoreIs::LogOdds;
  // log(1 + e^f) - y f, without overflow.
  static double value(double y, double f) { return std::fmax(f, 0) - y * f + log_exact(1 + exp_exact(-std::fabs(f))); }
  static void values(std::span<const double> y, std::span<const double> f, std::span<double> out) {
    for (std::size_t i = 0; i < f.size(); ++i) out[i] = -std::fabs(f[i]);
    exp_each(out);
    for (double& v : out) v = 1 + v;
    log_each(out);
    for (std::size_t i = 0; i < f.size(); ++i) out[i] = (f[i] > 0 ? f[i] : 0) - y[i] * f[i] + out[i];  // many at once
  }
  static double exponent(double, double f) { return -f; }
  static Slope slope_at(double y, double e) {
    const double p = 1 / (1 + e);
    return {p - y, p * (1 - p)};
  }
  static Slope slope(double y, double f) { return slope_at(y, exp_exact(exponent(y, f))); }
  static double start(double share) { return log_exact(share / (1 - share)); }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
