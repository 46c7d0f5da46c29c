#include "prepare/bin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/parallel.h"
#include "core/random.h"

namespace wald {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Table one_column(Numbers numbers) {
  Table table;
  table.rows = static_cast<Row>(numbers.size());
  table.columns.push_back({"x", std::move(numbers)});
  return table;
}

BinnedColumn binned(const std::vector<double>& values, int max_bins) {
  return bin(one_column(values), max_bins)->columns[0];
}

TEST(Bin, EveryDistinctValueGetsItsOwnBinWhereTheySuffice) {
  const auto column = binned({3, 1, 2, 1, kMissing, -kInf, kInf, -0.0, 0.0}, 255);
  const std::vector<int> want{5, 3, 4, 3, 0, 1, 6, 2, 2};
  for (Row r = 0; r < want.size(); ++r) EXPECT_EQ(column.at(r), want[r]) << r;
  EXPECT_EQ(column.codes, 7);
  EXPECT_EQ(column.lowest, column.highest);
  EXPECT_EQ(column.highest, (std::vector<double>{-kInf, 0, 1, 2, 3, kInf}));
}

TEST(Bin, CodesFollowTheOrderOfTheValuesAndBinsHoldEqualShares) {
  const Random random(5, Purpose::Sample);
  for (const int max_bins : {2, 7, 255, 1000}) {
    std::vector<double> values(20'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::tan(3 * (random.unit(i) - 0.5));
    const auto column = binned(values, max_bins);
    EXPECT_EQ(column.codes, max_bins + 1);
    std::vector<Row> order(values.size());
    std::vector<std::size_t> held(max_bins + 1);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](Row i) { return values[i]; });
    for (std::size_t i = 1; i < order.size(); ++i) EXPECT_LE(column.at(order[i - 1]), column.at(order[i]));
    for (Row r = 0; r < values.size(); ++r) {
      const int code = column.at(r);
      EXPECT_LE(column.lowest[code - 1], values[r]);
      EXPECT_GE(column.highest[code - 1], values[r]);
      ++held[code];
    }
    const auto [least, most] = std::minmax_element(held.begin() + 1, held.end());
    EXPECT_LE(*most - *least, 1u + *most / 20) << max_bins;
  }
}

TEST(Bin, AHeavyValueTakesABinOfItsOwnAndLeavesTheRestToTheOthers) {
  std::vector<double> values(1000, 0.0);
  for (int i = 0; i < 500; ++i) values.push_back(1 + i);
  const auto column = binned(values, 11);
  EXPECT_EQ(column.highest[0], 0.0);
  EXPECT_EQ(column.codes, 12);
}

TEST(Bin, SizesNeverPassTheLimitAndCoverEverything) {
  const Random random(9, Purpose::Sample);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::size_t> counts(1 + random.below(60, 4 * trial));
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = 1 + random.below(random.below(2, trial) ? 3 : 100, 1000 * trial + i);
    const int max_bins = 2 + static_cast<int>(random.below(20, 4 * trial + 1));
    const auto sizes = bin_sizes(counts, max_bins);
    EXPECT_LE(sizes.size(), static_cast<std::size_t>(max_bins));
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), counts.size());
    for (const std::size_t size : sizes) EXPECT_GE(size, 1u);
  }
}

