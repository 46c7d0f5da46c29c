// How good predictions are.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wald/model.h"
#include "wald/predict.h"
#include "wald/result.h"
#include "wald/task.h"

namespace wald {

struct Measure {
  std::string name;  // "accuracy"
  double value = 0;  // NaN = undefined on these rows (a ROC area with one class)
};

// What measures of numbers may need to know besides.
struct Measuring {
  double quantile = 0.5;             // that was predicted, for the pinball loss
  std::vector<std::uint32_t> query;  // per row, for ranking: then NDCG and MAP are measured too
  bool ranks = false;        // by a loss that knows nothing but order: only that is measured where rows have queries
  std::size_t rank_at = 10;  // places of a list that the loss counted: NDCG is measured there too
  bool survival = false;     // times, below 0 without an event: only the order of the risks is measured
};
// As the model was trained; query: of the rows to be measured.
Measuring measuring_for(const Model&, std::vector<std::uint32_t> query = {});

struct Measures {
  std::size_t rows = 0;
  std::vector<Measure> list;
  std::vector<std::string> classes;            // empty for numbers
  std::vector<std::vector<double>> confusion;  // [actual][predicted], weights
  const Measure* find(std::string_view name) const;
};

// The true target of the table's rows, coded as the model codes it, against the predictions.
Result<Target> target_of(const Model&, const Table&);
// Of a model of several targets: those after the first.
Result<std::vector<std::vector<double>>> more_targets_of(const Model&, const Table&);
// The rows of another table as a task like this one, its target coded likewise: Rounds::stop_by wants such. They are
// weighed by the column `weight` where the table has it; a query is one that it must have. Refused where they are the
// same rows: what is learned by heart is no judge.
Result<Task> task_like(const Task&, Table other, const std::string& query = "", const std::string& weight = "");
// With several targets a measure is the mean over them, and each one's is listed too, as "rmse(NAME)".
Measures measure(const Schema&, const Predictions&, const Target&, std::span<const std::int64_t> weight = {},
                 std::span<const std::vector<double>> more = {}, const Measuring& = {});

}  // namespace wald
