#include "learn/private_boost_plan.h"

#include <algorithm>
#include <cmath>

namespace wald {
namespace {

constexpr double kWeak = 300;       // rows times mu, below which even the majority is uncertain
constexpr double kUnsure = 450;     // likewise, below which the spread of numbers is
constexpr double kStrong = 3000;    // rows times mu, from which on columns are worth being cut finely,
constexpr double kStronger = 8000;  // and more finely yet
constexpr int kMostTrees = 400;     // but for more columns, up to so many of which have a tree each
constexpr std::size_t kMostAlone = 2000;

}  // namespace

Shares shares_of(const PrivateBoost& how, bool classes) {
  Shares out;
  if (!classes) out.start = 0.04;  // a long tail has many cells of few rows
  if (how.column_share >= 0) out.columns = how.column_share;
  return out;
}

// The start alone makes a model no worse than the majority or the mean, so it comes first where there is little to
// spend.
double restart_share(double mu, double rows, bool classes) {
  const double strength = std::max(rows * mu, 1.0);
  if (strength >= (classes ? kWeak : kUnsure)) return 0;
  return std::min((classes ? 0.2 : 0.14) * std::sqrt(kWeak / strength), 0.8);
}

int most_trees(const PrivateBoost& how, std::size_t columns) {
  if (how.trees > 0) return how.trees;
  return std::max(kMostTrees, kMostTrees / 2 + static_cast<int>(std::min(columns, kMostAlone)));
}

// Noise grows as the root of the number of trees, and each must still say something through it: more trees pay only
// where rows times mu, which is how far the sum of all rows stands out from the noise of one tree, is large.
Plan plan_of(const PrivateBoost& how, double mu, double rows, std::size_t columns, bool classes) {
  Plan out;
  const double strength = std::max(rows * mu, 1.0);
  out.trees =
      std::clamp(static_cast<int>(std::lround((classes ? 18 : 27) * std::cbrt(strength / 100))), 20, kMostTrees);
  if (strength < kWeak) out.trees = std::max(4, static_cast<int>(39 * std::pow(strength / kWeak, 2.5)));
  const int many = static_cast<int>(std::min(columns, kMostAlone));
  if (many > out.trees / 2 && strength >= kWeak) out.trees += many - out.trees / 2;  // every column has its turn
  out.alone = 2 * many <= out.trees / 2 ? 2 : 1;
  if (how.trees > 0) out.trees = how.trees;
  if (how.learning_rate > 0) out.rate = how.learning_rate;
  if (strength < kWeak) out.doubt = 0.5;
  if (strength > kStrong) out.parts = 14;
  if (strength > kStronger) out.parts = out.levels = 24;
  if (how.parts > 0) out.parts = out.levels = how.parts;
  if (how.columns > 0) out.columns = how.columns;
  if (out.columns > 2) out.each_parts = 4;
  if (out.columns > 4) out.each_parts = 3;
  return out;
}

}  // namespace wald
