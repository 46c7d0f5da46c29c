// Measures of regression.
#include <cmath>
#include <limits>

#include "measure/measures.h"
#include "measure/sum.h"

namespace wald {

std::vector<Measure> measures_of_numbers(std::span<const double> predicted, std::span<const double> actual,
                                         std::span<const double> weight) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  Sum weights, level, square, absolute, relative;
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
    if (actual[row] == 0) zero_target = true;
    else relative += w * (miss / std::fabs(actual[row]));
  });
  const double mean = level / weights;
  Sum spread;
  each_row([&](std::size_t row, double w) { spread += w * (actual[row] - mean) * (actual[row] - mean); });
  return {
      {"rmse", std::sqrt(square / weights)},
      {"mae", absolute / weights},
      {"r2", spread > 0 ? 1 - square / spread : kUndefined},
      {"mape", zero_target ? kUndefined : relative / weights},  // no share of nothing
      {"mse", square / weights},
  };
}

}  // namespace wald
