#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "measure/measures.h"
#include "wald/wald.h"

namespace wald {
namespace {

// Over all pairs: comparable where the earlier time is an event, or of one time only one is.
double concordance_by_definition(const std::vector<double>& risk, const std::vector<double>& time,
                                 const std::vector<double>& weight) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < time.size(); ++i)
    for (std::size_t j = 0; j < time.size(); ++j) {
      const bool outlived = std::fabs(time[j]) > time[i] || (time[j] < 0 && -time[j] == time[i]);
      if (time[i] < 0 || !outlived) continue;
      const double w = weight.empty() ? 1 : weight[i] * weight[j];
      pairs += w;
      right += w * (risk[i] > risk[j] ? 1 : risk[i] == risk[j] ? 0.5 : 0);
    }
  return right / pairs;
}

struct Survivors {
  std::vector<double> risk, time, weight;
};
Survivors survivors(std::uint64_t seed, std::size_t rows) {  // few values: many ties
  const Random random(seed, Purpose::Folds, 1);
  Survivors out;
  for (std::size_t i = 0; i < rows; ++i) {
    out.risk.push_back(std::floor(8 * random.unit(4 * i)));
    const double time = 1 + std::floor(12 * random.unit(4 * i + 1));
    out.time.push_back(random.unit(4 * i + 2) < 0.4 ? -time : time);
    out.weight.push_back(std::floor(3 * random.unit(4 * i + 3)));
  }
  return out;
}

TEST(Concordance, IsTheShareOfComparablePairsInTheirOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Survivors d = survivors(seed, 5 + 7 * seed);
    EXPECT_NEAR(measures_of_survival(d.risk, d.time, {})[0].value, concordance_by_definition(d.risk, d.time, {}),
                1e-12);
    EXPECT_NEAR(measures_of_survival(d.risk, d.time, d.weight)[0].value,
                concordance_by_definition(d.risk, d.time, d.weight), 1e-12);
  }
}

TEST(Concordance, IsUndefinedWhereNoTwoRowsCanBeCompared) {
  EXPECT_TRUE(std::isnan(measures_of_survival(std::vector<double>{1, 2}, std::vector<double>{-3, -4}, {})[0].value));
  EXPECT_TRUE(std::isnan(measures_of_survival(std::vector<double>{1, 2}, std::vector<double>{3, 3}, {})[0].value));
  EXPECT_EQ(measures_of_survival(std::vector<double>{2, 1}, std::vector<double>{3, -3}, {})[0].value, 1);
}

TEST(Concordance, IsAllThatIsMeasuredOfAModelOfCox) {
  Table table{.rows = 60};
  std::vector<double> x, time;
  for (int i = 0; i < 60; ++i) x.push_back(i * 7 % 60), time.push_back((i % 4 == 0 ? -1 : 1) * (61.0 - x.back()));
  table.columns.push_back({"x", Numbers(x)});
  table.columns.push_back({"time", Numbers(time)});
  const auto task = make_task(table, {.target = "time", .kind = TaskKind::Numbers});
  ASSERT_TRUE(task);
  const Settings cox{{"loss", "cox"}, {"trees", "10"}, {"early-stop", "none"}, {"learning-rate", "0.3"}};
  for (const char* learner : {"boost", "anyboost"}) {
    const Settings settings = learner == std::string("boost") ? cox : Settings{{"loss", "cox"}};
    const auto model = fit(learner, *task, settings);
    ASSERT_TRUE(model) << model.error().message;
    const Measures found = measure(model->schema, *predict(*model, table), task->y, {}, {}, measuring_for(*model));
    ASSERT_EQ(found.list.size(), 1u);
    EXPECT_EQ(found.list[0].name, "concordance");
    EXPECT_GT(found.list[0].value, 0.8);
  }
  const auto folds = make_folds(*task, {.folds = 3}, 1);
  ASSERT_TRUE(folds);
  const auto validated = cross_validate("boost", *task, cox, *folds);
  ASSERT_TRUE(validated) << validated.error().message;
  for (const Measures& fold : validated->measures) EXPECT_EQ(fold.list.size(), 1u);
  EXPECT_EQ(measure_names(*task, {}, {.survival = true}), std::vector<std::string>{"concordance"});
}

}  // namespace
}  // namespace wald
