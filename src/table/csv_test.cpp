#include "table/csv.h"

#include <gtest/gtest.h>

#include <optional>

#include "table/testing.h"

namespace wald {
namespace {

using Cells = std::vector<std::optional<std::string>>;

Cells words(const Table& table, const std::string& name) {
  Cells out;
  const Categories& data = table.find(name)->categories();
  for (const std::int32_t code : data.code) {
    if (code < 0) out.emplace_back();
    else out.emplace_back(data.level[code]);
  }
  return out;
}

TEST(Csv, TheTwelveRowFileReadsAtOnce) {
  const Table table = read(
      "age,\"region, area\",smoker,premium,claim\n34,north,no,310.5,no\n51,south,yes,420,yes\n,east,no,295,no\n"
      "45,north,yes,,yes\n29,west,no,250,no\n62,south,yes,510,yes\n38,east,no,330,no\n57,south,yes,465.25,yes\n"
      "41,west,no,298,no\n33,north,no,305,no\n48,east,yes,441,yes\n26,west,no,240,no\n");
  EXPECT_EQ(table.rows, 12u);
  ASSERT_EQ(table.columns.size(), 5u);
  EXPECT_EQ(table.columns[1].name, "region, area");
  EXPECT_EQ(table.columns[0].type(), ColumnType::Number);
  EXPECT_TRUE(std::isnan(table.columns[0].numbers()[2]));
  EXPECT_EQ(table.columns[3].numbers()[7], 465.25);
  EXPECT_EQ(table.columns[3].numbers().decimals(), 2);
  EXPECT_EQ(table.columns[4].categories().level, (std::vector<std::string>{"no", "yes"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(Csv, QuotedCellsHoldDelimitersNewlinesAndDoubledQuotes) {
  const Table table = read("name,n\n\"a, b\",1\n\"c\nd\",2\n\"say \"\"hi\"\"\",3\n\"\"\"\",4\n");
  EXPECT_EQ(words(table, "name"), (Cells{"a, b", "c\nd", "say \"hi\"", "\""}));
}

TEST(Csv, AQuoteInsideAnUnquotedCellIsText) {
  const Table table = read("pipe,n\n5\" wide,1\n6\",2\nx\"y\"z,3\n");
  EXPECT_EQ(words(table, "pipe"), (Cells{"5\" wide", "6\"", "x\"y\"z"}));
}

TEST(Csv, BlanksAroundCellsAreNotPartOfThem) {
  const Table table = read("a, b ,c\n x ,\t1.5 , \"q \" \n y,2, \" r\"\n");
  EXPECT_EQ(words(table, "a"), (Cells{"x", "y"}));
  EXPECT_EQ(table.find("b")->numbers()[0], 1.5);
  EXPECT_EQ(words(table, "c"), (Cells{"q ", " r"}));
}

TEST(Csv, MissingWordsAreMissingUnlessQuoted) {
  const Table table = read("w,n\nNA,1\nN/A,?\nn/a,-\nNaN,nan\nnull,NULL\n#N/A,\n\"NA\",7\nNone,8\n\"\",9\n");
  EXPECT_EQ(words(table, "w"), (Cells{{}, {}, {}, {}, {}, {}, "NA", "None", {}}));
  const Numbers& n = table.find("n")->numbers();
  for (std::size_t i = 1; i < 6; ++i) EXPECT_TRUE(std::isnan(n[i])) << i;
  EXPECT_EQ(n[6], 7);
}

TEST(Csv, NamedMissingWordsCountAlsoQuotedAndAlsoNumbers) {
  ReadOptions options;
  options.missing = {"-999", "none"};
  const Table table = read("a,b\n-999,none\n5,\"none\"\n6,x\n", options);
  EXPECT_TRUE(std::isnan(table.find("a")->numbers()[0]));
  EXPECT_EQ(words(table, "b"), (Cells{{}, {}, "x"}));
}

TEST(Csv, LineEndsOfAllKindsGiveTheSameTable) {
  const std::string lf = "a,b\n1,x\n2,y z\n";
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char c : lf) text += c == '\n' ? end : std::string(1, c);
    EXPECT_EQ(read(text).columns, read(lf).columns);
    text.resize(text.size() - std::string_view(end).size());  // no end after the last record
    EXPECT_EQ(read(text).columns, read(lf).columns);
    EXPECT_EQ(read(end + text + end + end).columns, read(lf).columns);
  }
}

TEST(Csv, CarriageReturnFilesMayHoldLineFeedsInQuotes) {
  EXPECT_EQ(words(read("a,b\r\"x\ny\",1\rz,2\r"), "a"), (Cells{"x\ny", "z"}));
}

TEST(Csv, BlankLinesAreSkippedButInOneColumnTheyAreMissingCells) {
  EXPECT_EQ(read("a,b\n1,2\n\n  \n3,4\n\n").rows, 2u);
  const Table one = read("a\n1\n\n3\n");
  ASSERT_EQ(one.rows, 3u);
  EXPECT_TRUE(std::isnan(one.columns[0].numbers()[1]));
}

TEST(Csv, DelimitersAreSniffed) {
  EXPECT_EQ(read("a;b;c\n1;2;3\n4;5;6\n").columns.size(), 3u);
  EXPECT_EQ(read("a\tb\n1\t2\n3\t4\n").columns.size(), 2u);
  EXPECT_EQ(read("a,b\n\"x;y\",2\nz,4\n").columns.size(), 2u);
  EXPECT_EQ(read("a;b\nhello, world;2\nz, y;4\n").columns.size(), 2u);
  EXPECT_EQ(read("t;v\n12:30;1\n12:45;2\n").columns.size(), 2u);
  EXPECT_EQ(read("time\n12:30\n12:45\n").columns.size(), 1u);
  ReadOptions pipe;
  pipe.delimiter = '|';
  EXPECT_EQ(read("a|b\n1|2\n", pipe).columns.size(), 2u);
}

TEST(Csv, ABarIsADelimiterWhereNothingElseIs) {
  EXPECT_EQ(read("a|b|y\n1|x, y|2\n3|z|4\n").columns.size(), 3u);
  EXPECT_EQ(read("a, b|c\n1|2\n3|4\n").columns.size(), 2u);
  EXPECT_EQ(read("genre,year\nAction|Comedy,1995\nDrama|War,1996\n").columns.size(), 2u);
  EXPECT_EQ(read("a\n1|2\n3\n").columns.size(), 1u);
}

TEST(Csv, DecimalCommasAreReadWhereTheDelimiterIsAnother) {
  const Table table = read("a;b\n1,5;x\n-0,25;y\n7;z\n");
  EXPECT_EQ(table.columns[0].numbers(), Numbers({1.5, -0.25, 7}));
  EXPECT_EQ(table.notes.size(), 1u);
  EXPECT_EQ(read("a;b\n1,5;2,5\n3,5;4,5\n").columns.size(), 2u);
  // Groups of thousands are words.
  EXPECT_EQ(read("a;b\n1,500;x\n12,250;y\n").columns[0].type(), ColumnType::Category);
  EXPECT_EQ(read("a,b\n\"1,500\",x\n\"12,250\",y\n").columns[0].type(), ColumnType::Category);
}

TEST(Csv, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\n1,2\n")
                .columns[0]
                .name,
            "a");
  EXPECT_EQ(read("\xEF\xBB\xBF\"a\",b\n1,2\n").columns[0].name, "a");
}

TEST(Csv, AFirstLineOfNumbersAboveNumbersIsData) {
  const Table table = read("1,x\n2,y\n3,z\n");
  EXPECT_EQ(table.rows, 3u);
  EXPECT_EQ(table.columns[0].name, "column_1");
  EXPECT_EQ(table.notes.size(), 1u);
  EXPECT_EQ(read("1,2,3\n").rows, 1u);
  EXPECT_EQ(read("x,y\na,b\nc,d\n").rows, 2u);       // all words: the first line names them
  EXPECT_EQ(read(",a\n0,1\n1,2\n").rows, 2u);        // an index without a name
  EXPECT_EQ(read("2019,2020,n\n1,2,3\n").rows, 1u);  // one word above a number is enough
  ReadOptions with, without;
  with.header = true;
  without.header = false;
  EXPECT_EQ(read("1,2\n3,4\n", with).columns[0].name, "1");
  EXPECT_EQ(read("a,b\n3,4\n", without).rows, 2u);
}

TEST(Csv, EmptyAndRepeatedNamesGetNamesOfTheirOwn) {
  const Table table = read("a,,a,a_2,,a\n1,2,3,4,5,6\n");
  std::vector<std::string> names;
  for (const Column& c : table.columns) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "column_2", "a_3", "a_2", "column_5", "a_4"}));
  EXPECT_EQ(table.notes.size(), 2u);
}

