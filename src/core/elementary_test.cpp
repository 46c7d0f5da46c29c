#include "core/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/random.h"

namespace wald {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double ulps(double got, long double want) {
  const double near = static_cast<double>(want);
  const double unit = std::nextafter(std::fabs(near), kInf) - std::fabs(near);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

TEST(Elementary, ExpIsWithinTwoUnitsOfLongDouble) {
  const Random random(1, Purpose::Sample);
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = (random.unit(i) - 0.5) * (i % 2 ? 1400 : 4);
    worst = std::max(worst, ulps(exp_exact(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2.0);
}

TEST(Elementary, LogIsWithinTwoUnitsOfLongDouble) {
  const Random random(2, Purpose::Sample);
  double worst = 0, worst2 = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = i % 2 ? std::exp((random.unit(i) - 0.5) * 1400) : 0.5 + random.unit(i);
    worst = std::max(worst, ulps(log_exact(x), std::log(static_cast<long double>(x))));
    worst2 = std::max(worst2, ulps(log2_exact(x), std::log2(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2.0);
  EXPECT_LT(worst2, 3.0);
}

void expect_each(void (*each)(std::span<double>), double (*one)(double), double (*drawn)(double unit, std::size_t i)) {
  const Random random(3, Purpose::Sample);
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<double> x(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = drawn(random.unit(100 * n + i), i);
      if (i % 19 == 7) x[i] = i % 2 ? kInf : -kInf;
      if (i % 23 == 5) x[i] = std::nan("");
      expected[i] = one(x[i]);
    }
    each(x);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(x[i]), std::bit_cast<std::uint64_t>(expected[i]));
  }
}

TEST(Elementary, ExpOfManyIsExpOfEach) {
  expect_each(exp_each, exp_exact, [](double unit, std::size_t i) {
    return (unit - 0.5) * (i % 3 == 0 ? 1600 : i % 3 == 1 ? 40 : 0.01);
  });
}

TEST(Elementary, LogOfManyIsLogOfEach) {
  expect_each(log_each, log_exact, [](double unit, std::size_t i) {
    if (i % 31 == 3) return unit < 0.5 ? 0.0 : unit * 0x1p-1023;  // none, or denormal
    return i % 3 == 0 ? std::exp((unit - 0.5) * 1400) : i % 3 == 1 ? 1 + unit : unit - 0.1;
  });
}

TEST(Elementary, EdgesAreExact) {
  EXPECT_EQ(exp_exact(0), 1.0);
  EXPECT_EQ(exp_exact(-kInf), 0.0);
  EXPECT_EQ(exp_exact(kInf), kInf);
  EXPECT_GT(exp_exact(-745), 0.0);
  EXPECT_EQ(log_exact(1), 0.0);
  EXPECT_EQ(log_exact(0), -kInf);
  EXPECT_TRUE(std::isnan(log_exact(-1)));
  EXPECT_TRUE(std::isnan(exp_exact(std::nan(""))));
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(log2_exact(std::ldexp(1.0, k)), k);
}

}  // namespace
}  // namespace wald
