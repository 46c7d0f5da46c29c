// Minus the log likelihood of positive amounts whose spread grows with their mean; the score is the log of the mean.
#pragma once
#include "loss/loss.h"

namespace wald {

struct Gamma {
  static constexpr std::string_view kMeasure = "gamma_deviance";
  static constexpr ScoreIs kScore = ScoreIs::Log;
  static constexpr double kLongestStep = 1;
  static double value(double y, double f) {  // half the deviance: 0 where e^f = y
    return y * exp_exact(-f) - 1 + f - log_exact(y);
  }
  static double exponent(double, double f) { return -f; }
  static Slope slope_at(double y, double e) { return {1 - y * e, y * e}; }
  static Slope slope(double y, double f) { return slope_at(y, exp_exact(exponent(y, f))); }
  static double start(double mean) { return log_exact(mean); }
  static double shown(double mean) { return 2 * mean; }
};

}  // namespace wald
