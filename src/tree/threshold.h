// The threshold on raw values for a cut between two bins: the middle of the gap between the values on either side.
// Where those have at most fifteen digits, as numbers that people write do, so has the threshold: the middle of 300 and
// 300.1 is 300.05, not 300.04999999999995.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace wald {

inline double to_fifteen_digits(double value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 14);
  double rounded = 0;
  std::from_chars(text, written.ptr, rounded);
  return rounded;
}

// value = digits / 10^places, digits a whole number below 10^15: then `value` is the double nearest to that decimal.
struct FewDigits {
  double digits = 0;
  int places = -1;  // -1: not found to be one
};
constexpr double kTens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
inline FewDigits few_digits(double value) {
  for (int places = 0; places < 7; ++places) {
    const double shifted = value * kTens[places], digits = shifted + 0x1.8p52 - 0x1.8p52;  // the nearest whole number
    if (!(std::fabs(digits) < 1e14)) break;
    if (std::fabs(shifted - digits) > 0x1p-50 * std::fabs(shifted)) continue;  // most often: spares the division
    if (digits / kTens[places] == value) return {digits, places};  // both exact, so the quotient is rounded once
  }
  return {};
}

inline double threshold_between(double below, double above) {
  const auto divides = [&](double t) { return t >= below && t < above; };
  const double middle = std::midpoint(below, above);
  if (!divides(middle)) return below;
  // Nearly always the middle can be had without writing and reading decimals. Of numbers of one sign it is so near to
  // the decimal below that fifteen digits are those of the decimal.
  if (const FewDigits a = few_digits(below), b = few_digits(above);
      a.places >= 0 && b.places >= 0 && (below >= 0) == (above >= 0)) {
    const int places = std::max(a.places, b.places);
    const double twice = a.digits * kTens[places - a.places] + b.digits * kTens[places - b.places];
    if (std::fabs(twice) < 1e14) {
      const double rounded = twice * 5 / kTens[places + 1];
      return divides(rounded) ? rounded : middle;
    }
  }
  if (to_fifteen_digits(below) != below || to_fifteen_digits(above) != above) return middle;
  const double rounded = to_fifteen_digits(middle);
  return divides(rounded) ? rounded : middle;
}

}  // namespace wald
