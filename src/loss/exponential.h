// AdaBoost's loss (Friedman, Hastie and Tibshirani 2000): exp(-s f / 2) for s = -1 or +1, that is y = 0 or 1. With the
// half, the score that minimises it is the log odds, as for the logistic loss.
#pragma once
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Exponential {
  static constexpr std::string_view kMeasure = "exponential";
  static constexpr ScoreIs kScore = ScoreIs::LogOdds;
  static constexpr double kLongestStep = 2;
  static double value(double y, double f) { return exp_exact((0.5 - y) * f); }
  static double exponent(double y, double f) { return (0.5 - y) * f; }
  static Slope slope_at(double y, double e) { return {(0.5 - y) * e, 0.25 * e}; }
  static Slope slope(double y, double f) { return slope_at(y, exp_exact(exponent(y, f))); }
  static double start(double share) { return log_exact(share / (1 - share)); }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
