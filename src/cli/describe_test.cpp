#include "cli/describe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/output.h"
#include "cli/terminal.h"

namespace wald::cli {
namespace {

TEST(Describe, BoundsAreRoundedOutwardsToTheRangesPowerOfTen) {
  EXPECT_EQ(rounded_down(18, 66), 10);
  EXPECT_EQ(rounded_up(84, 66), 90);
  EXPECT_EQ(rounded_down(-3.7, 8), -4);
  EXPECT_EQ(rounded_down(0.37, 0.25), 0.3);
  EXPECT_EQ(rounded_up(0.62, 0.25), 0.7);
  EXPECT_EQ(rounded_down(-HUGE_VAL, HUGE_VAL), -HUGE_VAL);
}

TEST(Describe, BoundsNeverCutAValueOff) {
  for (double low : {-1e308, -17.3, -1e-300, 0.0, 5e-324, 0.1, 3.0, 1e15, 1.7e308})
    for (double range : {5e-324, 1e-300, 0.1, 1.0, 12.5, 1e6, 1e300, 1.7e308}) {
      EXPECT_LE(rounded_down(low, range), low);
      EXPECT_GE(rounded_up(low, range), low);
    }
}

TEST(Describe, SuggestsWhatAPersonWouldNotice) {
  Table table{.rows = 12, .source = "t.csv"};
  std::vector<std::int32_t> each, nearly(12), same(12);
  std::vector<std::string> keys, numbers = {"1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9", "n.a."};
  for (std::int32_t i = 0; i < 12; ++i)
    each.push_back(i), nearly[i] = i, keys.push_back(std::string("k") + static_cast<char>('a' + i));
  table.columns = {{"key", Categories{each, keys}},
                   {"nearly", Categories{nearly, numbers}},
                   {"same", Categories{same, {"x"}}},
                   {"none", Numbers(std::vector<double>(12, kMissing))},
                   {"value", Numbers({1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, kMissing})}};
  const std::vector<ColumnProfile> columns = describe_columns(table);
  EXPECT_TRUE(columns[0].identifier);
  EXPECT_EQ(columns[2].suggestions, std::vector<std::string>{"one value only: it will be left out"});
  EXPECT_EQ(columns[3].suggestions, std::vector<std::string>{"no values: it will be left out"});
  EXPECT_TRUE(columns[4].suggestions.empty());
  EXPECT_EQ(columns[4].missing, 1u);
  EXPECT_EQ(columns[4].distinct, 11u);
  const Declarations schema = observed_schema(columns);
  EXPECT_TRUE(schema.columns[0].ignore);
  EXPECT_TRUE(schema.columns[0].level.empty());
  EXPECT_EQ(schema.columns[4].lowest, 1);
  EXPECT_EQ(schema.columns[4].highest, 11);
  EXPECT_TRUE(schema.columns[4].observed);
  EXPECT_FALSE(schema.columns[3].lowest);
}

TEST(CsvCell, IsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell(" blank"), "\" blank\"");
  EXPECT_EQ(csv_cell(""), "");
}

TEST(Words, SizesAndTimesAreShort) {
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(2503), "2.5 kB");
  EXPECT_EQ(size_text(26'400'000), "26 MB");
  EXPECT_EQ(size_text(999'600), "1.0 MB");
  EXPECT_EQ(seconds_text(0.424), "0.42 s");
  EXPECT_EQ(seconds_text(200), "3:20");
  EXPECT_EQ(seconds_text(3725), "1:02:05");
  EXPECT_EQ(left("≤ 3", 5), "≤ 3  ");
  EXPECT_EQ(right("abc", 2), "abc");
}

}  // namespace
}  // namespace wald::cli
