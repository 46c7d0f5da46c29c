// Measures of regression.
#include <cmath>
#include <limits>

#include "measure/measures.h"
#include "measure/sum.h"

namespace wald {

std::vector<Measure> measures_of_numbers(std::span<const double> predicted, std::span<const double> actual,
                                         std::span<const double> weight) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  Sum weights, level, square, absolute, relative, bias;
  double largest = 0;
  bool zero_target = false;
  const auto each_row = [&](auto body) {
    for (std::size_t row = 0; row < actual.size(); ++row)
      if (const double w = weight.empty() ? 1.0 : weight[row]; w > 0) body(row, w);
  };
  each_row([&](std::size_t row, double w) {
    const double miss = std::fabs(actual[row] - predicted[row]);
    weights += w;
    level += w * actual[row];
    square += w * miss * miss;
    absolute += w * miss;
    bias += w * (actual[row] - predicted[row]);
    largest = std::fmax(largest, miss);
    if (actual[row] == 0) zero_target = true;
    else relative += w * (miss / std::fabs(actual[row]));
  });
  const double mean = level / weights;
  const double mean_miss = bias / weights;
  Sum spread, unexplained;
  each_row([&](std::size_t row, double w) {
    const double miss = actual[row] - predicted[row] - mean_miss;
    spread += w * (actual[row] - mean) * (actual[row] - mean);
    unexplained += w * miss * miss;
  });
  return {
      {"rmse", std::sqrt(square / weights)},
      {"mae", absolute / weights},
      {"r2", spread > 0 ? 1 - square / spread : kUndefined},
      {"mape", zero_target ? kUndefined : relative / weights},  // no share of nothing
      {"mse", square / weights},
      {"max_error", largest},
      {"explained_variance", spread > 0 ? 1 - unexplained / spread : kUndefined},
  };
}

}  // namespace wald
