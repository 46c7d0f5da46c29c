#include "core/fixed.h"

#include <gtest/gtest.h>

#include <limits>

namespace wald {

TEST(Fixed, ASumOfTheLargestNumbersStaysBelowSixtyTwoBits) {
  for (const double largest : {1e-300, 1e-3, 0.7, 1.0, 1.5, 3e7, 1e300})
    for (const std::uint64_t count : {1ull, 2ull, 3ull, 1000ull, 4294967294ull}) {
      const int bits = grid_bits(largest, count);
      const long double sum = static_cast<long double>(std::ldexp(static_cast<long double>(largest), bits)) * count;
      EXPECT_LT(sum, 0x1p62L) << largest << " x " << count;
      EXPECT_TRUE(bits == 1000 || sum >= 0x1p58L) << "coarser than needed: " << largest << " x " << count;
    }
}

TEST(Fixed, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(to_fixed(0.25, 1), 0);
  EXPECT_EQ(to_fixed(0.75, 1), 2);
  EXPECT_EQ(to_fixed(-0.75, 1), -2);
  EXPECT_EQ(to_fixed(1.5, 4), 24);
  EXPECT_DOUBLE_EQ(from_fixed(24, 4), 1.5);
}

TEST(Fixed, ZeroNeedsNoGrid) { EXPECT_EQ(grid_bits(0, 100), 0); }

}  // namespace wald
