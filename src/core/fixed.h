// Fixed point: real numbers as whole multiples of a power of two, so that sums are exact and their order is free.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace wald {

// The largest e for which `count` numbers of size at most `largest`, each rounded to a multiple of 2^-e, sum to
// less than 2^62 of those units. Capped so that 2^e and 2^-e are ordinary doubles.
int grid_bits(double largest, std::uint64_t count);

// 2^k for -1022 <= k <= 1023.
inline double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// x 2^k, rounded once: std::ldexp without the call.
inline double times_power(double x, int k) { return k >= -1022 && k <= 1023 ? x * power_of_two(k) : std::ldexp(x, k); }

// Round to nearest, ties to even.
inline std::int64_t to_fixed(double value, int bits) { return std::llrint(times_power(value, bits)); }
inline double from_fixed(std::int64_t units, int bits) { return times_power(static_cast<double>(units), -bits); }

}  // namespace wald
