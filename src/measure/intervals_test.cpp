#include "measure/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "measure/roc.h"

namespace wald {
namespace {

struct Scored {
  std::vector<double> score;
  std::vector<std::int32_t> code;
};
Scored scored(std::size_t n, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  Scored out;
  for (std::size_t i = 0; i < n; ++i) {
    out.code.push_back(static_cast<std::int32_t>(random.below(2, 2 * i)));
    out.score.push_back(std::floor(8 * random.unit(2 * i + 1)) + 2 * out.code[i]);
  }
  return out;
}

// By the definition: a kernel of every pair, its means over rows of either kind.
AreaVariance by_pairs(const Scored& rows) {
  std::vector<double> yes, no;
  for (std::size_t i = 0; i < rows.score.size(); ++i) (rows.code[i] == 1 ? yes : no).push_back(rows.score[i]);
  const auto kernel = [](double x, double y) { return x > y ? 1.0 : x == y ? 0.5 : 0.0; };
  std::vector<double> v10, v01;
  double area = 0;
  for (const double x : yes) {
    v10.push_back(0);
    for (const double y : no) v10.back() += kernel(x, y) / static_cast<double>(no.size());
    area += v10.back() / static_cast<double>(yes.size());
  }
  for (const double y : no) {
    v01.push_back(0);
    for (const double x : yes) v01.back() += kernel(x, y) / static_cast<double>(yes.size());
  }
  const auto part = [&](const std::vector<double>& v) {
    double squares = 0;
    for (const double one : v) squares += (one - area) * (one - area);
    return squares / static_cast<double>(v.size() - 1) / static_cast<double>(v.size());
  };
  return {area, part(v10) + part(v01)};
}

TEST(DeLong, IsTheVarianceOverAllPairs) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Scored rows = scored(60, seed);
    const AreaVariance found = delong(rows.score, rows.code, 1), expected = by_pairs(rows);
    EXPECT_NEAR(found.area, expected.area, 1e-14);
    EXPECT_NEAR(found.variance, expected.variance, 1e-14);
    EXPECT_NEAR(found.area, roc_area(roc_curve(rows.score, rows.code, 1)), 1e-14);
  }
  EXPECT_TRUE(std::isnan(delong(std::vector<double>{1, 2}, std::vector<std::int32_t>{1, 1}, 1).area));
}

TEST(Bootstrap, OfAMeanIsAsWideAsItsStandardError) {
  const Random random(5, Purpose::Sample);
  std::vector<double> value(400);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = random.unit(i);
  const auto mean = [&](std::span<const double> weight) {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < value.size(); ++i) sum += weight[i] * value[i], all += weight[i];
    return std::vector<Measure>{{"mean", sum / all}, {"nothing", std::nan("")}};
  };
  const auto found = bootstrap_intervals(value.size(), {}, {}, 0.95, 2000, {}, mean);
  double sum = 0, squares = 0;
  for (const double v : value) sum += v, squares += v * v;
  const double error = std::sqrt((squares / 400 - sum / 400 * (sum / 400)) / 400);
  EXPECT_NEAR(found[0].high - found[0].low, 2 * 1.96 * error, 0.2 * error);
  EXPECT_TRUE(std::isnan(found[1].low));
  const auto alone = bootstrap_intervals(value.size(), {}, {}, 0.95, 2000, {.threads = 1}, mean);
  EXPECT_EQ(alone[0].low, found[0].low);
}

TEST(Bootstrap, DrawsWholeGroups) {
  const std::vector<std::uint32_t> group = {0, 0, 1, 1, 2, 2};
  const auto same = [](std::span<const double> weight) {
    const bool whole = weight[0] == weight[1] && weight[2] == weight[3] && weight[4] == weight[5];
    return std::vector<Measure>{{"whole", whole ? 1.0 : 0.0}};
  };
  EXPECT_EQ(bootstrap_intervals(6, {}, group, 0.9, 50, {}, same)[0].low, 1);
}

}  // namespace
}  // namespace wald
