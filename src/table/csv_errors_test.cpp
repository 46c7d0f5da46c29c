#include <gtest/gtest.h>

#include "table/csv.h"
#include "table/testing.h"

namespace wald {
namespace {

std::string message(std::string_view text, const ReadOptions& options = {}) {
  const Error error = refused(text, options);
  EXPECT_EQ(error.kind, ErrorKind::BadData);
  EXPECT_FALSE(error.cure.empty()) << error.message;
  return error.message;
}

TEST(CsvErrors, EmptyHeaderOnlyAndBinaryAreThreeThings) {
  EXPECT_EQ(message(""), "t.csv is empty");
  EXPECT_EQ(message("\n \n"), "t.csv is empty");
  EXPECT_EQ(message("\xEF\xBB\xBF"), "t.csv is empty");
  EXPECT_EQ(message("a,b\n"), "t.csv has a header but no rows");
  EXPECT_EQ(message("a,b\n\n\n"), "t.csv has a header but no rows");
  std::string junk;
  for (int i = 0; i < 4096; ++i) junk += static_cast<char>(i * 37 % 251);
  EXPECT_EQ(message(junk), "t.csv is not a text table: it holds binary data");
  EXPECT_EQ(message(std::string("PK\x03\x04 rest")), "t.csv is a zip archive or an office document, not a text table");
  EXPECT_EQ(message("\xFF\xFE"
                    "a"),
            "t.csv is UTF-16 text, not a text table");
}

TEST(CsvErrors, Utf16IsKnownWithoutAMark) {
  const std::string text =
      "name,y\ngr\xF6\xDF"
      "e,1\n";
  std::string little, big;
  for (const char c : text) little += {c, '\0'}, big += {'\0', c};
  EXPECT_EQ(message(little), "t.csv is UTF-16 text, not a text table");
  EXPECT_EQ(refused(little).cure, "save it as UTF-8, e.g. iconv -f utf-16le -t utf8");
  EXPECT_EQ(refused(big).cure, "save it as UTF-8, e.g. iconv -f utf-16be -t utf8");
}

TEST(CsvErrors, TheCureForACellCanBeTyped) {
  ReadOptions options;
  options.declared.columns = {{.name = "a", .type = ColumnType::Number}};
  EXPECT_EQ(refused("a,b\nx,1\n", options).cure, "correct it, or declare it missing (--na 'x')");
  EXPECT_EQ(refused("a,b\n\"1,5\",1\n", options).cure,
            "if the comma is a decimal sign, add --decimal comma; else correct it, or declare it missing (--na "
            "'\"1,5\"')");
  EXPECT_EQ(refused("a,b\nit's,1\n", options).cure, "correct it, or declare it missing (--na 'it'\\''s')");
}

TEST(CsvErrors, ARaggedRowNamesItsLineAndBothCounts) {
  EXPECT_EQ(message("a,b,c\n1,2,3\n\"x\ny\",2,3\n4,5\n"), "t.csv:5: 2 fields, expected 3");
  EXPECT_EQ(message("a,b\n1,2,3\n"), "t.csv:2: 3 fields, expected 2");
}

TEST(CsvErrors, AQuoteClosedTooLateIsNamedAsTheLikelyReason) {
  EXPECT_EQ(message("a,b,c\n1,\"x,3\n4,y\"\n7,z,9\n"),
            "t.csv:2: 2 fields, expected 3 (a quoted cell runs from line 2 to line 3: is its quote closed too late?)");
  EXPECT_EQ(message("a,b\n\"x,1\n\"y\",2\n"),
            "t.csv:3: text follows the closing quote in column 1 'a' (a quoted cell runs from line 2 to line 3: is its "
            "quote closed too late?)");
}

TEST(CsvErrors, AnUnclosedQuoteNamesWhereItOpens) {
  EXPECT_EQ(message("a,b\n1,x\n2,\"y\n3,z\n"), "t.csv:3: the quote that opens in column 2 'b' is never closed");
  EXPECT_EQ(message("a,\"b\n1,2\n"), "t.csv:1: the quote in column 2 is never closed");
}

TEST(CsvErrors, TextAfterAClosingQuoteIsRefused) {
  EXPECT_EQ(message("a,b\n1,\"x\"y\n"), "t.csv:2: text follows the closing quote in column 2 'b'");
}

TEST(CsvErrors, NulBytesAndInvalidUtf8NameTheirLine) {
  using namespace std::string_literals;
  EXPECT_EQ(message("aaaaaaaaaaaaaaaaaaaa,b\n1,2\n3\0,4\n"s), "t.csv:3: a NUL byte, which no text has");
  EXPECT_EQ(message("a,b\nx,1\nM\xFCller,2\n"), "t.csv:3: '\\xfc' is not valid UTF-8");
  EXPECT_EQ(message("M\xFCller,b\nx,1\n"), "t.csv:1: not valid UTF-8");
}

TEST(CsvErrors, LimitsAreNamed) {
  ReadOptions options;
  options.max_cell = 10;
  EXPECT_EQ(message("a,b\n1,2\n1,12345678901\n", options),
            "t.csv:3: column 2 'b' has a cell longer than the limit of 10 bytes");
  // However the cell would be read: by its digits, as a long number, or as a word.
  EXPECT_EQ(message("a,b\n1.5,2\n0.5,1\n1234567.8901,3\n" + std::string(60, ' ') + "\n", options),
            "t.csv:4: column 1 'a' has a cell longer than the limit of 10 bytes");
  options.max_cell = 100;
  EXPECT_EQ(message("a,b\n1e5,2\n0." + std::string(99, '1') + ",3\n" + std::string(60, ' ') + "\n", options),
            "t.csv:3: column 1 'a' has a cell longer than the limit of 100 bytes");
  options = {};
  options.max_columns = 2;
  EXPECT_EQ(message("a,b,c\n1,2,3\n", options), "t.csv:1: more than 2 columns");
}

TEST(CsvErrors, NumbersOutOfRangeAreRefusedInColumnsOfNumbersOnly) {
  EXPECT_EQ(message("a,b\n1,x\n1e400,y\n"), "t.csv:3: column 'a': 1e400 is out of range");
  EXPECT_EQ(message("a,b\n1.5,x\n-1e999999999999999999999,y\n"),
            "t.csv:3: column 'a': -1e999999999999999999999 is out of range");
  EXPECT_EQ(read("a,b\nw,x\n1e400,y\n").columns[0].type(), ColumnType::Category);
}

TEST(CsvErrors, DeclaredColumnsRefuseWhatIsNotDeclared) {
  ReadOptions options;
  options.declared.columns = {{.name = "a", .type = ColumnType::Number, .lowest = 0, .highest = 10},
                              {.name = "b", .type = ColumnType::Category, .level = {"east", "west"}}};
  EXPECT_EQ(message("a,b\n1,east\nten,west\n", options), "t.csv:3: column 'a': 'ten' is not a number");
  EXPECT_EQ(message("a,b\n1,east\n11,west\n", options), "t.csv:3: column 'a': 11 is outside the declared bounds");
  EXPECT_EQ(message("a,b\n1,east\n-0.5,west\n", options), "t.csv:3: column 'a': -0.5 is outside the declared bounds");
  EXPECT_EQ(message("a,b\n1,east\n2,wets\n", options), "t.csv:3: column 'b': 'wets' is not a declared level");
  EXPECT_EQ(refused("a,b\n1,east\n2,wets\n", options).cure, "did you mean 'west'?");
}

TEST(CsvErrors, TheFirstOfSeveralFlawsIsNamedWhateverTheirColumns) {
  ReadOptions options;
  options.declared.columns = {{.name = "a", .type = ColumnType::Number, .highest = 10},
                              {.name = "b", .type = ColumnType::Category, .level = {"east"}}};
  EXPECT_EQ(message("a,b\n1,no\n99,east\n", options), "t.csv:2: column 'b': 'no' is not a declared level");
  EXPECT_EQ(message("a,b\n99,east\n1,no\n", options), "t.csv:2: column 'a': 99 is outside the declared bounds");
}

TEST(CsvErrors, ControlCharactersAreEscapedInMessages) {
  EXPECT_EQ(message("a,b\x1b[31m,c\n1,\"x\"y,2\n"), "t.csv:2: text follows the closing quote in column 2 'b\\x1b[31m'");
}

TEST(CsvErrors, ImpossibleOptionsAreUsageErrors) {
  ReadOptions options;
  options.delimiter = '"';
  EXPECT_EQ(refused("a,b\n", options).kind, ErrorKind::Usage);
  options = {};
  options.decimal = 'x';
  EXPECT_EQ(refused("a,b\n", options).kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace wald
