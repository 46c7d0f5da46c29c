// Preparation is fitted inside each fold: where the target means nothing, nothing scores above chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "wald/validate.h"

namespace wald {
namespace {

// Columns with many levels and missing cells, a target drawn at random.
Task meaningless(Row rows) {
  const Random random(11, Purpose::Sample);
  std::vector<double> a(rows), b(rows);
  Categories town;
  for (int k = 0; k < 60; ++k) town.level.push_back("t" + std::to_string(100 + k));
  Classes y{{}, {"no", "yes"}};
  for (Row r = 0; r < rows; ++r) {
    a[r] = random.unit(5 * r) < 0.3 ? kMissing : random.unit(5 * r + 1);
    b[r] = random.unit(5 * r + 2);
    town.code.push_back(static_cast<std::int32_t>(random.below(60, 5 * r + 3)));
    y.code.push_back(random.unit(5 * r + 4) < 0.4 ? 1 : 0);
  }
  Task out{.x = {.rows = rows, .source = "drawn"}, .target = "y"};
  out.x.columns = {{"a", Numbers(a)}, {"b", Numbers(b)}, {"town", town}};
  out.y = y;
  return out;
}

TEST(Leak, ShuffledTargetsScoreAtChanceUnderEveryPreparation) {
  const Task task = meaningless(900);
  const auto folds = make_folds(task, {.folds = 3, .repeats = 2}, 1);
  const std::vector<Settings> all = {{},
                                     {{"impute", "mean"}, {"indicator", "yes"}},
                                     {{"impute", "draw"}},
                                     {{"impute", "drop-rows"}},
                                     {{"impute", "drop-columns"}},
                                     {{"categories", "one-hot"}, {"one-hot-levels", "100"}},
                                     {{"categories", "one-hot"}, {"one-hot-levels", "10"}},
                                     {{"categories", "ordinal"}},
                                     {{"categories", "target"}, {"level-rows", "0"}},
                                     {{"rare", "15"}},
                                     {{"regions", "8"}, {"powers", "2"}, {"products", "yes"}},
                                     {{"scale", "standard"}},
                                     {{"balance", "over"}},
                                     {{"balance", "under"}},
                                     {{"balance", "weights"}}};
  for (const Settings& settings : all) {
    Settings used = settings;
    used["max-depth"] = "4";
    const auto found = cross_validate("cart", task, used, *folds);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NEAR(moments_of(found->of("auc")).mean, 0.5, 0.05) << (settings.empty() ? "" : settings.begin()->second);
  }
}

TEST(Prepared, AModelPreparesRowsAsItsTrainingRowsWere) {
  const Task task = meaningless(300);
  const Settings settings = {{"impute", "median"},     {"indicator", "yes"}, {"categories", "one-hot"},
                             {"one-hot-levels", "99"}, {"scale", "min-max"}, {"rare", "3"},
                             {"max-depth", "5"}};
  const Result<Model> model = fit("cart", task, settings);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->made.options.at("impute"), "median");
  const std::string bytes = to_bytes(*model);
  const Result<Model> back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, *model);
  const Result<Predictions> whole = predict(*back, task.x);
  const Result<Table> made = prepare(*back, task.x);
  ASSERT_TRUE(whole && made);
  EXPECT_EQ(predict(without_preparation(*back), *made)->value, whole->value);
  const Predictor one(*back);
  for (Row r = 0; r < 300; r += 7) {
    double row[2];
    one.predict_row(std::vector<double>{task.x.columns[0].numbers()[r], task.x.columns[1].numbers()[r],
                                        static_cast<double>(task.x.columns[2].categories().code[r])},
                    row);
    EXPECT_EQ(row[1], whole->value[2 * r + 1]);
  }
}

TEST(Prepared, EveryLearnerTakesPreparation) {
  const Task task = meaningless(120);
  for (const LearnerInfo& info : learners()) {
    if (!info.needs_target || info.name == "private-boost" || info.name == "id3") continue;
    const auto model = fit(info.name, task, {{"impute", "mean"}, {"categories", "target"}});
    ASSERT_TRUE(model) << info.name << ": " << model.error().message;
    EXPECT_EQ(model->preparation.columns.size(), 3u);
  }
  EXPECT_FALSE(fit("private-boost", task, {{"impute", "mean"}}));
  EXPECT_FALSE(fit("isolation-forest", task, {{"balance", "weights"}}));
  EXPECT_FALSE(fit("cart", task, {{"impute", "meen"}}));
}

}  // namespace
}  // namespace wald
