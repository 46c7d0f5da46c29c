#include "table/blocks.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "core/random.h"
#include "table/csv.h"

namespace wald {
namespace {

// Numbers of growing length, words, missing cells, line ends inside quotes.
std::string text_of(int rows) {
  const Random random(5, Purpose::Sample);
  std::string text = "n,w,\"q,\"\n";
  for (int row = 0; row < rows; ++row) {
    const std::uint64_t draw = random.below(1000, static_cast<std::uint64_t>(row));
    text += draw % 7 == 0 ? "" : std::to_string(draw) + "." + std::to_string(row);
    text += draw % 5 == 0 ? ",," : ",w" + std::to_string(draw % 11) + ",";
    text += draw % 3 == 0 ? "\"two\nlines, " + std::to_string(row % 4) + "\"\n" : "plain\n";
  }
  return text;
}

ReadOptions declared() {
  return {.declared = {{{.name = "n", .type = ColumnType::Number},
                        {.name = "w", .type = ColumnType::Category},
                        {.name = "q,", .type = ColumnType::Category}}}};
}

std::vector<std::string> rows_of(const Table& table) {
  std::vector<std::string> out;
  for (Row row = 0; row < table.rows; ++row) {
    std::string line;
    for (const Column& column : table.columns)
      if (column.type() == ColumnType::Number) line += std::to_string(column.numbers()[row]) + "|";
      else {
        const std::int32_t code = column.categories().code[row];
        line += (code < 0 ? "missing" : column.categories().level[code]) + "|";
      }
    out.push_back(line);
  }
  return out;
}

TEST(Blocks, TogetherAreTheWholeTable) {
  const std::string text = text_of(3000);
  const auto whole = read_csv(text, "t.csv", declared());
  ASSERT_TRUE(whole) << whole.error().message;
  for (const std::size_t chunk : {50u, 400u, 5000u})
    for (const std::size_t block : {1u, 1000u, 20'000u, 10'000'000u}) {
      std::vector<std::string> rows;
      std::size_t blocks = 0;
      const Status done =
          read_csv_blocks(text, "t.csv", declared(), {}, {.chunk = chunk}, block, [&](const Table& table) -> Status {
            for (std::string& row : rows_of(table)) rows.push_back(std::move(row));
            ++blocks;
            return Done{};
          });
      ASSERT_TRUE(done) << done.error().message;
      EXPECT_EQ(rows, rows_of(*whole)) << chunk << " " << block;
      EXPECT_EQ(blocks == 1, block > text.size());
    }
}

TEST(Blocks, AFlawIsToldWithItsLineAndEndsTheReading) {
  std::string text = "a,b\n";
  for (int row = 0; row < 500; ++row) text += std::to_string(row) + (row == 400 ? ",1,2\n" : ",1\n");
  std::size_t rows = 0;
  const Status done = read_csv_blocks(text, "t.csv", {}, {}, {.chunk = 64}, 256, [&](const Table& table) -> Status {
    rows += table.rows;
    return Done{};
  });
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("t.csv:402"), std::string::npos) << done.error().message;
  EXPECT_LT(rows, 401u);
}

TEST(Blocks, AnErrorOfTheTakerEndsTheReading) {
  std::size_t blocks = 0;
  const Status done =
      read_csv_blocks(text_of(2000), "t.csv", declared(), {}, {.chunk = 100}, 500, [&](const Table&) -> Status {
        ++blocks;
        return failure("enough");
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "enough");
  EXPECT_EQ(blocks, 1u);
}

TEST(Blocks, ASmallFileIsOneTable) {
  const std::string path = ::testing::TempDir() + "/blocks_test.csv";
  std::ofstream(path) << "a,b\n1,2\n3,4\n";
  std::size_t blocks = 0;
  EXPECT_TRUE(read_table_blocks(path, {}, {}, 1 << 20, [&](const Table& table) -> Status {
    EXPECT_EQ(table.rows, 2u);
    ++blocks;
    return Done{};
  }));
  EXPECT_EQ(blocks, 1u);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace wald
