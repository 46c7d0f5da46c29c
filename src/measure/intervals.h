// How sure measures are: between which values they would lie for other rows of the same kind.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wald/measure.h"
#include "wald/run.h"

namespace wald {

struct MeasureInterval {
  std::string name;
  double low = 0, high = 0;  // NaN = undefined
  std::string how;           // "bootstrap", "delong"
};

// The area under the ROC curve and its variance (DeLong, DeLong and Clarke-Pearson 1988). NaN without both kinds of
// row.
struct AreaVariance {
  double area = 0, variance = 0;
};
AreaVariance delong(std::span<const double> score, std::span<const std::int32_t> code, std::int32_t positive);

// measured(weight): all measures, rows counted by these weights. Rows, or whole groups of them, are drawn with
// replacement; an interval leaves out (1 - level) / 2 of the resamples on both sides (Efron 1979). group: per row,
// empty = each row by itself.
std::vector<MeasureInterval> bootstrap_intervals(
    std::size_t rows, std::span<const double> weight, std::span<const std::uint32_t> group, double level, int resamples,
    const Run&, const std::function<std::vector<Measure>(std::span<const double>)>& measured);

}  // namespace wald
