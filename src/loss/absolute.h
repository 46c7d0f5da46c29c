// The absolute error: its best constant is the median.
#pragma once
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Absolute {
  static constexpr std::string_view kMeasure = "mae";
  static constexpr ScoreIs kScore = ScoreIs::Value;
  static double value(double y, double f) { return std::fabs(f - y); }
  static Slope slope(double y, double f) { return {f > y ? 1.0 : f < y ? -1.0 : 0.0, 1}; }
  static double quantile() { return 0.5; }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
