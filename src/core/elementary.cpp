#include "core/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/elementary_terms.h"
#include "core/fixed.h"

namespace wald {
namespace {

using namespace elementary;

struct Parts {
  double mantissa;
  int exponent;
};

// x = mantissa * 2^exponent with mantissa in [sqrt(1/2), sqrt(2)).
Parts split(double x) {
  int shift = 0;
  if (x < 0x1p-1022) x *= 0x1p54, shift = -54;  // denormal
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000F'FFFF'FFFF'FFFF) | 0x3FF0'0000'0000'0000);
  if (mantissa >= kRootOf2) mantissa /= 2, ++exponent;
  return {mantissa, exponent + shift};
}

// log(m) = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172: the series to s^21 is below 2^-63 of the result.
double log_mantissa(double m) {
  const double f = m - 1, s = f / (m + 1), z = s * s;
  double tail = 0;
  for (const double term : kLogTerms) tail = tail * z + term;
  // 2s = f - s f, and writing it so keeps the leading term f exact.
  return f - s * (f - 2 * z * tail);
}

}  // namespace

double exp_exact(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.1332191019412) return 0;
  const double k = x * kLog2e + kRound - kRound;                            // to the nearest whole number
  const double high = x - k * kLn2High, low = k * kLn2Low, r = high - low;  // |r| <= 0.347
  double tail = 0;
  for (const double term : kExpTerms) tail = tail * r + term;
  const double y = 1 + (high - (low - r * r * tail));
  const int n = static_cast<int>(k);
  if (n > 1023) return y * power_of_two(1023) * 2;
  if (n < -1022) return y * power_of_two(n + 54) * 0x1p-54;
  return y * power_of_two(n);
}

double log_exact(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  const auto [m, e] = split(x);
  return e * kLn2High + (log_mantissa(m) + e * kLn2Low);
}

double log2_exact(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  const auto [m, e] = split(x);
  return e + log_mantissa(m) * kLog2e;
}

}  // namespace wald
