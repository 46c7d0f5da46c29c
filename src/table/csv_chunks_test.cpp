// The promise of the parallel reader: however a file is cut, whoever reads the pieces, the table is the same.
#include <gtest/gtest.h>

#include <optional>

#include "core/parallel.h"
#include "core/random.h"
#include "table/csv.h"
#include "table/testing.h"

namespace wald {
namespace {

// A draw after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, Purpose::Sample) {}
  std::size_t below(std::size_t n) { return random_.below(n, counter_++); }

 private:
  Random random_;
  std::uint64_t counter_ = 0;
};

struct Written {
  std::string text;                                            // of the file
  std::vector<std::vector<std::optional<std::string>>> cells;  // what it says, row by row
};

struct Way {
  const char *written, *meant;  // meant: nullptr = missing
};

Written nasty_file(std::uint64_t seed) {
  static const Way ways[] = {{"x", "x"},
                             {"5\" pipe", "5\" pipe"},
                             {"\"a,b\"", "a,b"},
                             {"\"a\nb\"", "a\nb"},
                             {"\"\"\"q\"\"\"", "\"q\""},
                             {" \"pad\" ", "pad"},
                             {"", nullptr},
                             {"\"\"", nullptr},
                             {"NA", nullptr},
                             {"\"NA\"", "NA"},
                             {"ü🌲", "ü🌲"},
                             {"\"\n\n\"", "\n\n"},
                             {"\"\"\"\"", "\""},
                             {"1.5", "1.5"},
                             {" w w ", "w w"},
                             {"\",\"\",\"", ",\","}};
  Dice dice(seed);
  const std::size_t columns = 2 + dice.below(3), rows = 1 + dice.below(12);
  const char* end = dice.below(2) == 0 ? "\n" : "\r\n";
  Written out;
  for (std::size_t c = 0; c < columns; ++c) out.text += (c == 0 ? "c" : ",c") + std::to_string(c);
  out.text += end;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::optional<std::string>> row;
    for (std::size_t c = 0; c < columns; ++c) {
      const Way& way = ways[dice.below(std::size(ways))];
      out.text += (c == 0 ? "" : ",") + std::string(way.written);
      row.push_back(way.meant == nullptr ? std::nullopt : std::optional<std::string>(way.meant));
    }
    out.cells.push_back(row);
    if (r + 1 < rows || dice.below(2) == 0) out.text += end;
    if (dice.below(4) == 0) out.text += end;
  }
  return out;
}

ReadOptions all_words(std::size_t columns) {
  ReadOptions options;
  options.header = true;
  options.delimiter = ',';
  for (std::size_t c = 0; c < columns; ++c)
    options.declared.columns.push_back({.name = "c" + std::to_string(c), .type = ColumnType::Category});
  return options;
}

Table read_cut(std::string_view text, const ReadOptions& options, std::size_t chunk, int threads = 1) {
  auto table = read_csv(text, "t.csv", options, Run{.threads = threads}, {.chunk = chunk});
  if (!table) ADD_FAILURE() << table.error().message << "\n" << text;
  return table ? *std::move(table) : Table{};
}

TEST(CsvChunks, NastyFilesSayWhatWasWrittenHoweverCut) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Written file = nasty_file(seed);
    const ReadOptions options = all_words(file.cells[0].size());
    const Table whole = read_cut(file.text, options, 1 << 20);
    ASSERT_EQ(whole.rows, file.cells.size()) << file.text;
    for (std::size_t c = 0; c < whole.columns.size(); ++c) {
      const Categories& data = whole.columns[c].categories();
      for (std::size_t r = 0; r < whole.rows; ++r) {
        ASSERT_EQ(data.code[r] >= 0, file.cells[r][c].has_value()) << file.text;
        if (data.code[r] < 0) continue;
        ASSERT_EQ(data.level[data.code[r]], *file.cells[r][c]) << file.text;
      }
    }
    for (std::size_t chunk = 1; chunk <= 64; chunk += seed <= 20 ? 1 : 7)
      ASSERT_EQ(read_cut(file.text, options, chunk).columns, whole.columns) << "chunk " << chunk << "\n" << file.text;
  }
}

