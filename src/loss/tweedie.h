// Amounts that are often 0 and otherwise positive: a Poisson number of gamma amounts (Jorgensen 1987), whose variance
// is mean^power. 1 < power < 2, y >= 0; the score is the log of the mean.
#pragma once
#include "loss/loss.h"

namespace wald {

struct Tweedie {
  double power = 1.5;

  static constexpr std::string_view kMeasure = "tweedie_deviance";
  static constexpr ScoreIs kScore = ScoreIs::Log;
  static constexpr double kLongestStep = 1;
  double value(double y, double f) const {  // half the deviance: 0 where e^f = y
    const double p = power, own = y > 0 ? exp_exact((2 - p) * log_exact(y)) / ((1 - p) * (2 - p)) : 0;
    return own - y * exp_exact((1 - p) * f) / (1 - p) + exp_exact((2 - p) * f) / (2 - p);
  }
  Slope slope(double y, double f) const {
    const double a = y * exp_exact((1 - power) * f), b = exp_exact((2 - power) * f);
    return {b - a, (2 - power) * b + (power - 1) * a};
  }
  static double start(double mean) { return log_exact(mean); }
  static double shown(double mean) { return 2 * mean; }
};

}  // namespace wald
