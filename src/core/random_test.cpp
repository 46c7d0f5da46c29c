#include "core/random_many.h"

#include <gtest/gtest.h>

#include <vector>

namespace wald {

// Known answers of the paper's reference distribution (Random123 1.09, kat_vectors, philox4x32 10 rounds).
TEST(Random, PhiloxGivesThePublishedKnownAnswers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, DrawsDependOnEveryCoordinate) {
  const Random a(1, Purpose::Holdout);
  EXPECT_EQ(a.bits(5), Random(1, Purpose::Holdout).bits(5));
  EXPECT_NE(a.bits(5), a.bits(6));
  EXPECT_NE(a.bits(5), Random(2, Purpose::Holdout).bits(5));
  EXPECT_NE(a.bits(5), Random(std::uint64_t{1} << 32 | 1, Purpose::Holdout).bits(5));
  EXPECT_NE(a.bits(5), Random(1, Purpose::Columns).bits(5));
  EXPECT_NE(a.bits(5), Random(1, Purpose::Holdout, 1).bits(5));
}

TEST(Random, BelowIsUniformByChiSquare) {
  const Random random(7, Purpose::Sample);
  constexpr int cells = 10, draws = 100'000;
  std::vector<int> count(cells);
  for (int i = 0; i < draws; ++i) ++count[random.below(cells, i)];
  double chi = 0;
  for (const int c : count) chi += (c - draws / cells) * (c - draws / cells) / double(draws / cells);
  EXPECT_LT(chi, 27.9);  // 99.9 % point of chi-square with 9 degrees of freedom
}

TEST(Random, ManyBlocksAreThoseOfOneByOne) {
  for (const std::size_t n : {1, 7, 8, 64, 131})
    for (const std::uint32_t high : {0, 2}) {
      std::vector<std::uint64_t> out(n), more(n);
      many_blocks(std::uint64_t{high} << 32 | 5, n, 3, Purpose::Bootstrap, 0x1234'5678'9ABC, out.data(), more.data());
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto r = philox({5 + i, high, 3, static_cast<std::uint32_t>(Purpose::Bootstrap)}, {0x5678'9ABC, 0x1234});
        EXPECT_EQ(out[i], r[0] | std::uint64_t{r[1]} << 32);
        EXPECT_EQ(more[i], r[2] | std::uint64_t{r[3]} << 32);
      }
    }
}

TEST(Random, ManyUnitsAreThoseOfOneByOne) {
  for (const std::size_t n : {0u, 1u, 5u, 64u, 200u}) {
    const Random random(0x123456789ABCDEF, Purpose::Rounds, 7);
    std::vector<std::uint32_t> counters(n);
    for (std::size_t i = 0; i < n; ++i) counters[i] = static_cast<std::uint32_t>(i * 0x9E3779B1u);
    std::vector<double> many(n);
    random.units(counters, many.data());
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(many[i], random.unit(counters[i])) << n << " " << i;
  }
}

TEST(Random, UnitStaysInsideItsInterval) {
  const Random random(3, Purpose::Sample);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_GE(random.unit(i), 0.0);
    EXPECT_LT(random.unit(i), 1.0);
  }
}

}  // namespace wald
