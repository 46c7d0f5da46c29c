// The pinball loss (Koenker and Bassett 1978): its best constant is the q-quantile.
#pragma once
#include "loss/loss.h"

namespace wald {

struct Quantile {
  double q = 0.5;

  static constexpr std::string_view kMeasure = "pinball";
  static constexpr ScoreIs kScore = ScoreIs::Value;
  double value(double y, double f) const { return y >= f ? q * (y - f) : (1 - q) * (f - y); }
  Slope slope(double y, double f) const { return {y > f ? -q : y < f ? 1 - q : 0, 1}; }
  double quantile() const { return q; }
  static double shown(double mean) { return mean; }
};

}  // namespace wald
