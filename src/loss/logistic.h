// Minus the log likelihood of two classes, y = 0 or 1; the score is the log odds of 1.
#pragma once
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Logistic {
  static constexpr std::string_view kMeasure = "log_loss";
  static constexpr ScoreIs kScore = ScoreIs::LogOdds;
  static double chance(double f) { return 1 / (1 + exp_exact(-f)); }
  // log(1 + e^f) - y f, without overflow.
  static double value(double y, double f) { return std::fmax(f, 0) - y * f + log_exact(1 + exp_exact(-std::fabs(f))); }
  static Slope slope(double y, double f) {
    const double p = chance(f);
    return {p - y, p * (1 - p)};
  }
  static double start(double share) { return log_exact(share / (1 - share)); }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
