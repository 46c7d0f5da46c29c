// The threshold on raw values for a cut between two bins: the middle of the gap between the values on either side.
// Where those have at most fifteen digits, as numbers that people write do, so has the threshold: the middle of 300 and
// 300.1 is 300.05, not 300.04999999999995.
#pragma once
#include <charconv>
#include <numeric>

namespace wald {

inline double to_fifteen_digits(double value) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 14);
  double rounded = 0;
  std::from_chars(text, written.ptr, rounded);
  return rounded;
}

inline double threshold_between(double below, double above) {
  const auto divides = [&](double t) { return t >= below && t < above; };
  const double middle = std::midpoint(below, above);
  if (!divides(middle)) return below;
  if (to_fifteen_digits(below) != below || to_fifteen_digits(above) != above) return middle;
  const double rounded = to_fifteen_digits(middle);
  return divides(rounded) ? rounded : middle;
}

}  // namespace wald
