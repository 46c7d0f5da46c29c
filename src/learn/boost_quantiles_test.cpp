// Several quantiles at once.
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "learn/boost_test.h"

namespace wald {
namespace {

using namespace testing;

// Two columns; the spread of y grows with the first.
Task fanning(std::size_t rows, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> x(rows), z(rows), y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    x[r] = random.unit(8 * r), z[r] = random.unit(8 * r + 1);
    double noise = -2;
    for (std::size_t k = 2; k < 6; ++k) noise += random.unit(8 * r + k);
    y[r] = 3 * z[r] + (0.2 + 2 * x[r]) * noise;
  }
  Table table;
  table.rows = static_cast<Row>(rows);
  table.columns = {{"x", Numbers(x)}, {"z", Numbers(z)}, {"y", Numbers(y)}};
  auto task = make_task(std::move(table), {.target = "y", .kind = TaskKind::Numbers});
  EXPECT_TRUE(task);
  return std::move(*task);
}

double pinball(double q, double y, double f) { return y >= f ? q * (y - f) : (1 - q) * (f - y); }

const std::vector<double> kThree{0.1, 0.5, 0.9};
const Settings kSeveral{{"loss", "quantile"}, {"quantile", "0.1,0.5,0.9"}};

// Long steps and tiny leaves, so that the scores do cross.
TEST(BoostQuantiles, PredictionsNeverCrossThoughScoresDo) {
  const Task task = fanning(400, 1);
  const std::vector<std::string> close{"0.45,0.5,0.55,0.6", "0.2,0.21,0.22,0.23"};
  for (const std::string& quantiles : close)
    for (const std::string vector_leaves : {"no", "yes"}) {
      const Model model = must_fit(task, with(kPlain, {{"loss", "quantile"},
                                                       {"quantile", quantiles},
                                                       {"trees", "20"},
                                                       {"learning-rate", "0.7"},
                                                       {"vector-leaves", vector_leaves}}));
      EXPECT_EQ(model.link, Link::Ordered);
      const Table rows = fanning(2000, 2).x;
      const Predictions p = all_predicted(model, rows);
      const Predictor one(model);
      std::size_t crossed = 0;
      for (std::size_t r = 0; r < p.rows; ++r) {
        const double *score = &p.score[4 * r], *value = &p.value[4 * r];
        crossed += std::is_sorted(score, score + 4) ? 0 : 1;
        EXPECT_TRUE(std::is_sorted(value, value + 4));
        double alone[4];
        one.predict_row(std::vector{rows.columns[0].numbers()[r], rows.columns[1].numbers()[r]}, alone);
        EXPECT_TRUE(std::equal(alone, alone + 4, value));
      }
      EXPECT_GT(crossed, 10u);
    }
}

TEST(BoostQuantiles, SortingNeverRaisesTheLossOfARow) {
  const Task task = fanning(300, 3);
  const Model model =
      must_fit(task, with(kSeveral, {{"trees", "15"}, {"learning-rate", "0.8"}, {"early-stop", "none"}}));
  const Task fresh = fanning(1000, 4);
  const Predictions p = all_predicted(model, fresh.x);
  for (std::size_t r = 0; r < p.rows; ++r) {
    double before = 0, after = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      before += pinball(kThree[k], fresh.numbers()[r], p.score[3 * r + k]);
      after += pinball(kThree[k], fresh.numbers()[r], p.value[3 * r + k]);
    }
    EXPECT_LE(after, before + 1e-12);
  }
}

TEST(BoostQuantiles, EachScoreIsThatOfItsQuantileAlone) {
  const Task task = fanning(500, 5);
  const Settings settings = with(kPlain, {{"loss", "quantile"}, {"trees", "12"}, {"learning-rate", "0.2"}});
  const Predictions all = all_predicted(must_fit(task, with(settings, {{"quantile", "0.1,0.5,0.9"}})), task.x);
  for (std::size_t k = 0; k < 3; ++k) {
    const Model alone = must_fit(task, with(settings, {{"quantile", std::to_string(kThree[k])}}));
    EXPECT_EQ(alone.link, Link::Identity);
    const auto value = predicted(alone, task.x);
    for (std::size_t r = 0; r < value.size(); ++r) EXPECT_EQ(all.score[3 * r + k], value[r]);
  }
}

TEST(BoostQuantiles, EachCoversItsShareOfFreshRows) {
  const Task task = fanning(3000, 6), fresh = fanning(3000, 7);
  const Model model =
      must_fit(task, with(kSeveral, {{"stop-trials", "1"}, {"trees", "200"}, {"learning-rate", "0.1"}}));
  EXPECT_EQ(model.curve.measure, "pinball");
  const Measures found = measure(model.schema, all_predicted(model, fresh.x), fresh.y);
  EXPECT_NEAR(found.find("coverage(q0.1)")->value, 0.1, 0.04);
  EXPECT_NEAR(found.find("coverage(q0.5)")->value, 0.5, 0.04);
  EXPECT_NEAR(found.find("coverage(q0.9)")->value, 0.9, 0.04);
  const Model constant = must_fit(task, with(kSeveral, {{"trees", "1"}, {"learning-rate", "0.000001"}}));
  const Measures flat = measure(constant.schema, all_predicted(constant, fresh.x), fresh.y);
  EXPECT_LT(found.find("pinball")->value, 0.8 * flat.find("pinball")->value);
}

TEST(BoostQuantiles, TheBytesDoNotDependOnThreadsAndComeBack) {
  const Task task = fanning(600, 8);
  const Settings settings = with(kSeveral, {{"trees", "10"}, {"quantile", "0.1,0.9"}});
  const Model model = must_fit(task, settings, {.threads = 1});
  const std::string bytes = to_bytes(model);
  EXPECT_TRUE(to_bytes(must_fit(task, settings, {.threads = 3})) == bytes);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, model);
  EXPECT_EQ(back->schema.quantiles, (std::vector{0.1, 0.9}));
  const Model half = must_fit(task, with(settings, {{"trees", "5"}, {"early-stop", "none"}})),
              more = must_fit(task, with(settings, {{"trees", "5"}, {"early-stop", "none"}}), {}, {.from = &half});
  EXPECT_EQ(more.forest(), must_fit(task, with(settings, {{"early-stop", "none"}})).forest());
  EXPECT_EQ(fit("boost", task, with(settings, {{"quantile", "0.2,0.9"}}), {}, {.from = &half}).error().cure,
            "give the same --quantile");
}

TEST(BoostQuantiles, WhatCannotBeIsRefusedWithACure) {
  const Task task = fanning(50, 9);
  const auto refused = [&](const Task& of, const Settings& settings) {
    const auto model = fit("boost", of, settings);
    EXPECT_FALSE(model);
    return model ? Error{} : model.error();
  };
  const std::vector<std::string> wrong{"0.5,0.1", "0.1,0.1", "0,0.5", "0.5,1", "0.1,", "", "a", "nan"};
  for (const std::string& quantile : wrong)
    EXPECT_EQ(refused(task, {{"loss", "quantile"}, {"quantile", quantile}}).kind, ErrorKind::Usage) << quantile;
  EXPECT_EQ(refused(task, {{"quantile", "0.1,0.9"}}).cure, "give --loss quantile, or leave --quantile away");
  EXPECT_EQ(refused(task, with(kSeveral, {{"start", "1"}})).kind, ErrorKind::Usage);
  EXPECT_EQ(refused(task_of("auto_mpg", "mpg", TaskKind::Numbers, {"weight"}), kSeveral).kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace wald