TEST(Csv, NamesMayBeAnyUtf8) {
  const Table table = read("größe,\"emoji 🌲\n\",--x\n1,2,3\n");
  EXPECT_NE(table.find("größe"), nullptr);
  EXPECT_NE(table.find("emoji 🌲\n"), nullptr);
}

TEST(Csv, NumbersAreReadExactly) {
  const Table table = read(
      "x\n4.9406564584124654e-324\n2.2250738585072011e-308\n1.7976931348623157e308\n0.1\n-0\n+5\n.5\n5.\n1e3\n-1E-2\n"
      "9007199254740993.0\n0.30000000000000004\n1e-400\ninf\n-Infinity\n123456789.123456789\n");
  const std::vector<double> expected{4.9406564584124654e-324,
                                     2.2250738585072011e-308,
                                     1.7976931348623157e308,
                                     0.1,
                                     0,
                                     5,
                                     .5,
                                     5,
                                     1000,
                                     -0.01,
                                     9007199254740992,
                                     0.30000000000000004,
                                     0,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     123456789.123456789};
  EXPECT_EQ(table.columns[0].numbers(), Numbers(expected));
  EXPECT_FALSE(std::signbit(table.columns[0].numbers()[4]));
}

TEST(Csv, QuotedNumbersAreNumbers) {
  EXPECT_EQ(read("a,b\n\"1.5\",x\n\" 2\",y\n").columns[0].numbers(), Numbers({1.5, 2}));
}

