// Half the squared error: its best constant is the mean.
#pragma once
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Squared {
  static constexpr std::string_view kMeasure = "rmse";
  static constexpr ScoreIs kScore = ScoreIs::Value;
  static double value(double y, double f) { return 0.5 * (f - y) * (f - y); }
  static Slope slope(double y, double f) { return {f - y, 1}; }
  static double start(double mean) { return mean; }
  static double shown(double mean) { return std::sqrt(2 * mean); }
};

}  // namespace wald