TEST(Bin, DecimalsAndDoublesOfTheSameValuesGiveTheSameBins) {
  const Random random(11, Purpose::Sample);
  std::vector<std::int32_t> digits(5000);
  for (std::size_t i = 0; i < digits.size(); ++i)
    digits[i] =
        random.below(50, i) == 0 ? Numbers::kNone : static_cast<std::int32_t>(random.below(200'000, 7 * i)) - 100'000;
  const Numbers decimal(digits, 3);
  for (const int max_bins : {20, 255, kMaxBins}) {
    const auto a = bin(one_column(decimal), max_bins)->columns[0], b = binned(decimal.to_doubles(), max_bins);
    EXPECT_EQ(a.code, b.code);
    EXPECT_EQ(a.highest, b.highest);
    EXPECT_EQ(a.lowest, b.lowest);
  }
}

// Few rows are sorted with their numbers, more are searched for; near the ends of the range their images spread far.
TEST(Bin, BinsAreThoseOfTheDefinitionForAnyNumberOfRows) {
  const Random random(17, Purpose::Sample);
  for (const std::size_t rows : {1u, 2u, 5u, 63u, 64u, 65u, 300u, 1023u, 1024u, 3000u})
    for (const int shape : {0, 1, 2, 3}) {
      std::vector<double> values(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const double unit = random.unit(i + 10'000 * static_cast<std::uint64_t>(shape));
        values[i] = shape == 0 ? unit : shape == 1 ? std::round(100 * unit) / 7 - 5 : 1e300 * (unit - 0.5);
        if (shape == 2 && i % 4 != 0) values[i] = 1 + unit * 1e-12;  // all but some share their leading digits
        if (shape == 3 && i % 9 == 4) values[i] = i % 2 == 0 ? kMissing : i % 4 == 1 ? kInf : -kInf;
      }
      std::map<double, std::size_t> times;
      for (const double v : values)
        if (!std::isnan(v)) ++times[v];
      std::vector<std::size_t> counts;
      for (const auto& [value, count] : times) counts.push_back(count);
      for (const int max_bins : {2, 100, 255, 5000}) {
        std::map<double, int> want;
        auto next = times.begin();
        int bin = 0;
        for (const std::size_t size : bin_sizes(counts, max_bins)) {
          ++bin;
          for (std::size_t k = 0; k < size; ++k) want[(next++)->first] = bin;
        }
        const BinnedColumn column = binned(values, max_bins);
        EXPECT_EQ(column.codes, bin + 1);
        for (Row r = 0; r < rows; ++r) {
          const int code = column.at(r);
          ASSERT_EQ(code, std::isnan(values[r]) ? 0 : want[values[r]]);
          if (code == 0) continue;
          EXPECT_LE(column.lowest[static_cast<std::size_t>(code) - 1], values[r]);
          EXPECT_GE(column.highest[static_cast<std::size_t>(code) - 1], values[r]);
          EXPECT_EQ(want[column.lowest[static_cast<std::size_t>(code) - 1]], code);
          EXPECT_EQ(want[column.highest[static_cast<std::size_t>(code) - 1]], code);
        }
      }
    }
}

TEST(Bin, TheOrderOfTheRowsDoesNotMoveTheEdges) {
  const Random random(13, Purpose::Sample);
  std::vector<double> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::round(1e4 * random.unit(i)) / 7;
  std::vector<double> reversed(values.rbegin(), values.rend());
  const auto a = binned(values, 50), b = binned(reversed, 50);
  EXPECT_EQ(a.highest, b.highest);
  EXPECT_EQ(a.lowest, b.lowest);
}

TEST(Bin, WideColumnsUseSixteenBits) {
  std::vector<double> values(70'000);
  std::iota(values.begin(), values.end(), 0.0);
  EXPECT_EQ(binned({values.begin(), values.begin() + 255}, kMaxBins).code.index(), 0u);
  EXPECT_EQ(binned({values.begin(), values.begin() + 256}, kMaxBins).code.index(), 1u);
  const auto all = binned(values, kMaxBins);
  EXPECT_EQ(all.codes, kMaxBins + 1);
  EXPECT_EQ(all.at(69'999), kMaxBins);
}

TEST(Bin, AColumnWithoutValuesHasOnlyTheMissingCode) {
  const auto column = binned({kMissing, kMissing}, 255);
  EXPECT_EQ(column.codes, 1);
  EXPECT_EQ(column.at(1), 0);
}

TEST(Bin, CategoriesKeepTheirOwnCodes) {
  Table table;
  table.rows = 4;
  table.columns.push_back({"c", Categories{{1, -1, 0, 1}, {"a", "b"}}});
  const auto column = bin(table, 255)->columns[0];
  EXPECT_EQ(column.codes, 3);
  EXPECT_EQ(std::get<0>(column.code), (std::vector<std::uint8_t>{2, 0, 1, 2}));
}

TEST(Bin, TooManyLevelsAreRefusedWithTheColumnsName) {
  Categories many;
  for (int i = 0; i <= kMaxBins; ++i) many.level.push_back(std::to_string(i));
  many.code.assign(3, 0);
  Table table;
  table.rows = 3;
  table.columns.push_back({"post code", many});
  const auto result = bin(table, 255);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("'post code' has 65,536 levels"), std::string::npos);
  for (const char* cure : {"--rare N", "--categories target", "--ignore 'post code'"})
    EXPECT_NE(result.error().cure.find(cure), std::string::npos);
}

// Sorted, counted and searched plainly.
void expect_plain(const Numbers& numbers, int max_bins) {
  const auto column = bin(one_column(numbers), max_bins)->columns[0];
  std::map<double, std::size_t> count;
  for (std::size_t r = 0; r < numbers.size(); ++r)
    if (!std::isnan(numbers[r])) ++count[numbers[r] + 0.0];
  std::vector<double> distinct;
  std::vector<std::size_t> counts;
  for (const auto& [value, times] : count) distinct.push_back(value), counts.push_back(times);
  std::vector<double> lowest, highest;
  std::size_t at = 0;
  for (const std::size_t size : bin_sizes(counts, max_bins)) {
    lowest.push_back(distinct[at]);
    highest.push_back(distinct[(at += size) - 1]);
  }
  EXPECT_EQ(column.lowest, lowest);
  EXPECT_EQ(column.highest, highest);
  EXPECT_EQ(column.codes, static_cast<int>(highest.size()) + 1);
  for (Row r = 0; r < numbers.size(); ++r)
    ASSERT_EQ(column.at(r),
              std::isnan(numbers[r]) ? 0 : std::ranges::lower_bound(highest, numbers[r]) - highest.begin() + 1);
}

TEST(Bin, IsWhatSortingAndSearchingPlainlyGives) {
  const Random random(11, Purpose::Sample);
  constexpr double kLargest = std::numeric_limits<double>::max(), kLeast = std::numeric_limits<double>::denorm_min();
  const std::vector<double> odd{0, -0.0, kInf, -kInf, kLargest, -kLargest, kLeast, -kLeast, 1, kMissing};
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const std::size_t rows = 1 + random.below(trial % 3 == 0 ? 20 : 3000, 2 * trial);
    const int max_bins = 2 + static_cast<int>(random.below(trial % 4 == 0 ? 1000 : 60, 2 * trial + 1));
    const double spread = std::exp2(static_cast<double>(random.below(40, 7000 + trial)));
    std::vector<double> values(rows);
    std::vector<std::int32_t> digits(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const double u = random.unit(10'000 * trial + r) - 0.5;
      values[r] = trial % 5 == 0 ? u * u * u * spread : trial % 5 == 1 ? std::tan(3 * u) : std::nearbyint(u * spread);
      if (trial % 2 == 0 && random.below(20, 9'000'000 + 10'000 * trial + r) == 0) values[r] = odd[r % odd.size()];
      digits[r] = static_cast<std::int32_t>(u * std::fmin(spread, 0x1p31));
      if (trial % 3 == 1 && r % 7 == 0) digits[r] = Numbers::kNone;
    }
    expect_plain(values, max_bins);
    expect_plain(Numbers(digits, static_cast<int>(trial % 4)), max_bins);
  }
  for (const int max_bins : {16, 255, 1000}) {  // rows enough for buckets: even, peaked, with ties, with a heavy value
    std::vector<std::vector<double>> columns(5, std::vector<double>(70'000));
    for (std::size_t r = 0; r < columns[0].size(); ++r) {
      const double u = random.unit(r) - 0.5, v = random.unit(80'000 + r) - 0.5;
      columns[0][r] = u, columns[1][r] = u * v * v, columns[2][r] = std::nearbyint(900 * (u + v)) / 7;
      columns[3][r] = r % 9 == 0 ? 0.25 : u + v;
      columns[4][r] = r % 5 == 0 ? kMissing : r % 7 == 0 ? 0.1 : std::exp(3 * u);
    }
    for (const auto& values : columns) expect_plain(values, max_bins);
  }
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  expect_plain(Numbers({kMost, Numbers::kNone + 1, 0, Numbers::kNone, kMost}, 0), 2);
  expect_plain(Numbers(std::vector<double>(10, kMissing)), 5);
}

}  // namespace
}  // namespace wald