TEST(Csv, SmallDecimalsTakeFourBytesAndLargeOnesEight) {
  EXPECT_TRUE(read("a\n1.25\n-3\n21474836.47\n").columns[0].numbers().is_decimal());
  EXPECT_FALSE(read("a\n1.25\n-3\n21474836.48\n").columns[0].numbers().is_decimal());
  EXPECT_TRUE(read("a\n1.25\n1e1\n9e-05\n").columns[0].numbers().is_decimal());
  EXPECT_EQ(read("a\n1.25\n1e1\n9e-05\n").columns[0].numbers()[2], 9e-05);
  EXPECT_FALSE(read("a\n1.25\n1e30\n").columns[0].numbers().is_decimal());
  EXPECT_TRUE(read("a\n2147483647\n-2147483647\n").columns[0].numbers().is_decimal());
  EXPECT_EQ(read("a\n2147483648\n-2147483648\n").columns[0].numbers(), Numbers({2147483648.0, -2147483648.0}));
}

TEST(Csv, CodesDatesAndHugeWholeNumbersAreCategoriesWithANote) {
  const Table table =
      read("zip,day,huge,n\n00501,2024-05-31,9007199254740993,1\n10001,2024-06-01,9007199254740994,2\n");
  for (int c = 0; c < 3; ++c) EXPECT_EQ(table.columns[c].type(), ColumnType::Category) << c;
  EXPECT_EQ(table.notes.size(), 3u);
  EXPECT_EQ(table.columns[2].categories().level.size(), 2u);
  // Where some number has a point, a leading zero is only a way of writing.
  EXPECT_EQ(read("a\n00\n1.5\n").columns[0].type(), ColumnType::Number);
  EXPECT_EQ(read("a\n9007199254740992\n1\n").columns[0].type(), ColumnType::Number);
}

TEST(Csv, AColumnNearlyOfNumbersIsNoted) {
  std::string text = "age,x\n";
  for (int i = 0; i < 40; ++i) text += i == 16 ? "abc,1\n" : std::to_string(i) + ",1\n";
  const Table table = read(text);
  EXPECT_EQ(table.columns[0].type(), ColumnType::Category);
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_EQ(
      table.notes[0],
      "column 'age': 1 of 40 cells are not numbers (line 18: 'abc'), so it is read as categories; --na 'abc' or a "
      "schema fixes it");
}

TEST(Csv, DeclarationsFixTypesAndLeaveColumnsOut) {
  ReadOptions options;
  options.declared.columns = {{.name = "zip", .type = ColumnType::Number},
                              {.name = "n", .type = ColumnType::Category},
                              {.name = "gone", .ignore = true},
                              {.name = "r", .type = ColumnType::Category, .level = {"west", "east", "north"}},
                              {.name = "absent", .type = ColumnType::Number}};
  const Table table = read("zip,n,gone,r\n007,1,x,east\n008,2,,west\n", options);
  EXPECT_EQ(table.find("zip")->numbers(), Numbers({7, 8}));
  EXPECT_EQ(words(table, "n"), (Cells{"1", "2"}));
  EXPECT_EQ(table.find("gone"), nullptr);
  EXPECT_EQ(table.find("r")->categories().level, (std::vector<std::string>{"east", "north", "west"}));
  EXPECT_EQ(words(table, "r"), (Cells{"east", "west"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(Csv, ObservedBoundsAndLevelsRefuseNothing) {
  ReadOptions options;
  options.declared.columns = {{.name = "a", .type = ColumnType::Number, .lowest = 0, .highest = 1, .observed = true},
                              {.name = "b", .type = ColumnType::Category, .level = {"x"}, .observed = true}};
  EXPECT_EQ(read("a,b\n5,y\n", options).rows, 1u);
}

TEST(Csv, AHundredThousandColumnsAllOfOneNameAreRead) {
  std::string text;
  for (int row = 0; row < 5; ++row)
    for (int c = 0; c < 100'000; ++c)
      text += (row == 0 ? "c" : "") + std::to_string(row * c) + (c == 99'999 ? "\n" : ",");
  const Table table = read(text);
  EXPECT_EQ(table.columns.size(), 100'000u);
  EXPECT_EQ(table.rows, 4u);
  EXPECT_EQ(table.columns[99'999].numbers()[3], 4.0 * 99'999);
}

TEST(Csv, ProgressRisesToTheWholeAndAStopIsHonoured) {
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i) text += "1,2\n";
  std::uint64_t last = 0, total = 0;
  wald::Run run{.threads = 2};
  run.progress = [&](const Progress& p) {
    EXPECT_EQ(p.stage, "reading");
    EXPECT_GT(p.done, last);
    last = p.done;
    total = p.total;
  };
  ASSERT_TRUE(read_csv(text, "t.csv", {}, run, {.chunk = 100}));
  EXPECT_GT(total, 0u);
  std::atomic<bool> stop{true};
  run.stop = &stop;
  EXPECT_EQ(read_csv(text, "t.csv", {}, run).error().kind, ErrorKind::Interrupted);
}

}  // namespace
}  // namespace wald
