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
                          std::optional<std::int32_t> positive = {}, std::span<const std::vector<double>> more = {},
                          const Measuring& = {});

// Rows by how probable they were called: the mean of what was said, the share of it that came true, and the weight.
struct CalibrationBin {
  double said = 0, came_true = 0, weight = 0;
};
inline constexpr std::size_t kCalibrationBins = 10;  // of equal width
std::vector<CalibrationBin> calibration_bins(const Predictions&, const Classes&, std::span<const double> weight,
                                             std::int32_t positive);  // without those that have no row

std::vector<ClassScores> class_scores(const std::vector<std::vector<double>>& confusion);
std::vector<double> column_of(std::span<const double> rows, std::size_t width, std::size_t column);

// One list each, filled in the order of the manual.
std::vector<Measure> measures_of_classes(const Predictions&, const Classes&, std::span<const double> weight,
                                         std::int32_t positive, const std::vector<std::vector<double>>& confusion);
std::vector<Measure> measures_of_numbers(std::span<const double> predicted, std::span<const double> actual,
                                         std::span<const double> weight, double quantile = 0.5);
std::vector<Measure> measures_of_ranks(std::span<const double> score, std::span<const double> actual,
                                       std::span<const double> weight, std::span<const std::uint32_t> query,
                                       std::size_t rank_at);
// Harrell's concordance (Harrell, Califf, Pryor, Lee and Rosati 1982).
std::vector<Measure> measures_of_survival(std::span<const double> risk, std::span<const double> time,
                                          std::span<const double> weight);
// Of several quantiles of a row: their pinball losses and how many rows lie below each; then the measures of numbers of
// the one nearest to the middle.
std::vector<Measure> measures_of_quantiles(const Schema&, std::span<const double> predicted,
                                           std::span<const double> actual, std::span<const double> weight);

}  // namespace wald
