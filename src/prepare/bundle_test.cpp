#include "prepare/bundle.h"

#include <gtest/gtest.h>

#include <set>

#include "core/random.h"

namespace wald {
namespace {

// Numbers of so many values each; of every third column some are missing.
Table table_of(Row rows, const std::vector<int>& values) {
  const Random random(7, Purpose::Sample);
  Table out{.rows = rows};
  for (std::size_t c = 0; c < values.size(); ++c) {
    std::vector<double> x(rows);
    for (Row r = 0; r < rows; ++r) {
      const std::uint64_t at = c * rows + r;
      const bool missing = c % 3 == 0 && random.below(50, at + (std::uint64_t{1} << 40)) == 0;
      x[r] = missing ? kMissing : static_cast<double>(random.below(static_cast<std::uint64_t>(values[c]), at));
    }
    out.columns.push_back({"x" + std::to_string(c), Numbers(x)});
  }
  return out;
}

TEST(Bundle, EveryByteTellsTheCodesOfItsColumns) {
  const auto x = bin(table_of(9000, {2, 2, 2, 200, 2, 5, 2, 2, 16, 2, 255, 2, 2, 3, 2, 129, 128}), 255);
  ASSERT_TRUE(x);
  ASSERT_GT(x->bundles.width, 0u);
  EXPECT_LE(x->bundles.width, 8u);
  std::multiset<std::uint32_t> seen;
  for (std::size_t k = 0; k < x->bundles.width; ++k)
    for (const Bundles::Member& m : x->bundles.of_byte[k]) {
      seen.insert(m.column);
      for (Row r = 0; r < x->rows; ++r)
        ASSERT_EQ(m.code[x->bundles.of(r)[k]], x->columns[m.column].at(r)) << "row " << r << ", column " << m.column;
    }
  EXPECT_EQ(seen, std::multiset<std::uint32_t>(x->by_rows.column.begin(), x->by_rows.column.end()));
}

TEST(Bundle, WhereLittleWouldBeSparedThereIsNone) {
  EXPECT_EQ(bin(table_of(9000, {100, 200, 255, 250, 2, 2}), 255)->bundles.width, 0u);
  EXPECT_EQ(bin(table_of(500, {2, 2, 2, 2, 2, 2}), 255)->bundles.width, 0u);
}

}  // namespace
}  // namespace wald
