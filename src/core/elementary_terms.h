// The numbers that exp and log compute with, of one number or of many.
#pragma once
#include <cstddef>

namespace wald::elementary {

// ln 2 in two parts: the first has 21 trailing zero bits, so that k * kLn2High is exact for |k| < 2^20.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kLog2e = 0x1.71547652b82fep+0;
inline constexpr double kRound = 0x1.8p52;        // adding it leaves no room for a fraction
inline constexpr double kExpOrdinary = 708;       // e^x is neither denormal nor infinite for |x| up to here
inline constexpr std::size_t kExpTermCount = 12;  // of the series of (e^r - 1 - r) / r^2, the last first
inline constexpr double kExpTerms[kExpTermCount] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0,
                                                    1 / 362880.0,     1 / 40320.0,     1 / 5040.0,     1 / 720.0,
                                                    1 / 120.0,        1 / 24.0,        1 / 6.0,        1 / 2.0};

inline constexpr double kRootOf2 = 0x1.6a09e667f3bcdp+0;
inline constexpr std::size_t kLogTermCount = 10;  // of the series of artanh(s) / s in s^2, the last first
inline constexpr double kLogTerms[kLogTermCount] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                                    1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};

}  // namespace wald::elementary
