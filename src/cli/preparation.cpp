#include "cli/preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "prepare/steps.h"

namespace wald::cli {
namespace {

constexpr std::size_t kStepsShown = 6;  // columns a line

std::string columns_of(const std::vector<const PreparationStep*>& steps) {
  std::string out;
  for (std::size_t i = 0; i < std::min(steps.size(), kStepsShown); ++i) {
    const PreparationStep& step = *steps[i];
    const bool joins = step.kind == StepKind::Product || step.kind == StepKind::Region;
    out += fmt::format("{}{}", i == 0 ? "" : ", ", printable(joins ? step.to[0] : step.from[0], 40));
  }
  return steps.size() > kStepsShown ? out + fmt::format(", ... {} more", with_commas(steps.size() - kStepsShown)) : out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> preparation_lines(const Model& model) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::vector<PreparationStep>& steps = model.preparation.steps;
  for (std::size_t first = 0; first < steps.size();) {
    std::vector<const PreparationStep*> alike;
    std::size_t end = first;
    for (; end < steps.size() && steps[end].kind == steps[first].kind; ++end) alike.push_back(&steps[end]);
    out.emplace_back(out.empty() ? "prepared" : "",
                     fmt::format("{}: {}", plug_of(steps[first].kind).name, columns_of(alike)));
    first = end;
  }
  return out;
}

nlohmann::ordered_json preparation_json(const Model& model) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const PreparationStep& step : model.preparation.steps) {
    nlohmann::ordered_json one = {{"step", plug_of(step.kind).name}, {"from", step.from}};
    if (!step.to.empty()) one["to"] = step.to;
    for (const double x : step.number)  // JSON has no infinity
      one["numbers"].push_back(std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(exact_text(x)));
    if (!step.level.empty()) one["levels"] = step.level;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace wald::cli
