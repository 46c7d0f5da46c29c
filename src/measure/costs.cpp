#include "measure/costs.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "core/text.h"

namespace wald {
namespace {

std::optional<double> figure_in(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

Status read_costs(std::span<const std::string> parts, Costs& costs) {
  std::set<std::string> named;
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const double value = equals == std::string::npos ? -1 : figure_in(part.substr(equals + 1)).value_or(-1);
    if ((name != "fp" && name != "fn") || !(value >= 0) || !std::isfinite(value))
      return usage(fmt::format("--cost: '{}' is not a cost", printable(part)),
                   "write --cost fp=1,fn=12: a false positive costs 1, a false negative 12");
    if (!named.insert(name).second)
      return usage(fmt::format("--cost: {} is named twice", name), "give each of fp and fn one cost");
    (name == "fp" ? costs.false_positive : costs.false_negative) = value;
  }
  if (!named.empty() && costs.false_positive == 0 && costs.false_negative == 0)
    return usage("--cost: where neither mistake costs anything, nothing is left to decide",
                 "give at least one of fp and fn a cost above 0");
  return Done{};
}

Status read_odds(const std::string& text, Costs& costs) {
  const std::size_t colon = text.find(':');
  const double negative = figure_in(text.substr(0, colon)).value_or(-1);
  const double positive = colon == std::string::npos ? 1 : figure_in(text.substr(colon + 1)).value_or(-1);
  if (!(negative > 0 && positive > 0) || !std::isfinite(negative / positive))
    return usage(fmt::format("--odds: '{}' is not a ratio", printable(text)),
                 "write --odds 9:1 for nine negatives to one positive");
  costs.odds = negative / positive;
  return Done{};
}

Result<Decide> read_decide(const DecideWords& words) {
  Decide out;
  if (words.calibrate != "none" && words.calibrate != "sigmoid" && words.calibrate != "isotonic")
    return usage(fmt::format("--calibrate: '{}' is none of its choices", printable(words.calibrate)),
                 "choose one of none, sigmoid, isotonic");
  out.calibrate = words.calibrate == "sigmoid"    ? Calibration::Kind::Sigmoid
                  : words.calibrate == "isotonic" ? Calibration::Kind::Isotonic
                                                  : Calibration::Kind::None;
  Costs costs;
  if (Status ok = read_costs(words.cost, costs); !ok) return ok.error();
  if (words.odds)
    if (Status ok = read_odds(*words.odds, costs); !ok) return ok.error();
  if (!words.cost.empty() || words.odds) out.costs = costs;
  else if (!words.positive.empty())
    return usage("--positive says which class --cost and --odds speak of", "give one of them, or leave it away");
  out.positive = words.positive;
  return out;
}

}  // namespace wald
