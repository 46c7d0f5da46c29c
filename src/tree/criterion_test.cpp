#include "tree/criterion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wald {
namespace {

// The impurity f of SPEC: score = -weight * f, up to a term additive over children (the weight itself).
template <class C>
double impurity(const std::vector<std::int64_t>& counts) {
  C criterion{};
  criterion.classes = static_cast<int>(counts.size());
  const double weight = criterion.weight(counts), score = criterion.score(counts, weight) / weight;
  if constexpr (std::is_same_v<C, Gini> || std::is_same_v<C, Minority>) return 1 - score;
  else return -score;
}

TEST(Criterion, ImpuritiesHaveTheirHandComputedValues) {
  EXPECT_DOUBLE_EQ(impurity<Gini>({3, 1}), 0.375);
  EXPECT_DOUBLE_EQ(impurity<Minority>({3, 1}), 0.25);
  EXPECT_DOUBLE_EQ(impurity<Shannon>({2, 2}), 1.0);
  EXPECT_NEAR(impurity<Shannon>({9, 5}), 0.9402859586706311, 1e-15);  // Quinlan's play-tennis root
  EXPECT_DOUBLE_EQ(impurity<SqrtGini>({3, 1}), std::sqrt(0.375));
  EXPECT_DOUBLE_EQ(impurity<Gini>({1, 1, 2}), 0.625);
  EXPECT_DOUBLE_EQ(impurity<Shannon>({1, 1, 2}), 1.5);
}

template <class C>
class Impurity : public ::testing::Test {};
using ClassCriteria = ::testing::Types<Gini, Shannon, Minority, SqrtGini>;
TYPED_TEST_SUITE(Impurity, ClassCriteria);

TYPED_TEST(Impurity, IsZeroExactlyWhenPure) {
  EXPECT_EQ(impurity<TypeParam>({5, 0, 0}), 0.0);
  EXPECT_EQ(impurity<TypeParam>({0, 7, 0}), 0.0);
  EXPECT_GT(impurity<TypeParam>({1, 999, 0}), 0.0);
}

TYPED_TEST(Impurity, IsSymmetricInTheClasses) {
  std::vector<std::int64_t> counts{1, 4, 7};
  const double first = impurity<TypeParam>(counts);
  while (std::ranges::next_permutation(counts).found) EXPECT_NEAR(impurity<TypeParam>(counts), first, 1e-15);
}

TYPED_TEST(Impurity, IsLargestWhereAllClassesAreEqual) {
  const double top = impurity<TypeParam>({6, 6, 6});
  for (std::int64_t a = 0; a <= 18; ++a)
    for (std::int64_t b = 0; a + b <= 18; ++b) EXPECT_LE(impurity<TypeParam>({a, b, 18 - a - b}), top + 1e-12);
}

TYPED_TEST(Impurity, NeverRisesFromParentToChildren) {
  for (std::int64_t a = 0; a <= 6; ++a)
    for (std::int64_t b = 0; b <= 6; ++b)
      for (std::int64_t c = 0; c <= 6; ++c)
        for (std::int64_t d = 0; d <= 6; ++d) {
          if (a + b == 0 || c + d == 0) continue;
          TypeParam criterion{};
          const std::vector<std::int64_t> left{a, b}, right{c, d}, parent{a + c, b + d};
          EXPECT_GE(score(criterion, left) + score(criterion, right) - score(criterion, parent), -1e-12);
        }
}

TEST(Criterion, LeavesSmoothByLaplacesRule) {
  Gini gini{};
  gini.smoothing = 1;
  std::vector<double> p(2);
  gini.leaf(std::vector<std::int64_t>{3, 0}, p);
  EXPECT_DOUBLE_EQ(p[0], 0.8);
  EXPECT_DOUBLE_EQ(p[1], 0.2);
}

TEST(Criterion, TheGainOfVarianceIsTheFallInTheSumOfSquares) {
  const std::vector<double> y{1, 2, 4, 8, 16, 32.5};
  const FixedTarget fixed = fix_target(y, {});
  const Variance variance{.target = y, .fixed = &fixed};
  const auto squares = [&](std::size_t from, std::size_t to) {
    double mean = 0, sum = 0;
    for (std::size_t i = from; i < to; ++i) mean += y[i] / static_cast<double>(to - from);
    for (std::size_t i = from; i < to; ++i) sum += (y[i] - mean) * (y[i] - mean);
    return sum;
  };
  const auto sums = [&](std::size_t from, std::size_t to) {
    std::vector<std::int64_t> s(2);
    for (std::size_t i = from; i < to; ++i) variance.add(variance.part(static_cast<Row>(i)), s.data());
    return s;
  };
  for (std::size_t cut = 1; cut < y.size(); ++cut) {
    const double gain = score(variance, sums(0, cut)) + score(variance, sums(cut, 6)) - score(variance, sums(0, 6));
    EXPECT_NEAR(gain * variance.gain_unit(), squares(0, 6) - squares(0, cut) - squares(cut, 6), 1e-9);
  }
}

TEST(Criterion, WholeTargetsStayExactOnTheGrid) {
  std::vector<double> y;
  for (int i = 0; i < 1000; ++i) y.push_back(i * 37 % 1000);
  const FixedTarget fixed = fix_target(y, {});
  const Variance variance{.target = y, .fixed = &fixed};
  for (Row r = 0; r < 1000; ++r) {
    std::vector<std::int64_t> sums(2);
    variance.add(variance.part(r), sums.data());
    std::vector<double> out(1);
    variance.leaf(sums, out);
    EXPECT_EQ(out[0], y[r]);
  }
}

TEST(Criterion, ALeafOfAConstantTargetSaysIt) {
  for (const double constant : {3.5, 2.5, 0.5, -0.3, 7.0, 1e-300, 5.75e200, 0.0})
    for (const bool weighted : {false, true}) {
      const std::vector<double> y(5, constant);
      const std::vector<std::int64_t> weight(weighted ? 5 : 0, std::int64_t{3} << 29);
      const FixedTarget fixed = fix_target(y, weight);
      const Variance variance{.target = y, .row_weight = weight, .fixed = &fixed};
      std::vector<std::int64_t> sums(2);
      for (Row r = 0; r < 5; ++r) variance.add(variance.part(r), sums.data());
      std::vector<double> out(1);
      variance.leaf(sums, out);
      EXPECT_DOUBLE_EQ(out[0], constant);
    }
}

TEST(Criterion, TheCentreOfTheTargetsDoesNotDependOnTheirOrder) {
  std::vector<double> y;
  for (int i = 0; i < 500; ++i) y.push_back(std::sin(i) * 1e7 + 1.0 / (1 + i));
  const FixedTarget a = fix_target(y, {});
  std::ranges::reverse(y);
  const FixedTarget b = fix_target(y, {});
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.bits, b.bits);
}

}  // namespace
}  // namespace wald
