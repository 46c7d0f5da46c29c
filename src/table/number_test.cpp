#include "table/number.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <string>

#include "core/random.h"
#include "table/digits.h"

namespace wald {
namespace {

double value(std::string_view text) { return number_value(text, number_text(text, '.'), '.'); }

TEST(Number, TheGrammarIsSignDigitsPointDigitsExponent) {
  for (const char* text :
       {"0", "-1", "+1", "1.", ".5", "-.5", "1e5", "1E-5", "1.5e+3", "inf", "-INF", "+Infinity", "007"})
    EXPECT_TRUE(number_text(text, '.').number) << text;
  for (const char* text : {"",      "-",   "+",       ".",   "-.",  "e5",    "1e", "1e+", "1.2.3", "1,5", "0x1F",
                           "1_000", "nan", "infinit", "--1", "1 2", "1e5.5", "½",  ".e5", "-.inf", ".inf"})
    EXPECT_FALSE(number_text(text, '.').number) << text;
  EXPECT_TRUE(number_text("1,5", ',').number);
  EXPECT_FALSE(number_text("1.5", ',').number);
}

TEST(Number, CodesAreWholeNumbersWithALeadingZero) {
  for (const char* text : {"007", "00", "-01"}) EXPECT_TRUE(number_text(text, '.').leading_zero) << text;
  for (const char* text : {"0", "0.5", "00.5", "10", "01e2"}) EXPECT_FALSE(number_text(text, '.').leading_zero) << text;
}

TEST(Number, ValuesAreTheNearestDoubles) {
  const Random random(3, Purpose::Sample);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t r = random.bits(i);
    std::string text = (r & 1) != 0 ? "-" : "";
    text += std::to_string(random.below(std::uint64_t{1} << (r >> 1 & 63), i + 100'000));
    if ((r >> 8 & 1) != 0) text += "." + std::to_string(random.below(std::uint64_t{1} << (r >> 9 & 63), i + 200'000));
    if ((r >> 16 & 3) == 0) text += "e" + std::to_string(static_cast<int>(r >> 20 & 511) - 256);
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(value(text), expected) << text;
  }
}

TEST(Number, LongDecimalsAreTheNearestDoublesAlsoAtTies) {
  const Random random(4, Purpose::Sample);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t digits = 1 + random.below(18, 4 * i), decimals = random.below(19, 4 * i + 1);
    std::uint64_t most = 1;
    for (std::uint64_t d = 0; d < digits; ++d) most *= 10;
    std::uint64_t mantissa = random.below(most, 4 * i + 2);
    // A whole number just between two doubles, and its neighbours.
    if (random.below(3, 4 * i + 3) == 0 && mantissa > 1u << 30) mantissa = (mantissa >> 20 << 20 | 1 << 10) + i % 3 - 1;
    if (mantissa >= most) continue;
    const std::string text = std::to_string(mantissa) + "e-" + std::to_string(decimals);
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(decimal_value(static_cast<std::int64_t>(mantissa), static_cast<int>(decimals)), expected) << text;
    ASSERT_EQ(decimal_value(-static_cast<std::int64_t>(mantissa), static_cast<int>(decimals)), -expected) << text;
  }
  EXPECT_EQ(decimal_value(9007199254740993, 0), 9007199254740992);  // a tie goes to even
  EXPECT_EQ(decimal_value(9007199254740995, 0), 9007199254740996);
  EXPECT_EQ(decimal_value(999999999999999999, 18), 1);
}

TEST(Number, TooLargeIsInfiniteAndTooSmallIsZero) {
  EXPECT_TRUE(std::isinf(value("1e400")));
  EXPECT_TRUE(std::isinf(value("1" + std::string(400, '0'))));
  EXPECT_EQ(value("1e-400"), 0);
  EXPECT_EQ(value("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(value("0e999999999999"), 0);
  EXPECT_EQ(value("0.0000e999999999999999999999"), 0);
  EXPECT_EQ(value("-0.0"), 0);
  EXPECT_FALSE(std::signbit(value("-0.0")));
  EXPECT_FALSE(std::signbit(value("-0.0000000000000000000000000")));
}

// Every way of reading a plain number gives what the grammar gives, whatever stands behind it.
TEST(Number, TheQuickWaysAgreeWithTheGrammar) {
  const Random random(5, Purpose::Sample);
  const std::string alphabet = "0123456789001.-+e,x";
  int plain = 0;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    std::string text;
    const std::uint64_t length = random.below(32, i * 64);
    for (std::uint64_t j = 0; j < length; ++j) {
      const std::uint64_t letters = random.below(4, i * 64 + 1) == 0 ? alphabet.size() : j == 0 ? 15 : 13;
      text += alphabet[random.below(letters, i * 64 + 2 + j)];
    }
    const std::string padded =
        text + "," + std::string("12.345,-6,7.89012345678901234567890123456789012345678901234567890");
    const NumberText expected = number_text(text, '.');
    const char* end = padded.data() + text.size();
    const auto same = [&](std::int64_t mantissa, int decimals) {
      ++plain;
      ASSERT_TRUE(expected.number && expected.compact) << text;
      ASSERT_EQ(mantissa, expected.mantissa) << text;
      ASSERT_EQ(decimals, expected.decimals) << text;
    };
    if (const PlainDecimal n = plain_decimal(padded.data(), '.'); n.end == end) {
      same(n.mantissa, n.decimals);
      ASSERT_EQ(n.leading_zero, expected.leading_zero) << text;
    }
    const bool negative = text.starts_with('-');
    if (const ShortDecimal n = short_decimal(padded.data() + negative, end, '.'); n.fits) {
      same(negative ? -std::int64_t{n.value} : n.value, n.decimals);
      ASSERT_EQ(n.pointed, text.find('.') != std::string::npos) << text;
    }
  }
  EXPECT_GT(plain, 100'000);
}

TEST(Number, TheNarrowestFormThatHoldsAllCellsIsChosen) {
  const auto form = [](std::initializer_list<const char*> cells) {
    Facts facts;
    for (const char* cell : cells) facts.add(cell, '.', 0);
    return form_of(facts, false);
  };
  EXPECT_EQ(form({"1", "2.50"}).shape, Shape::Decimal);
  EXPECT_EQ(form({"1", "2.50"}).decimals, 2);
  EXPECT_EQ(form({"21474836.47"}).shape, Shape::Decimal);
  EXPECT_EQ(form({"21474836.48"}).shape, Shape::Double);
  EXPECT_EQ(form({"0.000000001", "2.147483647"}).shape, Shape::Decimal);
  EXPECT_EQ(form({"0.000000001", "2.147483648"}).shape, Shape::Double);
  EXPECT_EQ(form({"0.000000000000000001"}).decimals, 18);
  EXPECT_EQ(form({"1e2", "2.5e-3", "-7e-05"}).shape, Shape::Decimal);  // as programs write small numbers
  EXPECT_EQ(form({"1e2", "2.5e-3", "-7e-05"}).decimals, 5);
  EXPECT_EQ(form({"1e10"}).shape, Shape::Double);
  EXPECT_EQ(form({"1e-19"}).shape, Shape::Double);
  EXPECT_EQ(form({"1", "x"}).shape, Shape::Text);
  EXPECT_EQ(form({"1", "02"}).shape, Shape::Text);
  EXPECT_EQ(form({}).shape, Shape::Decimal);
}

}  // namespace
}  // namespace wald
