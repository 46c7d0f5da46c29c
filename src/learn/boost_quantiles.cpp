#include "learn/boost_quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/parallel.h"
#include "core/shell.h"
#include "core/text.h"
#include "loss/quantile.h"

namespace wald {

Result<std::vector<double>> read_quantiles(const std::string& words) {
  constexpr double kLeast = 1e-6, kMost = 1 - kLeast;
  std::vector<double> out;
  for (const std::string& part : split_list(words)) {
    double q = 0;
    const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), q);
    if (code != std::errc{} || end != part.data() + part.size() || !(q >= kLeast && q <= kMost))
      return usage(fmt::format("--quantile: '{}' is not between 0.000001 and 0.999999", printable(part)),
                   "give one, or several separated by commas: 0.1,0.5,0.9");
    if (!out.empty() && q <= out.back())
      return usage(fmt::format("--quantile: {} comes after {}", exact_text(q), exact_text(out.back())),
                   "name each once, in ascending order");
    out.push_back(q);
  }
  return out;
}

Objective objective_of_quantiles(const std::vector<double>& quantiles, const Targets& targets) {
  std::vector<Objective> each;
  for (const double q : quantiles) each.push_back(objective_of(Quantile{q}, targets));
  if (each.size() == 1) return each[0];
  Objective out = objective_of_each(std::move(each), targets, false);
  out.measured = [apart = out.measured, width = quantiles.size()](Objective::Rows rows, Objective::Scores score) {
    std::vector<double> sorted(score.size());
    parallel_for(rows.size(), 1u << 13, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double* from = score.data() + rows[i] * width;
        double* to = sorted.data() + rows[i] * width;
        std::partial_sort_copy(from, from + width, to, to + width);
      }
    });
    return apart(rows, sorted);
  };
  return out;
}

}  // namespace wald
