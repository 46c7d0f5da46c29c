// Squared near the target, absolute far from it (Huber 1964): outliers pull no harder than `width`.
#pragma once
#include <algorithm>
#include <cmath>

#include "loss/loss.h"

namespace wald {

struct Huber {
  double width = 1;

  static constexpr std::string_view kMeasure = "huber";
  static constexpr ScoreIs kScore = ScoreIs::Value;
  double value(double y, double f) const {
    const double r = std::fabs(f - y);
    return r <= width ? 0.5 * r * r : width * (r - 0.5 * width);
  }
  // The curvature is that of the parabola everywhere: beyond `width` it is 0, which no step can be divided by.
  Slope slope(double y, double f) const { return {std::clamp(f - y, -width, width), 1}; }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
