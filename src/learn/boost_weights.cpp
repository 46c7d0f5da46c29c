#include "learn/boost_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/fixed.h"
#include "core/text.h"
#include "learn/named_values.h"
#include "table/weights.h"

namespace wald {
namespace {

// Every class gets the same sum of weights, and the average stays.
std::vector<double> balanced(const std::vector<double>& weight, const Classes& classes) {
  std::vector<double> of(classes.name.size());
  double all = 0;
  for (Row r = 0; r < weight.size(); ++r) of[static_cast<std::size_t>(classes.code[r])] += weight[r], all += weight[r];
  for (double& w : of) w = w > 0 ? all / (static_cast<double>(of.size()) * w) : 1;
  return of;
}

Result<std::vector<double>> given(const std::string& words, const std::vector<std::string>& classes) {
  std::vector<double> out(classes.size(), 1);
  const auto parts = named_values("class-weights", words, classes);
  if (!parts) return parts.error();
  for (const auto& [part, name, number] : *parts) {
    double weight = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), weight);
    if (code != std::errc{} || end != number.data() + number.size() || !(weight > 0 && weight <= 1e6))
      return usage(fmt::format("--class-weights: '{}' gives no class a weight above 0, up to 1000000", printable(part)),
                   "write none, balanced, or CLASS=WEIGHT, separated by commas");
    const auto found = std::ranges::find(classes, name);
    if (found == classes.end()) {
      const std::string guess = did_you_mean(name, classes);
      return usage(fmt::format("--class-weights: the target has no class '{}'", printable(name)),
                   guess.empty() ? "name classes of the target" : guess);
    }
    out[static_cast<std::size_t>(found - classes.begin())] = weight;
  }
  return out;
}

}  // namespace

Result<std::vector<double>> class_weighted(const Task& task, const std::string& words) {
  std::vector<double> out;
  for (const std::int64_t w : task.weight) out.push_back(from_fixed(w, kWeightBits));
  if (words == "none") return out;
  if (!task.classifies())
    return usage(fmt::format("--class-weights is for classes, but the target '{}' has numbers", printable(task.target)),
                 "leave it away, or give --task classes");
  if (out.empty()) out.assign(task.x.rows, 1);
  const Classes& classes = task.classes();
  const Result<std::vector<double>> weight =
      words == "balanced" ? Result<std::vector<double>>(balanced(out, classes)) : given(words, classes.name);
  if (!weight) return weight.error();
  for (Row r = 0; r < out.size(); ++r) out[r] *= (*weight)[static_cast<std::size_t>(classes.code[r])];
  if (words == "balanced") return out;
  // As if they stood in a column of weights: only what classes weigh beside each other counts.
  const std::vector<std::int64_t> scaled = scaled_weights(out);
  std::ranges::transform(scaled, out.begin(), [](std::int64_t w) { return from_fixed(w, kWeightBits); });
  return out;
}

}  // namespace wald
