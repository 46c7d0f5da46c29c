// What rounding the derivatives costs: less than a tenth of what the scores of folds differ by. Derivatives of 44
// binary digits, whose sums are finer than those of doubles, are the measure; bench/boost_precision.py does the same on
// larger tables.
#include <cmath>
#include <numeric>

#include "learn/boost_test.h"

namespace wald {
namespace {

using namespace testing;

// Log loss or root mean squared error on every fifth row, from a model of the others.
std::vector<double> fold_scores(const Task& task, const Settings& settings) {
  std::vector<double> out;
  for (Row fold = 0; fold < 5; ++fold) {
    std::vector<Row> train, held;
    for (Row r = 0; r < task.x.rows; ++r) (r % 5 == fold ? held : train).push_back(r);
    const Task rest = take_rows(task, held);
    const Model model = must_fit(take_rows(task, train), settings);
    const auto measures = measure(model.schema, all_predicted(model, rest.x), rest.y);
    out.push_back(measures.find(task.classifies() ? "log_loss" : "rmse")->value);
  }
  return out;
}

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

double deviation(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += (x - mean(v)) * (x - mean(v));
  return std::sqrt(sum / static_cast<double>(v.size()));
}

TEST(BoostPrecision, RoundedDerivativesMoveScoresByLessThanATenthOfTheirNoise) {
  struct Case {
    const char *table, *target;
  };
  for (const Case& c : {Case{"auto_mpg", "mpg"},
                        {"claims", "claim"},
                        {"diabetes_progression", "progression"},
                        {"glass", "Type"},
                        {"house_votes_84", "Class"},
                        {"iris", "class"},
                        {"penguins", "species"},
                        {"tic_tac_toe", "Class"}}) {
    const Task task = task_of(c.table, c.target);
    const Settings settings{{"trees", "60"}, {"early-stop", "none"}};
    const auto coarse = fold_scores(task, settings),
               fine = fold_scores(task, with(settings, {{"gradient-bits", "44"}}));
    EXPECT_LE(std::fabs(mean(coarse) - mean(fine)), deviation(fine) / 10) << c.table;
  }
}

}  // namespace
}  // namespace wald
