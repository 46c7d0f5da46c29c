#include "core/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace wald {

TEST(Text, NearestFindsTypingMistakes) {
  const std::vector<std::string> names{"target", "threads", "trees", "max-depth"};
  EXPECT_EQ(nearest("taget", names), "target");
  EXPECT_EQ(nearest("tagret", names), "target");
  EXPECT_EQ(nearest("Target", names), "target");
  EXPECT_EQ(nearest("max-dept", names), "max-depth");
  EXPECT_EQ(nearest("thre", names), "threads");
  EXPECT_EQ(nearest("thread", names), "threads");
  EXPECT_EQ(nearest("zebra", names), "");
  EXPECT_EQ(nearest("x", names), "");
}

TEST(Text, PrintableNeverLetsAControlCharacterThrough) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\n");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Text, Utf8IsCheckedByTheStandard) {
  EXPECT_TRUE(valid_utf8("größe 東京 😀"));
  EXPECT_FALSE(valid_utf8("\xC0\x80"));          // overlong
  EXPECT_FALSE(valid_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(valid_utf8("\xF4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(valid_utf8("abc\xE2\x82"));       // cut off
}

TEST(Text, AWideCharacterTakesTwoColumnsAndAMarkNone) {
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("東京 😀"), 7u);
  EXPECT_EQ(display_width("u\u0308ber"), 4u);
  EXPECT_EQ(display_width("\xff!"), 2u);
  EXPECT_EQ(display_width(""), 0u);
}

TEST(Text, NumbersReadWell) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(61348), "61,348");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(plural(1, "row"), "1 row");
  EXPECT_EQ(plural(12, "row"), "12 rows");
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(exact_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(short_text(0.123456), "0.1235");
  EXPECT_EQ(short_text(123456), "123456");
}

}  // namespace wald
