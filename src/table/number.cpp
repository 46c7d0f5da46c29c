#include "table/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "wald/table.h"

namespace wald {
namespace {

constexpr int kMaxDigits = 18;  // of the mantissa: below 2^63

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) { return lower(a) == b; });
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

std::string_view digits_at(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return text.substr(0, n);
}

// Takes an exponent off the front; nothing if what stands there is none. Beyond 9,999 one is as good as another.
std::optional<int> take_exponent(std::string_view& text) {
  const bool negative = text.size() > 1 && text[1] == '-';
  const std::string_view rest = without_sign(text.substr(1)), digits = digits_at(rest);
  text = rest.substr(digits.size());
  if (digits.empty()) return std::nullopt;
  int out = 0;
  for (const char c : digits) out = std::min(out * 10 + (c - '0'), 9999);
  return negative ? -out : out;
}

void append(NumberText& to, std::string_view digits) {
  for (const char c : digits) to.mantissa = to.mantissa * 10 + (c - '0');
}

// The decimal exponent of the first digit that is not zero: tells too large from too small.
long leading_exponent(std::string_view text) {
  text = without_sign(text);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  const std::size_t first = std::min(text.find_first_of("123456789"), e);
  long exponent = 0;
  if (e < text.size()) {
    const bool plus = text[e + 1] == '+';
    const auto [end, code] = std::from_chars(text.data() + e + 1 + plus, text.data() + text.size(), exponent);
    if (code != std::errc{}) exponent = text[e + 1] == '-' ? -1'000'000'000 : 1'000'000'000;
  }
  return exponent + static_cast<long>(point) - static_cast<long>(first);
}

double slow_value(std::string_view text) {
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc::result_out_of_range) return value + 0.0;  // -0 becomes 0
  if (leading_exponent(text) <= 0) return 0;
  return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

}  // namespace

double power_of_ten(int exponent) {
  static constexpr auto powers = [] {
    std::array<double, 23> p{1};
    for (std::size_t i = 1; i < p.size(); ++i) p[i] = p[i - 1] * 10;
    return p;
  }();
  return powers[static_cast<std::size_t>(exponent)];
}

bool says_infinite(std::string_view text) {
  text = without_sign(text);
  return same_word(text, "inf") || same_word(text, "infinity");
}

NumberText number_text(std::string_view text, char decimal) {
  NumberText out;
  const bool negative = !text.empty() && text[0] == '-';
  text = without_sign(text);
  const std::string_view before = digits_at(text);
  text.remove_prefix(before.size());
  std::string_view after;
  const bool point = !text.empty() && text[0] == decimal;
  if (point) {
    after = digits_at(text.substr(1));
    text.remove_prefix(1 + after.size());
  }
  if (before.empty() && after.empty()) {
    out.number = !point && says_infinite(text);
    return out;
  }
  const bool exponent = !text.empty() && (text[0] == 'e' || text[0] == 'E');
  const std::optional<int> power = exponent ? take_exponent(text) : 0;
  if (!power || !text.empty()) return out;
  out.number = true;
  out.whole = !point && !exponent;
  out.leading_zero = out.whole && before.size() > 1 && before[0] == '0';
  const std::string_view lead = before.substr(std::min(before.find_first_not_of('0'), before.size()));
  const int decimals = static_cast<int>(after.size()) - *power, zeros = std::max(0, -decimals);
  out.compact = static_cast<int>(lead.size() + after.size()) + zeros <= kMaxDigits && decimals <= kMaxDigits;
  if (!out.compact) return out;
  append(out, lead);
  append(out, after);
  for (int i = 0; i < zeros; ++i) out.mantissa *= 10;
  out.decimals = std::max(0, decimals);
  if (negative) out.mantissa = -out.mantissa;
  return out;
}

double decimal_value(std::int64_t mantissa, int decimals) {
  const auto size = static_cast<std::uint64_t>(std::abs(mantissa));
  // Both operands are exact doubles, so one division rounds correctly (Clinger 1990).
  if (size <= std::uint64_t{1} << 53) return static_cast<double>(mantissa) / power_of_ten(decimals);
  // Else the quotient is taken in integers, shifted so that it has 62 or 63 bits. A last bit that stands for the
  // remainder is all that rounding to 53 bits needs to know of it; the power of two then goes out exactly.
  const auto divisor = static_cast<std::uint64_t>(power_of_ten(decimals));
  const int shift = 62 - static_cast<int>(std::bit_width(size)) + static_cast<int>(std::bit_width(divisor));
  const unsigned __int128 dividend = static_cast<unsigned __int128>(size) << shift;
  const auto quotient = static_cast<std::uint64_t>(dividend / divisor);
  const bool rest = quotient * static_cast<unsigned __int128>(divisor) != dividend;
  const auto rounded = static_cast<double>(static_cast<std::int64_t>(quotient | rest));
  const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - shift) << 52);
  return (mantissa < 0 ? -rounded : rounded) * scale;
}

double number_value(std::string_view text, const NumberText& parsed, char decimal) {
  if (parsed.compact) return decimal_value(parsed.mantissa, parsed.decimals);
  if (decimal == '.') return slow_value(text);
  std::string with_point(text);
  std::ranges::replace(with_point, decimal, '.');
  return slow_value(with_point);
}

void Facts::add(std::string_view text, char decimal, std::size_t at) {
  ++cells;
  const NumberText n = number_text(text, decimal);
  if (!n.number) {
    word_at = std::min(word_at, at);
    return;
  }
  ++numbers;
  const double size = std::fabs(number_value(text, n, decimal));
  if (std::isinf(size) && !says_infinite(text)) overflow_at = std::min(overflow_at, at);
  largest = std::max(largest, size);
  decimals = std::max(decimals, n.decimals);
  fraction |= !n.whole;
  wide |= !n.compact;
  leading_zero |= n.leading_zero;
  beyond |= n.whole && (n.compact ? std::abs(n.mantissa) > std::int64_t{1} << 53 : size > 0x1p53);
}

void Facts::merge(const Facts& other) {
  cells += other.cells;
  numbers += other.numbers;
  decimals = std::max(decimals, other.decimals);
  largest = std::max(largest, other.largest);
  fraction |= other.fraction;
  wide |= other.wide;
  leading_zero |= other.leading_zero;
  beyond |= other.beyond;
  word_at = std::min(word_at, other.word_at);
  overflow_at = std::min(overflow_at, other.overflow_at);
}

Form form_of(const Facts& facts, bool must_be_number) {
  if (!must_be_number && (!facts.is_number() || facts.is_code())) return {Shape::Text};
  // The product is a whole number but for an error far below one half, so the comparison is exact.
  const double digits = facts.largest * power_of_ten(facts.decimals);
  if (facts.wide || digits > std::numeric_limits<std::int32_t>::max() + 0.5) return {Shape::Double};
  return {Shape::Decimal, facts.decimals};
}

}  // namespace wald
