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

struct Measures {
  std::size_t rows = 0;
  std::vector<Measure> list;
  std::vector<std::string> classes;            // empty for numbers
  std::vector<std::vector<double>> confusion;  // [actual][predicted], weights
  const Measure* find(std::string_view name) const;
};

// The true target of the table's rows, coded as the model codes it, against the predictions.
Result<Target> target_of(const Model&, const Table&);
Measures measure(const Schema&, const Predictions&, const Target&, std::span<const std::int64_t> weight = {});

}  // namespace wald
