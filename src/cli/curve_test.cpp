#include "cli/curve.h"

#include <gtest/gtest.h>

namespace wald::cli {
namespace {

TEST(Curve, APlotHasTheHighestValueOnTopAndTheLowestBelow) {
  const LearningCurve curve{"log_loss", {0.7, 0.4, 0.2, 0.1}, {0.7, 0.5, 0.45, 0.6}, 3};
  const std::vector<std::string> lines = curve_lines(curve, 60, 5);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "       0.7 ┤o ┊");
  EXPECT_EQ(lines[1], "           │ o┊o");
  EXPECT_EQ(lines[2], "           │ ·o");
  EXPECT_EQ(lines[3], "           │  ·");
  EXPECT_EQ(lines[4], "       0.1 ┤  ┊·");
  EXPECT_EQ(lines[5], "           └────");
  EXPECT_EQ(lines[6], "            1  4");
}

TEST(Curve, ManyRoundsShareColumns) {
  LearningCurve curve{"rmse", std::vector<double>(1000, 1), {}, 1000};
  for (std::size_t i = 0; i < 1000; ++i) curve.train[i] = 1000 - static_cast<double>(i);
  const std::vector<std::string> lines = curve_lines(curve, 40, 6);
  EXPECT_EQ(lines.back(), std::string(12, ' ') + "1" + std::string(35, ' ') + "1000");
}

TEST(Curve, NothingIsDrawnOfNothing) { EXPECT_TRUE(curve_lines({}).empty()); }

TEST(Curve, AConstantCurveIsALine) { EXPECT_EQ(curve_lines({"rmse", {2, 2, 2}, {}, 3}, 60, 3)[2], "         2 ┤···"); }

}  // namespace
}  // namespace wald::cli
