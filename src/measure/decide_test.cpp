#include "wald/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/elementary.h"
#include "core/random.h"
#include "model/link.h"
#include "wald/measure.h"

namespace wald {
namespace {

struct Points {
  std::vector<double> x, weight;
  std::vector<std::uint8_t> yes;
};

// Of the probability 1 / (1 + exp(-(slope x + offset))).
Points drawn(std::size_t n, double slope, double offset) {
  const Random random(3, Purpose::Sample);
  Points out;
  for (std::size_t i = 0; i < n; ++i) {
    out.x.push_back(4 * random.unit(3 * i) - 2);
    out.yes.push_back(random.unit(3 * i + 1) < 1 / (1 + exp_exact(-(slope * out.x[i] + offset))));
    out.weight.push_back(random.below(3, 3 * i + 2) == 0 ? 2.0 : 1.0);
  }
  return out;
}

// y is 1 where a is large, but for a share of the rows drawn at random: trees grown to the end are too sure.
Task noisy_task(Row rows, int classes) {
  const Random random(9, Purpose::Sample);
  std::vector<double> a(rows), b(rows);
  Classes y{.code = {}, .name = {"no", "yes"}};
  if (classes == 3) y.name.push_back("zebra");
  for (Row r = 0; r < rows; ++r) {
    a[r] = random.unit(4 * r), b[r] = random.unit(4 * r + 1);
    const auto truth = static_cast<std::int32_t>(a[r] * classes);
    y.code.push_back(random.unit(4 * r + 2) < 0.4 ? static_cast<std::int32_t>(random.below(2, 4 * r + 3)) : truth);
  }
  Task out{.x = {.rows = rows, .source = "drawn"}, .target = "y"};
  out.x.columns = {{"a", Numbers(a)}, {"b", Numbers(b)}};
  out.y = y;
  return out;
}

TEST(Isotonic, EqualsScikitLearnsButForTheTwoPseudoRows) {
  const std::vector<double> x = {0.625, 0.75, 0.75, 1.0,   0.75, 0.875, 0.0,  0.5,   1.0,  0.625, 0.875, 0.125,
                                 0.5,   0.25, 0.5,  0.625, 0.0,  0.25,  0.25, 0.875, 0.75, 0.125, 0.75,  0.125};
  const std::vector<std::uint8_t> yes = {1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0};
  const std::vector<double> weight = {0.5, 2.0, 0.5, 2.0, 2.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0,
                                      0.5, 2.0, 0.5, 2.0, 0.0, 0.5, 0.0, 2.0, 0.0, 0.5, 0.0, 0.5};
  const std::vector<double> asked = {-1.0, 0.0, 0.07, 0.2, 0.3, 0.45, 0.5, 0.66, 0.8, 0.93, 1.0, 2.0};
  const std::vector<double> expected = {0.1111111111111111,
                                        0.1111111111111111,
                                        0.1111111111111111,
                                        0.1111111111111111,
                                        0.12222222222222222,
                                        0.15555555555555556,
                                        0.16666666666666666,
                                        0.4240000000000002,
                                        1.0,
                                        1.0,
                                        1.0,
                                        1.0};
  const Calibration c{Calibration::Kind::Isotonic, {fit_isotonic(x, yes, weight)}};
  double with = 0, without = 0;
  for (std::size_t i = 0; i < x.size(); ++i) (yes[i] ? with : without) += weight[i];
  const double high = (with + 1) / (with + 2), low = 1 / (without + 2);
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_NEAR(calibrated_at(c, asked[i]), low + (high - low) * expected[i], 1e-12) << asked[i];
}

TEST(Isotonic, NoOtherFunctionThatNeverFallsIsNearer) {
  const Points p = drawn(60, 1.5, 0.5);
  const Calibration c{Calibration::Kind::Isotonic, {fit_isotonic(p.x, p.yes, p.weight)}};
  const Calibration::Curve& curve = c.curves[0];
  EXPECT_TRUE(std::ranges::is_sorted(curve.to));
  double with = 0, without = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) (p.yes[i] ? with : without) += p.weight[i];
  const double high = (with + 1) / (with + 2), low = 1 / (without + 2);
  const auto distance = [&](auto at) {
    double sum = 0;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      const double aim = p.yes[i] ? high : low;
      sum += p.weight[i] * std::pow(at(p.x[i]) - aim, 2);
    }
    return sum;
  };
  const double best = distance([&](double x) { return calibrated_at(c, x); });
  for (const double shift : {-0.02, 0.02})
    for (std::size_t k = 0; k < curve.to.size(); ++k) {
      Calibration other = c;  // moved at and beyond a knot: it still never falls
      for (std::size_t j = shift < 0 ? 0 : k; j < (shift < 0 ? k + 1 : curve.to.size()); ++j)
        other.curves[0].to[j] += shift;
      EXPECT_GE(distance([&](double x) { return calibrated_at(other, x); }), best - 1e-12);
    }
}

TEST(Sigmoid, FindsTheCurveThatMadeTheRows) {
  const Points p = drawn(40'000, 2, -1);
  const Calibration::Curve curve = fit_sigmoid(p.x, p.yes, {});
  EXPECT_NEAR(curve.at[0], 2, 0.06);
  EXPECT_NEAR(curve.to[0], -1, 0.06);
}

TEST(Sigmoid, StandsWhereTheLossIsFlat) {
  const Points p = drawn(200, 1, 0.3);
  const Calibration::Curve curve = fit_sigmoid(p.x, p.yes, p.weight);
  double with = 0, without = 0, g1 = 0, g2 = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) (p.yes[i] ? with : without) += p.weight[i];
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const double q = 1 / (1 + std::exp(-(curve.at[0] * p.x[i] + curve.to[0])));
    const double miss = p.weight[i] * (q - (p.yes[i] ? (with + 1) / (with + 2) : 1 / (without + 2)));
    g1 += p.x[i] * miss, g2 += miss;
  }
  EXPECT_NEAR(g1, 0, 1e-6);
  EXPECT_NEAR(g2, 0, 1e-6);
}

