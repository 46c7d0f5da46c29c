#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "core/random.h"
#include "tree/sapling_rows.h"
#include "tree/sapling_sums.h"

namespace wald::sapling {
namespace {

// Those behind the node belong to others, and stay.
TEST(SaplingDivide, EachSideKeepsItsOrder) {
  constexpr std::uint32_t kOthers = 9;
  const Random random(3, Purpose::Sample);
  const std::int64_t all = hwy::SupportedTargets();
  const auto same = [](const TwoEntry& a, const TwoEntry& b) { return a.place == b.place && a.packed == b.packed; };
  for (const std::uint32_t rows : {0u, 1u, 3u, 4u, 7u, 8u, 9u, 40u, 63u, 511u, 512u, 513u, 1500u})
    for (const std::uint64_t ways : {1u, 2u, 7u}) {
      const auto goes_left = [&](const TwoEntry& e) { return random.below(ways, e.place) == 0; };
      std::vector<TwoEntry> given, expected;
      for (std::uint32_t i = 0; i < rows + kOthers; ++i) given.push_back({5 * i, i + 1});
      const auto node = std::span(given).first(rows);
      for (const bool left : {true, false})
        for (const TwoEntry& e : node)
          if (goes_left(e) == left) expected.push_back(e);
      expected.insert(expected.end(), given.begin() + rows, given.end());
      for (std::int64_t targets = all; targets != 0; targets &= targets - 1) {
        hwy::SetSupportedTargetsForTest(targets & -targets);
        std::vector<TwoEntry> found = given, spare(rows + kDividedEntries);
        EXPECT_EQ(divide_entries(std::span(found).first(rows), spare.data(), goes_left),
                  static_cast<std::size_t>(std::ranges::count_if(node, goes_left)));
        EXPECT_TRUE(std::ranges::equal(found, expected, same)) << rows << " " << ways;
      }
      hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace
}  // namespace wald::sapling