// Columns that a look at some rows misjudges: a late word, a late long decimal, late codes.
std::string misleading_file() {
  std::string text = "a,b,c,d,e,f\n";
  for (int i = 0; i < 3000; ++i) {
    text += i == 2500 ? "late," : std::to_string(i) + ",";
    text += i == 2600 ? "0.12345678," : std::to_string(i % 10) + ".5,";
    text += i == 2700 ? "007," : std::to_string(i) + ",";
    text += i == 2800 ? "1e30," : std::to_string(i) + ".25,";
    text += i == 1900 ? "9007199254740995," : std::to_string(i * 1'000'003LL) + ",";
    text += i == 2999 ? "1.50\n" : "00" + std::to_string(i) + "\n";
  }
  return text;
}

TEST(CsvChunks, MisleadingSamplesChangeNothing) {
  const std::string text = misleading_file();
  const Table whole = read_cut(text, {}, text.size());
  EXPECT_EQ(whole.columns[0].type(), ColumnType::Category);
  EXPECT_EQ(whole.columns[1].numbers().decimals(), 8);
  EXPECT_EQ(whole.columns[2].type(), ColumnType::Category);
  EXPECT_FALSE(whole.columns[3].numbers().is_decimal());
  EXPECT_EQ(whole.columns[4].type(), ColumnType::Category);
  EXPECT_EQ(whole.columns[5].type(), ColumnType::Number);
  for (const std::size_t chunk : {17, 300, 5000, 40000}) {
    const Table cut = read_cut(text, {}, chunk, 4);
    EXPECT_EQ(cut.columns, whole.columns) << chunk;
    EXPECT_EQ(cut.notes, whole.notes) << chunk;
    for (std::size_t c = 0; c < cut.columns.size(); ++c)
      if (cut.columns[c].type() == ColumnType::Number) {
        EXPECT_EQ(cut.columns[c].numbers().is_decimal(), whole.columns[c].numbers().is_decimal()) << chunk;
      }
  }
}

TEST(CsvChunks, ThreadsAndWorkOrderChangeNothing) {
  const std::string text = misleading_file();
  const Table one = read_cut(text, {}, 1000, 1);
  for (const int threads : {2, 4, 7}) EXPECT_EQ(read_cut(text, {}, 1000, threads).columns, one.columns);
  for (const std::uint64_t seed : {1, 2, 3}) {
    shuffle_work(seed);
    EXPECT_EQ(read_cut(text, {}, 1000, 3).columns, one.columns);
  }
  shuffle_work(0);
}

TEST(CsvChunks, TheSameErrorIsFoundHoweverCut) {
  const std::vector<std::string> files{
      "a,b\n1,2\n\"x\ny\",3\n4\n\"u\"v,5\n",
      "a,b\n1,\"2\n3,4\n5,6\n",
      "a,b\n\"1\n2\",3\n4,5,6\n\"\n",
      "a,b\n1,2\nü,3\n\xC3,4\n\x80\x80\x80\x80\x80,1\n",
      "a,b\n1,\xF0\x9F\x8C\xB2\x80\n",
      std::string("aaaaaaaaaaaaaaaaaaaaaaaaa,b\n1,\"\n\0\"\n", 36),
      "a,b\n1,2\n1e999,3\n4,5\n",
  };
  for (const std::string& text : files) {
    const auto whole = read_csv(text, "t.csv", {}, {}, {.chunk = 1 << 20});
    ASSERT_FALSE(whole) << text;
    for (std::size_t chunk = 1; chunk < 40; ++chunk) {
      const auto cut = read_csv(text, "t.csv", {}, {}, {.chunk = chunk});
      ASSERT_FALSE(cut) << text;
      ASSERT_EQ(cut.error().message, whole.error().message) << chunk;
    }
  }
}

TEST(CsvChunks, QuotesThatAreTextNeverSwallowRows) {
  std::string text = "size,n\n";
  for (int i = 0; i < 500; ++i) text += (i % 3 == 0 ? "5\" pipe," : "\"6\"\" pipe\",") + std::to_string(i) + "\n";
  for (std::size_t chunk = 1; chunk < 200; chunk += 13) {
    const Table table = read_cut(text, {}, chunk);
    ASSERT_EQ(table.rows, 500u);
    ASSERT_EQ(table.columns[0].categories().level, (std::vector<std::string>{"5\" pipe", "6\" pipe"}));
  }
}

}  // namespace
}  // namespace wald
