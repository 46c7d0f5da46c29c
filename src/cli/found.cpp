#include "cli/found.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/fit.h"
#include "core/text.h"
#include "measure/out_of_bag.h"

namespace wald::cli {
namespace {

constexpr std::string_view kTraining = "training_";

// "accuracy 0.91   auc 0.95", of those in the model.
std::string words(const Model& model, std::string_view prefix, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    if (const auto found = model.found.find(std::string(prefix) + name); found != model.found.end())
      out += fmt::format("{}{} {}", out.empty() ? "" : "   ", name, measure_text(found->second));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> found_lines(const Model& model) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string measured =
      words(model, kOutOfBag, {"accuracy", "f1", "auc", "log_loss", "brier", "rmse", "mae", "r2"});
  if (!measured.empty()) out.emplace_back("out of bag", measured);
  const std::string expected = words(model, "oob_expected_", {"accuracy", "rmse"});
  if (!expected.empty()) out.emplace_back("expected", expected + " of all trees together");
  const std::string training = words(model, kTraining, {"error", "bound"});
  if (!training.empty()) out.emplace_back("training", training);
  if (const auto size = model.found.find(std::string(kTraining) + "min_split"); size != model.found.end())
    out.emplace_back("min-split", fmt::format("{} rows, chosen out of bag", size->second));
  return out;
}

void add_found(const Model& model, nlohmann::ordered_json& into) {
  for (const auto& [name, value] : model.found)
    for (const auto& [prefix, group] : {std::pair(kOutOfBag, "out_of_bag"), std::pair(kTraining, "training")})
      if (name.starts_with(prefix)) into[group][name.substr(prefix.size())] = value;
}

}  // namespace wald::cli
