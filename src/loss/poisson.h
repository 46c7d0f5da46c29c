// Minus the log likelihood of counts; the score is the log of the expected count. y >= 0.
#pragma once
#include "loss/loss.h"

namespace wald {

struct Poisson {
  static constexpr std::string_view kMeasure = "poisson_deviance";
  static constexpr ScoreIs kScore = ScoreIs::Log;
  static constexpr double kLongestStep = 1;
  static double value(double y, double f) {  // half the deviance: 0 where e^f = y
    return exp_exact(f) - y + (y > 0 ? y * (log_exact(y) - f) : 0);
  }
  static double exponent(double, double f) { return f; }
  static Slope slope_at(double y, double mean) { return {mean - y, mean}; }
  static Slope slope(double y, double f) { return slope_at(y, exp_exact(exponent(y, f))); }
  static double start(double mean) { return log_exact(mean); }
  static double shown(double mean) { return 2 * mean; }
};

}  // namespace wald
