// The measures behind wald/measure.h, with weights as doubles and a choice of the positive class.
// Each has scikit-learn's meaning; docs/guide/command-line.md says where the corners are.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/measure.h"

namespace wald {

struct ClassScores {
  double precision = 0, recall = 0, f1 = 0;  // 0 where the denominator is 0
  double support = 0;                        // weight of the rows of this class
  bool occurs = false;                       // among the true or the predicted classes
};

// weight: empty = every row weighs 1. positive: of two classes, the one that precision, recall, F1, ROC area and
// Brier score speak of; absent = the second.
Measures measure_weighted(const Schema&, const Predictions&, const Target&, std::span<const double> weight,
                          std::optional<std::int32_t> positive = {}, std::span<const std::vector<double>> more = {});

std::vector<ClassScores> class_scores(const std::vector<std::vector<double>>& confusion);
std::vector<double> column_of(std::span<const double> rows, std::size_t width, std::size_t column);

// One list each, filled in the order of the manual.
std::vector<Measure> measures_of_classes(const Predictions&, const Classes&, std::span<const double> weight,
                                         std::int32_t positive, const std::vector<std::vector<double>>& confusion);
std::vector<Measure> measures_of_numbers(std::span<const double> predicted, std::span<const double> actual,
                                         std::span<const double> weight);
// Of several quantiles of a row: their pinball losses and how many rows lie below each; then the measures of numbers of
// the one nearest to the middle.
std::vector<Measure> measures_of_quantiles(const Schema&, std::span<const double> predicted,
                                           std::span<const double> actual, std::span<const double> weight);

}  // namespace wald
