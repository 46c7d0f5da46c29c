#include "measure/curves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"

namespace wald {
namespace {

Task wave(Row rows) {
  const Random random(2, Purpose::Sample);
  std::vector<double> x(rows), y(rows);
  for (Row r = 0; r < rows; ++r) {
    x[r] = random.unit(2 * r);
    y[r] = 4 * x[r] * x[r] + 0.5 * random.unit(2 * r + 1);
  }
  Task out{.x = {.rows = rows, .source = "drawn"}, .target = "y"};
  out.x.columns = {{"x", Numbers(x)}};
  out.y = y;
  return out;
}

TEST(Curve, MoreRowsTeachMoreAndTheWholeIsCrossValidation) {
  const Task task = wave(600);
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const auto found =
      validation_curve("cart", task, {{"max-depth", "4"}}, *folds, {.measure = "rmse", .shares = {0.02, 0.2, 1}});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].at, 8);
  EXPECT_EQ((*found)[2].text, "400");
  EXPECT_GT(moments_of((*found)[0].held).mean, moments_of((*found)[2].held).mean);
  const auto whole = cross_validate("cart", task, {{"max-depth", "4"}}, *folds);
  EXPECT_EQ((*found)[2].held, whole->of("rmse"));
}

TEST(Curve, DeeperTreesFitTheirOwnRowsEverBetter) {
  const Task task = wave(300);
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const auto found = validation_curve("cart", task, {{"prune", "none"}}, *folds,
                                      {.measure = "rmse", .option = "max-depth", .values = {"1", "3", "12"}});
  ASSERT_TRUE(found);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_LT(moments_of((*found)[i].train).mean, moments_of((*found)[i - 1].train).mean);
  EXPECT_GT(moments_of((*found)[2].held).mean, moments_of((*found)[2].train).mean);
  EXPECT_EQ((*found)[1].at, 3);
}

TEST(Curve, AnOptionThatIsNoneIsNamed) {
  const Task task = wave(60);
  const auto folds = make_folds(task, {.folds = 2}, 1);
  EXPECT_FALSE(validation_curve("cart", task, {}, *folds, {.measure = "rmse", .option = "depth", .values = {"1"}}));
}

}  // namespace
}  // namespace wald
