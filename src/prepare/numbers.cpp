// Numbers: which steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "prepare/prepare.h"

namespace wald {
namespace {

constexpr std::size_t kMostMade = 10'000;  // columns

}  // namespace

Status expand_numbers(Fitting& fitting, const Prepare& asked, const FindRegions& find_regions) {
  const std::vector<std::string> names = fitting.names(ColumnType::Number);
  const std::size_t made = names.size() * static_cast<std::size_t>(asked.powers - 1) +
                           (asked.products ? names.size() * (names.size() - 1) / 2 : 0);
  if (made > kMostMade)
    return bad_data(fmt::format("powers and products of {} would make {} columns", plural(names.size(), "column"),
                                with_commas(made)),
                    "leave --products away, or --ignore columns");
  std::vector<PreparationStep> regions;
  if (asked.regions > 1) {
    Result<std::vector<PreparationStep>> found = find_regions(fitting.now(), asked.regions);
    if (!found) return found.error();
    regions = std::move(*found);
  }
  for (const std::string& name : names)
    for (int power = 2; power <= asked.powers && !fitting.is_flag(name); ++power)
      fitting.add({StepKind::Product,
                   std::vector<std::string>(static_cast<std::size_t>(power), name),
                   {fitting.unused(fmt::format("{}^{}", name, power))},
                   {},
                   {}});
  for (std::size_t i = 0; asked.products && i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      if (!fitting.exclude(names[i], names[j]))
        fitting.add({StepKind::Product, {names[i], names[j]}, {fitting.unused(names[i] + "*" + names[j])}, {}, {}});
  for (PreparationStep& step : regions) {
    step.to[0] = fitting.unused(step.to[0]);
    fitting.add(std::move(step));
  }
  return Done{};
}

void scale_numbers(Fitting& fitting, Scaling how) {
  for (const std::string& name : fitting.names(ColumnType::Number)) {
    if (fitting.is_flag(name)) continue;
    double weight = 0, mean = 0, squares = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const std::vector<double> cell = cells_of(fitting.column(name));
    const auto each = [&](auto body) {
      for (Row r = 0; r < cell.size(); ++r)
        if (const double w = fitting.weight(r); std::isfinite(cell[r]) && w > 0) body(cell[r], w);
    };
    each([&](double x, double w) {
      mean += w * x, weight += w;
      low = std::fmin(low, x), high = std::fmax(high, x);
    });
    if (!(weight > 0)) continue;
    mean /= weight;
    each([&](double x, double w) { squares += w * (x - mean) * (x - mean); });
    const double width = how == Scaling::Standard ? std::sqrt(squares / weight) : high - low;
    if (!std::isfinite(width) || !std::isfinite(mean)) continue;  // beyond what doubles hold
    fitting.add({StepKind::Scale, {name}, {}, {how == Scaling::Standard ? mean : low, width > 0 ? width : 1.0}, {}});
  }
}

}  // namespace wald
