#include "core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wald {
namespace {

// scipy.stats.chi2.sf and norm.ppf of scipy 1.10.1.
TEST(Statistics, TheChiSquareTailHasItsPublishedValues) {
  EXPECT_NEAR(chi_square_tail(3.841458820694124, 1), 0.05, 1e-14);
  EXPECT_NEAR(chi_square_tail(5.991464547107979, 2), 0.05, 1e-14);
  EXPECT_NEAR(chi_square_tail(18.307038053275146, 10), 0.05, 1e-14);
  EXPECT_NEAR(chi_square_tail(124.3421134, 100), 0.05, 1e-9);
  EXPECT_NEAR(chi_square_tail(0.001, 1), 0.9747728793699604, 1e-14);
  EXPECT_EQ(chi_square_tail(0, 3), 1);
  EXPECT_NEAR(chi_square_tail(200, 3) / 4.2202e-43, 1, 1e-3);
}

TEST(Statistics, TwoDegreesOfFreedomAreAnExponential) {
  for (double x = 0.1; x < 60; x += 0.7) EXPECT_NEAR(chi_square_tail(x, 2) / std::exp(-x / 2), 1, 1e-13) << x;
}

TEST(Statistics, TheTailFallsWithTheStatisticAndRisesWithFreedom) {
  for (double x = 0.2; x < 50; x += 0.3)
    for (int freedom = 1; freedom < 30; ++freedom) {
      EXPECT_LE(chi_square_tail(x + 0.1, freedom), chi_square_tail(x, freedom));
      EXPECT_LE(chi_square_tail(x, freedom), chi_square_tail(x, freedom + 1));
    }
}

// Values: scipy 1.10.1, 2 * scipy.stats.t.sf(|t|, freedom).
TEST(Statistics, StudentTailsAreThoseOfScipy) {
  const struct {
    double t;
    int freedom;
    double p;
  } known[] = {{0.5, 1, 0.7048327646991336},   {2, 4, 0.1161165235168155},     {-2.776, 4, 0.0500227783199764},
               {3.5, 9, 0.006723515763058952}, {12, 2, 0.00687293367715846},   {8, 49, 1.9105439552955447e-10},
               {1e-3, 7, 0.9992300172449988},  {40, 29, 6.346877329729317e-27}};
  for (const auto& [t, freedom, p] : known) EXPECT_NEAR(student_tails(t, freedom) / p, 1, 1e-12) << t;
  EXPECT_EQ(student_tails(0, 3), 1);
}

TEST(Statistics, NormalQuantilesHaveTheirPublishedValues) {
  EXPECT_NEAR(normal_quantile(0.75), 0.6744897501960817, 1e-14);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.999), 3.090232306167813, 1e-12);
}

}  // namespace
}  // namespace wald
