#include "cli/deciding.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>

#include "cli/fit.h"
#include "cli/reading.h"
#include "core/text.h"

namespace wald::cli {
namespace {

Status read_costs(const Arguments& given, Costs& costs) {
  std::set<std::string> named;
  for (const std::string& part : given.list("cost")) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const double value = equals == std::string::npos ? -1 : read_number(part.substr(equals + 1)).value_or(-1);
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

Status read_odds(const Arguments& given, Costs& costs) {
  if (!given.has("odds")) return Done{};
  const std::string text = given.text("odds");
  const std::size_t colon = text.find(':');
  const double negative = read_number(text.substr(0, colon)).value_or(-1);
  const double positive = colon == std::string::npos ? 1 : read_number(text.substr(colon + 1)).value_or(-1);
  if (!(negative > 0 && positive > 0) || !std::isfinite(negative / positive))
    return usage(fmt::format("--odds: '{}' is not a ratio", printable(text)),
                 "write --odds 9:1 for nine negatives to one positive");
  costs.odds = negative / positive;
  return Done{};
}

}  // namespace

Result<Costs> costs_of(const Arguments& given) {
  Costs out;
  if (Status ok = read_costs(given, out); !ok) return ok.error();
  if (Status ok = read_odds(given, out); !ok) return ok.error();
  return out;
}

Result<Decide> decide_of(const Arguments& given) {
  Decide out;
  const std::string kind = given.text("calibrate", "none");
  out.calibrate = kind == "sigmoid"    ? Calibration::Kind::Sigmoid
                  : kind == "isotonic" ? Calibration::Kind::Isotonic
                                       : Calibration::Kind::None;
  const Result<Costs> costs = costs_of(given);
  if (!costs) return costs.error();
  if (given.has("cost") || given.has("odds")) out.costs = *costs;
  else if (given.has("positive"))
    return usage("--positive says which class --cost and --odds speak of", "give one of them, or leave it away");
  out.positive = given.text("positive");
  return out;
}

void keep_deciding(const Arguments& given, Model& model) {
  const auto keep = [&](const char* option) {
    if (given.has(option)) model.made.options[option] = fmt::format("{}", fmt::join(given.raw(option), ","));
  };
  if (given.text("calibrate") == "none" || model.calibration.kind != Calibration::Kind::None) keep("calibrate");
  if (model.threshold)
    for (const char* option : {"cost", "odds", "positive"}) keep(option);
}

std::vector<std::string> deciding_lines(const Model& model) {
  std::vector<std::string> out;
  if (model.threshold) {
    const std::string name = printable(model.schema.target.level[1], 40);
    out.push_back(*model.threshold < 0 ? "always " + name
                  : *model.threshold >= 1
                      ? "never " + name
                      : fmt::format("{} where p_{} is above {}", name, name, measure_text(*model.threshold)));
  }
  if (model.calibration.kind == Calibration::Kind::Sigmoid) out.emplace_back("probabilities calibrated by a sigmoid");
  if (model.calibration.kind == Calibration::Kind::Isotonic)
    out.emplace_back("probabilities calibrated by isotonic regression");
  return out;
}

}  // namespace wald::cli
