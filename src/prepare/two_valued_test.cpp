#include <gtest/gtest.h>

#include "core/random.h"
#include "prepare/bin.h"

namespace wald {
namespace {

// Numbers of so many values each, 0, 1 ...; of the last column some are missing.
Table numbers_of(Row rows, const std::vector<std::uint64_t>& values) {
  const Random random(9, Purpose::Sample);
  Table out{.rows = rows};
  for (std::size_t c = 0; c < values.size(); ++c) {
    std::vector<double> x(rows);
    for (Row r = 0; r < rows; ++r) x[r] = static_cast<double>(random.below(values[c], c * rows + r));
    if (c + 1 == values.size()) x[rows / 2] = kMissing;
    out.columns.push_back({"x" + std::to_string(c), Numbers(x)});
  }
  return out;
}

TEST(TwoValued, BitsTellTheSecondOfTwoCodes) {
  std::vector<std::uint64_t> values(60, 2);  // more than a word has room for
  values[3] = 5, values[7] = 1;
  const auto x = bin(numbers_of(9000, values), 255);
  ASSERT_TRUE(x);
  const TwoValued& two = x->two_valued;
  EXPECT_EQ(two.words, 2u);
  EXPECT_EQ(two.column.size(), 57u);
  for (std::size_t k = 0; k < two.column.size(); ++k) {
    EXPECT_TRUE(two.column[k] != 3 && two.column[k] != 7 && two.column[k] != 59);
    for (Row r = 0; r < x->rows; ++r) {
      const std::uint64_t word = two.word[r * two.words + k / TwoValued::kBits];
      ASSERT_EQ(word >> (k % TwoValued::kBits) & 1, x->columns[two.column[k]].at(r) == 2 ? 1u : 0u);
      ASSERT_EQ(word >> TwoValued::kBits, 0u);
    }
  }
}

TEST(TwoValued, WhereFewColumnsAreThereIsNone) {
  EXPECT_TRUE(bin(numbers_of(300, {9, 8, 7, 6, 2, 5, 4, 3, 3}), 255)->two_valued.word.empty());
  EXPECT_TRUE(bin(numbers_of(300, {9, 2}), 255)->two_valued.word.empty());  // and a missing cell
  EXPECT_FALSE(bin(numbers_of(300, {9, 2, 8, 7}), 255)->two_valued.word.empty());
}

}  // namespace
}  // namespace wald
