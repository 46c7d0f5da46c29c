#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "core/random.h"
#include "tree/sapling.h"

namespace wald {
namespace {

// Columns of two values, more than a word has room for and some of them rare, and a few of many.
Table bits_and_numbers(Row rows) {
  const Random random(5, Purpose::Sample);
  Table out{.rows = rows};
  for (std::size_t c = 0; c < 62; ++c) {
    std::vector<double> x(rows);
    for (Row r = 0; r < rows; ++r) {
      const std::uint64_t at = c * rows + r;
      x[r] = static_cast<double>(c % 16 == 5 ? random.below(40, at) : random.below(c % 3 == 0 ? 30 : 2, at) == 0);
    }
    out.columns.push_back({"x" + std::to_string(c), Numbers(x)});
  }
  return out;
}

// Without the bits the codes are counted one by one, as the tests of saplings know.
TEST(SaplingBits, ATreeIsTheSameAsByCodes) {
  const Row rows = 3000;
  const auto x = bin(bits_and_numbers(rows), 255);
  ASSERT_TRUE(x);
  ASSERT_EQ(x->two_valued.words, 2u);
  Binned plain = *x;
  plain.two_valued = {};
  const Random random(6, Purpose::Sample);
  const std::int64_t all = hwy::SupportedTargets();
  for (const int classes : {2, 3, 7}) {
    std::vector<std::int32_t> label(rows);
    std::vector<Drawn> drawn;
    for (Row r = 0; r < rows; ++r) {
      label[r] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes), r));
      if (x->columns[1].at(r) == 2 && x->columns[20].at(r) == 2) label[r] = 0;
      if (const auto count = random.below(4, 100'000 + r); count > 0)
        drawn.push_back({r, static_cast<std::uint32_t>(count)});
    }
    Gini gini{};
    gini.label = label, gini.classes = classes;
    for (const int columns : {0, 1, 9}) {
      SaplingOptions how;
      how.zero_gain = true, how.columns_per_node = columns, how.min_leaf = columns == 9 ? 3 : 1;
      const Sapling expected = grow_sapling(plain, drawn, gini, how, 1);
      EXPECT_GT(expected.nodes.size(), 300u);
      for (std::int64_t left = all; left != 0; left &= left - 1) {
        hwy::SetSupportedTargetsForTest(left & -left);
        const Sapling found = grow_sapling(*x, drawn, gini, how, 1);
        EXPECT_EQ(found.nodes, expected.nodes) << classes << " " << columns;
        EXPECT_EQ(found.gain, expected.gain);
        EXPECT_EQ(found.values, expected.values);
      }
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

}  // namespace
}  // namespace wald
