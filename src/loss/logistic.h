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
