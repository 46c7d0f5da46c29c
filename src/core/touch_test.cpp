#include "core/touch.h"

#include <gtest/gtest.h>

namespace wald {
namespace {

TEST(Touch, AVectorHasRoomAndStaysEmpty) {
  for (const std::size_t n : {0u, 1u, 511u, 512u, 513u, 100'000u}) {
    std::vector<double> v;
    with_threads(3, [&] { reserve_touched(v, n); });
    EXPECT_TRUE(v.empty());
    EXPECT_GE(v.capacity(), n);
    v.resize(n);
    EXPECT_EQ(v, std::vector<double>(n));
  }
}

}  // namespace
}  // namespace wald
