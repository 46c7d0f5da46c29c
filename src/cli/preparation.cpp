#include "cli/preparation.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "prepare/steps.h"

namespace wald::cli {

std::vector<std::pair<std::string, std::string>> preparation_lines(const Model& model) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& words : step_words(model.preparation)) out.emplace_back(out.empty() ? "prepared" : "", words);
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
