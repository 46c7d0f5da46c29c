// The scores that rounds keep are those of the model they end in, bit for bit: the trees decide alike by bins and by
// values, for rows that grew a tree, rows left out of a round's sample, and rows held out.
#include <hwy/targets.h>

#include <optional>

#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/boost_rounds.h"
#include "learn/boost_test.h"
#include "tree/assembler.h"

namespace wald {
namespace {

using namespace testing;

void expect_same_scores(const Task& task, Boost how, int rounds) {
  const auto x = bin(task.x, how.bins);
  ASSERT_TRUE(x);
  const auto targets = targets_of(task, how);
  ASSERT_TRUE(targets);
  const LossName loss = loss_for(task, how);
  const Objective objective = objective_for(loss, task, how, *targets);
  std::vector<Row> rows, held;
  for (Row r = 0; r < task.x.rows; ++r) (r % 5 == 0 ? held : rows).push_back(r);
  const Run run;
  std::optional<LinearSteps> linear;
  if (how.leaf == BoostLeaf::Linear) linear.emplace(task.x, how.ridge, how.leaf_terms);
  Booster booster(*x, objective, how, rows, held, run, nullptr, linear ? &*linear : nullptr);
  for (int r = 0; r < rounds; ++r) booster.round();
  const Model model{.schema = schema_of(task),
                    .body = assemble(booster.base(), task.x.columns.size(), booster.trees()),
                    .link = link_of(loss)};
  const std::vector<double> score = all_predicted(model, task.x).score;
  ASSERT_EQ(score.size(), booster.scores().size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < score.size(); ++i) same += score[i] == booster.scores()[i];
  EXPECT_EQ(same, score.size()) << task.x.source << " with " << how.bins << " bins";
}

TEST(BoostScores, RoundsAndModelsAgreeToTheBit) {
  struct Case {
    const char *table, *target;
    int rounds;
  };
  for (const Case& c : {Case{"auto_mpg", "mpg", 40},
                        {"diabetes_progression", "progression", 40},
                        {"claims", "claim", 40},
                        {"penguins", "species", 15}})
    for (const int bins : {8, 255, kMaxBins}) {
      Boost how;
      how.bins = bins, how.rows = 0.5, how.min_leaf = 0;
      expect_same_scores(task_of(c.table, c.target), how, c.rounds);
      how.leaf = BoostLeaf::Linear;
      expect_same_scores(task_of(c.table, c.target), how, 10);
      how.leaf = BoostLeaf::Constant, how.drop = 0.2;
      expect_same_scores(task_of(c.table, c.target), how, 10);
    }
}

// Rows that are already sure of their class have derivatives that round to nothing: bins that hold only such rows seem
// empty to the search, and still have rows to be sent somewhere.
TEST(BoostScores, RowsWithoutDerivativesGoWhereTheModelSendsThem) {
  Table table;
  std::vector<double> x, z, y;
  for (int i = 0; i < 2000; ++i) {
    x.push_back(i * 37 % 501), z.push_back(i * 91 % 97);
    y.push_back(x.back() > 250 || (x.back() > 100 && z.back() > 90) ? 1 : 0);
  }
  table.rows = 2000;
  for (auto& [name, values] : {std::pair{"x", x}, {"z", z}, {"y", y}}) table.columns.push_back({name, Numbers(values)});
  const auto task = make_task(table, {.target = "y", .kind = TaskKind::Classes});
  ASSERT_TRUE(task);
  for (const int bits : {6, 16}) {
    Boost how;
    how.learning_rate = 0.5, how.min_leaf = 0, how.l2 = 0, how.gradient_bits = bits, how.bins = 40;
    expect_same_scores(*task, how, 40);
  }
}

// The instructions a machine has make no difference either.
TEST(BoostScores, EverySetOfInstructionsGivesTheSameBytes) {
  struct Case {
    const char *table, *target;
  };
  for (const Case& c : {Case{"auto_mpg", "mpg"}, {"claims", "claim"}, {"glass", "Type"}, {"tic_tac_toe", "Class"}}) {
    const Task task = task_of(c.table, c.target);
    const Settings settings{{"trees", "6"}, {"early-stop", "none"}};
    const std::string bytes = to_bytes(must_fit(task, settings));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      EXPECT_TRUE(to_bytes(must_fit(task, settings)) == bytes) << c.table << " " << hwy::TargetName(target);
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

}  // namespace
}  // namespace wald
