// Measures of regression.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "measure/measures.h"
#include "measure/sum.h"

namespace wald {

std::vector<Measure> measures_of_numbers(std::span<const double> predicted, std::span<const double> actual,
                                         std::span<const double> weight, double quantile) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  Sum weights, level, square, absolute, relative, bias, pinball;
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
    pinball += w * (actual[row] >= predicted[row] ? quantile : 1 - quantile) * miss;
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
      {"pinball", pinball / weights},
  };
}

std::vector<Measure> measures_of_quantiles(const Schema& schema, std::span<const double> predicted,
                                           std::span<const double> actual, std::span<const double> weight) {
  const std::vector<double>& q = schema.quantiles;
  const std::vector<std::string> names = schema.output_names();
  std::vector<Measure> out{{"pinball", 0}};
  std::size_t middle = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    Sum weights, loss, below;
    for (std::size_t row = 0; row < actual.size(); ++row) {
      const double w = weight.empty() ? 1.0 : weight[row], miss = actual[row] - predicted[row * q.size() + k];
      weights += w;
      loss += w * (miss >= 0 ? q[k] * miss : (q[k] - 1) * miss);
      below += miss <= 0 ? w : 0.0;
    }
    out.push_back({fmt::format("pinball({})", names[k]), loss / weights});
    out.push_back({fmt::format("coverage({})", names[k]), below / weights});
    out[0].value += loss / weights / static_cast<double>(q.size());
    if (std::fabs(q[k] - 0.5) < std::fabs(q[middle] - 0.5)) middle = k;
  }
  auto numbers = measures_of_numbers(column_of(predicted, q.size(), middle), actual, weight);
  std::erase_if(numbers, [](const Measure& m) { return m.name == "pinball"; });
  out.insert(out.end(), numbers.begin(), numbers.end());
  return out;
}

}  // namespace wald
