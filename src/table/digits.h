// The quick way through a plain decimal number: eight bytes at a time, no branch on how many digits there are.
// Bytes are little endian in memory order; on a big-endian machine the words are swapped when loaded.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace wald {

inline std::uint64_t load_word(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// How many of the eight bytes, from the first on, are digits.
inline int leading_digits(std::uint64_t word) {
  const std::uint64_t value = word ^ 0x3030303030303030u;  // 0 .. 9 for digits
  const std::uint64_t other = ((value + 0x7676767676767676u) | value) & 0x8080808080808080u;
  // A carry out of a byte above 0x89 only disturbs bytes behind the first non-digit.
  return std::countr_zero(other) >> 3;
}

// The number that the first n of the eight bytes write, 0 <= n <= 8, all of them digits.
inline std::uint64_t digits_value(std::uint64_t word, int n) {
  // Shifted to the last n bytes; zero bytes before them read as the digit 0. A shift by 64 is split in two.
  word = (word & 0x0F0F0F0F0F0F0F0Fu) << (32 - 4 * n) << (32 - 4 * n);
  word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFu;
  word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFu;
  return (word * 10000 + (word >> 32)) & 0xFFFFFFFFu;
}

struct DigitRun {
  std::uint64_t value = 0;  // right up to 19 digits
  int count = 0;            // 24 = perhaps more
};
inline DigitRun digit_run(const char* p) {
  static constexpr std::uint32_t kPower[9] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  DigitRun out;
  for (int part = 0; part < 3; ++part) {
    const std::uint64_t word = load_word(p + 8 * part);
    const int n = leading_digits(word);
    out.value = out.value * kPower[n] + digits_value(word, n);
    out.count += n;
    if (n < 8) break;
  }
  return out;
}

// [-] digits [point, digits], 18 digits in all behind leading zeros: mantissa / 10^decimals. What ends it is at `end`;
// nullptr if this is not such a number. Reads up to kReach bytes from p.
struct PlainDecimal {
  static constexpr int kReach = 56;
  static constexpr int kDigits = 18;
  const char* end = nullptr;
  std::int64_t mantissa = 0;
  int decimals = 0;
  bool leading_zero = false;  // of a whole number with several digits
};

inline PlainDecimal plain_decimal(const char* p, char point) {
  static constexpr auto kPower = [] {
    std::array<std::uint64_t, 25> power{1};
    for (std::size_t i = 1; i < power.size(); ++i) power[i] = i < 19 ? power[i - 1] * 10 : 0;
    return power;
  }();
  const std::int64_t negative = *p == '-';
  p += negative;
  const DigitRun whole = digit_run(p);
  const char* at = p + whole.count;
  std::uint64_t mantissa = whole.value;
  int decimals = 0;
  bool leading_zero = false;
  if (*at == point) {
    const DigitRun fraction = digit_run(at + 1);
    decimals = fraction.count;
    mantissa = mantissa * kPower[static_cast<std::size_t>(decimals)] + fraction.value;
    at += 1 + decimals;
  } else {
    leading_zero = whole.count > 1 && *p == '0';
  }
  const bool none = whole.value == 0 && whole.count < 24;  // zeros only, which take no room
  const int digits = decimals + (none ? 0 : whole.count);
  const bool plain = whole.count > 0 && digits <= PlainDecimal::kDigits;
  return {plain ? at : nullptr, (static_cast<std::int64_t>(mantissa) ^ -negative) + negative, decimals, leading_zero};
}

// The same for a number of up to eight digits when its end is known and no sign is before it: the bytes around the
// point are pushed together and converted at once. Most cells of most tables are such, and their lengths vary, so
// nothing here branches on a length. Reads nine bytes.
struct ShortDecimal {
  bool fits = false;
  std::uint32_t value = 0;
  int decimals = 0;
  bool pointed = false;
};

inline ShortDecimal short_decimal(const char* p, const char* end, char point) {
  const std::int64_t length = end - p;
  const std::uint64_t word = load_word(p), next = load_word(p + 1);
  const std::uint64_t x = word ^ (0x0101010101010101u * static_cast<unsigned char>(point));
  const std::uint64_t found = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;  // lowest bit: the first point
  const std::int64_t before = std::countr_zero(found) >> 3;                          // bytes in front of it, else 8
  const std::int64_t pointed = before < length;
  const std::int64_t count = length - pointed;
  const bool unfit = (static_cast<std::uint64_t>(count - 1) > 7) | ((found == 0) & (length > 8));
  if (unfit) [[unlikely]]
    return {};
  const std::uint64_t front = ((found & (0 - found)) >> 7) - 1;
  const std::uint64_t digits = ((word & front) | (next & ~front)) << (64 - 8 * count);
  const std::uint64_t value = digits ^ (0x3030303030303030u << (64 - 8 * count));
  if ((((value + 0x7676767676767676u) | value) & 0x8080808080808080u) != 0) [[unlikely]]
    return {};
  return {true, static_cast<std::uint32_t>(digits_value(value, 8)), static_cast<int>((count - before) & -pointed),
          pointed != 0};
}

}  // namespace wald
