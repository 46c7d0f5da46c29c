// A tree as a classifier, a ranker and an estimator of probabilities.
#include <gtest/gtest.h>

#include <cmath>

#include "measure/roc.h"
#include "wald/wald.h"

namespace wald {
namespace {

Task task_of(const std::string& table, const std::string& target) {
  auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
  EXPECT_TRUE(read) << read.error().message;
  auto task = make_task(std::move(*read), {.target = target, .kind = TaskKind::Classes});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

Roc training_roc(const char* learner, const Task& task, const Settings& settings) {
  const auto model = fit(learner, task, settings);
  EXPECT_TRUE(model) << model.error().message;
  const auto p = predict(*model, task.x);
  std::vector<double> score;
  for (Row r = 0; r < task.x.rows; ++r) score.push_back(p->value[2 * r + 1]);
  return roc_curve(score, task.classes().code, 1);
}

// Leaves in the order of their share of positives are segments of falling slope, so every point is a corner of the hull
// or lies on it.
TEST(TreeRoc, TheTrainingCurveOfATreeIsConvex) {
  for (const auto& [table, target] :
       {std::pair{"house_votes_84", "Class"}, {"tic_tac_toe", "Class"}, {"claims", "claim"}})
    for (const Settings& settings :
         {Settings{}, Settings{{"min-leaf", "10"}}, Settings{{"max-depth", "3"}}, Settings{{"prune", "cost"}},
          Settings{{"criterion", "sqrt-gini"}, {"min-leaf", "5"}}}) {
      const Roc roc = training_roc("cart", task_of(table, target), settings);
      for (std::size_t i = 1; i + 1 < roc.points.size(); ++i) {
        const RocPoint &a = roc.points[i - 1], &b = roc.points[i], &c = roc.points[i + 1];
        EXPECT_GE((b.tp - a.tp) * (c.fp - b.fp), (c.tp - b.tp) * (b.fp - a.fp)) << table << " point " << i;
      }
    }
}

TEST(TreeRoc, TheAreaIsTheChanceThatAPositiveRowScoresAboveANegativeOne) {
  const Task task = task_of("tic_tac_toe", "Class");
  const auto model = fit("cart", task, {{"max-depth", "4"}});
  const auto p = predict(*model, task.x);
  double pairs = 0, above = 0;
  for (Row i = 0; i < task.x.rows; ++i)
    for (Row j = 0; j < task.x.rows; ++j)
      if (task.classes().code[i] == 1 && task.classes().code[j] == 0) {
        ++pairs;
        above += p->value[2 * i + 1] > p->value[2 * j + 1] ? 1 : p->value[2 * i + 1] == p->value[2 * j + 1] ? 0.5 : 0;
      }
  EXPECT_NEAR(roc_area(training_roc("cart", task, {{"max-depth", "4"}})), above / pairs, 1e-12);
}

// (n_k + m) / (n + m K): none, Laplace's one, and any other m.
TEST(TreeRoc, LeavesEstimateProbabilitiesByAddingToEveryCount) {
  const Task task = task_of("claims", "claim");
  const auto plain = predict(*fit("cart", task, {{"max-depth", "3"}}), task.x);
  for (const double m : {1.0, 2.5}) {
    const auto model = fit("cart", task, {{"max-depth", "3"}, {"smoothing", std::to_string(m)}});
    const auto smooth = predict(*model, task.x);
    for (Row r = 0; r < task.x.rows; ++r) {
      double n = 0, k = 0;
      for (Row o = 0; o < task.x.rows; ++o)
        if (smooth->value[2 * o] == smooth->value[2 * r] && plain->value[2 * o] == plain->value[2 * r])
          ++n, k += task.classes().code[o];
      if (std::fabs(k / n - plain->value[2 * r + 1]) > 1e-12) continue;  // two leaves that say the same
      EXPECT_NEAR(smooth->value[2 * r + 1], (k + m) / (n + 2 * m), 0.02);
    }
    EXPECT_EQ(smooth->label, plain->label);
  }
}

TEST(TreeRoc, ParityIsLearnedWhereSplitsMayGainNothing) {
  for (const char* learner : {"cart", "id3"}) {
    Table table;
    table.rows = 16;
    Categories y{.level = {"even", "odd"}};
    for (int bit = 0; bit < 4; ++bit) {
      Categories c{.level = {"0", "1"}};
      for (int r = 0; r < 16; ++r) c.code.push_back(r >> bit & 1);
      table.columns.push_back({"b" + std::to_string(bit), c});
    }
    for (int r = 0; r < 16; ++r) y.code.push_back((r ^ r >> 1 ^ r >> 2 ^ r >> 3) & 1);
    table.columns.push_back({"y", y});
    const auto task = make_task(table, {.target = "y"});
    ASSERT_TRUE(task);
    EXPECT_EQ(predict(*fit(learner, *task, {{"zero-gain", "yes"}}), table)->label, y.code) << learner;
    EXPECT_EQ(fit(learner, *task, {{"zero-gain", "no"}})->forest().nodes.size(), 1u) << learner;
  }
}

}  // namespace
}  // namespace wald
