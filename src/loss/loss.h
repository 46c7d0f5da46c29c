// A loss is a few lines of mathematics: what a score costs, how that changes with the score, and where to begin. Loops,
// weights and threads are the business of whoever minimises it (objective.h).
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/elementary.h"
#include "wald/loss.h"

namespace wald {

enum class ScoreIs : std::uint8_t { Value, LogOdds, Log };  // of the prediction

template <class L>
concept Loss = requires(const L& loss, double y, double f) {
  { loss.value(y, f) } -> std::same_as<double>;
  { loss.slope(y, f) } -> std::same_as<Slope>;
  { loss.shown(0.5) } -> std::same_as<double>;  // the measure people know, from the mean value
  { L::kMeasure } -> std::convertible_to<std::string_view>;
  { L::kScore } -> std::convertible_to<ScoreIs>;
};

// The best constant score, if the mean of the targets is enough to know it. Else it is found by Newton steps.
template <class L>
concept StartsAtMean = requires(const L& loss, double mean) {
  { loss.start(mean) } -> std::same_as<double>;
};

// The best constant score is this quantile of the targets, and the best value of a leaf that of its residuals: second
// derivatives say nothing of such losses.
template <class L>
concept FitsQuantile = requires(const L& loss) {
  { loss.quantile() } -> std::same_as<double>;
};

// A slope that takes one exponential, of exponent(y, f), and little else. They are computed many at a time.
template <class L>
concept SlopesFromExp = requires(const L& loss, double y, double f, double e) {
  { loss.exponent(y, f) } -> std::same_as<double>;
  { loss.slope_at(y, e) } -> std::same_as<Slope>;
};

// The values of many rows at once, the same to the last bit.
template <class L>
concept ValuesTogether = requires(const L& loss, std::span<const double> y, std::span<const double> f) {
  { loss.values(y, f, std::span<double>{}) };
};

// Where a leaf's value is a step on a logarithmic scale, second derivatives may be far too small where the score is
// wrong, and a longer step than this is not to be trusted.
template <class L>
constexpr double longest_step() {
  if constexpr (requires { L::kLongestStep; }) return L::kLongestStep;
  return std::numeric_limits<double>::infinity();
}

}  // namespace wald