TEST(Threshold, CostsNoMoreThanAnyOther) {
  const Random random(4, Purpose::Sample);
  std::vector<double> p(80), weight(80);
  std::vector<std::int32_t> code(80);
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] = static_cast<double>(random.below(17, 3 * i)) / 16;
    code[i] = random.unit(3 * i + 1) < p[i];
    weight[i] = static_cast<double>(random.below(3, 3 * i + 2));
  }
  for (const std::int32_t positive : {0, 1})
    for (const double fn : {0.2, 1.0, 12.0}) {
      const auto cost = [&](double threshold) {
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          const std::int32_t said = p[i] > threshold ? 1 : 0;
          if (said != code[i]) sum += weight[i] * (said == positive ? 1.0 : fn);
        }
        return sum;
      };
      const double found = *threshold_of(p, code, weight, positive, {1, fn, {}});
      double least = cost(1);
      for (int k = 0; k <= 32; ++k) least = std::min(least, cost(k / 32.0 - 1e-9));
      EXPECT_DOUBLE_EQ(cost(found), least) << positive << " " << fn;
    }
}

TEST(Deciding, CalibratedTreesAreLessWrongOnRowsNotSeen) {
  for (const int classes : {2, 3}) {
    const Task all = noisy_task(900, classes);
    std::vector<Row> first, second;
    for (Row r = 0; r < 900; ++r) (r < 600 ? first : second).push_back(r);
    const Task task = take_rows(all, first), other = take_rows(all, second);
    const auto loss = [&](Calibration::Kind kind) {
      const Result<Model> model = fit_deciding("cart", task, {{"prune", "none"}}, {.calibrate = kind});
      EXPECT_TRUE(model);
      EXPECT_EQ(model->calibration.curves.size(), kind == Calibration::Kind::None ? 0u : classes == 2 ? 1u : 3u);
      return measure(model->schema, *predict(*model, other.x), other.y).find("log_loss")->value;
    };
    const double plain = loss(Calibration::Kind::None);
    EXPECT_LT(loss(Calibration::Kind::Sigmoid), plain / 2);
    EXPECT_LT(loss(Calibration::Kind::Isotonic), plain / 2);
  }
}

TEST(Deciding, DearMissesLowerTheThresholdAndTheModelKeepsIt) {
  const Task task = noisy_task(400, 2);
  const Decide wary{.calibrate = Calibration::Kind::Isotonic, .costs = Costs{1, 12, {}}};
  const Result<Model> model = fit_deciding("cart", task, {{"max-depth", "3"}}, wary);
  ASSERT_TRUE(model && model->threshold);
  EXPECT_LT(*model->threshold, 0.5);
  const std::string bytes = to_bytes(*model);
  const Result<Model> back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, *model);
  const Result<Predictions> p = predict(*back, task.x);
  const Predictor one(*back);
  for (std::size_t i = 0; i < p->rows; ++i) {
    EXPECT_EQ(p->label[i], p->value[2 * i + 1] > *model->threshold ? 1 : 0);
    double row[2];
    one.predict_row(std::vector<double>{task.x.columns[0].numbers()[i], task.x.columns[1].numbers()[i]}, row);
    EXPECT_EQ(row[1], p->value[2 * i + 1]);
  }
}

TEST(Deciding, AnInterruptKeepsTheModelWithoutWhatWasNotLearned) {
  const Task task = noisy_task(200, 2);
  std::atomic<bool> stop{false};
  wald::Run run{.stop = &stop};
  run.progress = [&](const Progress& p) { stop = p.stage == "learning to decide"; };
  const Decide wary{.calibrate = Calibration::Kind::Sigmoid, .costs = Costs{1, 12, {}}};
  const Result<Model> model = fit_deciding("cart", task, {{"max-depth", "3"}}, wary, run);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(*model, *fit("cart", task, {{"max-depth", "3"}}));
}

TEST(Deciding, RowsOfOneClassThatWeighSomethingTeachNoThreshold) {
  Task task = noisy_task(100, 2);
  task.weight.assign(100, 0);
  for (Row r = 0; r < 100; ++r)
    if (task.classes().code[r] == 0) task.weight[r] = std::int64_t{1} << kWeightBits;
  const Result<Model> model = fit_deciding("cart", task, {}, {.costs = Costs{1, 12, {}}});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE(model->threshold);
}

TEST(Deciding, WhatHasNoMeaningIsRefused) {
  Task numbers = noisy_task(50, 2);
  numbers.y = std::vector<double>(50, 1.0);
  EXPECT_EQ(fit_deciding("cart", numbers, {}, {.costs = Costs{}}).error().kind, ErrorKind::Usage);
  EXPECT_EQ(fit_deciding("cart", noisy_task(50, 3), {}, {.costs = Costs{}}).error().kind, ErrorKind::Usage);
  EXPECT_EQ(fit_deciding("cart", noisy_task(50, 2), {}, {.costs = Costs{}, .positive = "maybe"}).error().kind,
            ErrorKind::Usage);
  EXPECT_EQ(fit_deciding("private-boost", noisy_task(50, 2), {}, {.costs = Costs{}}).error().kind,
            ErrorKind::PrivacyRefusal);
}

}  // namespace
}  // namespace wald
