#include "cli/found.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "cli/fit.h"
#include "core/text.h"
#include "learn/adaboost.h"
#include "measure/out_of_bag.h"

namespace wald::cli {
namespace {

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
  const std::string expected = words(model, kExpected, {"accuracy", "rmse"});
  if (!expected.empty()) out.emplace_back("expected", expected + " of all trees together");
  const std::string training = words(model, kTraining, {"error", "bound"});
  if (!training.empty()) out.emplace_back("training", training);
  if (const auto size = model.found.find(std::string(kTraining) + "min_split"); size != model.found.end())
    out.emplace_back("min-split", fmt::format("{} rows, chosen out of bag", size->second));
  return out;
}

std::vector<std::string> round_lines(const Model& model) {
  constexpr std::size_t kFirst = 4;
  const std::vector<AdaBoostRound> rounds = adaboost_rounds(model);
  std::vector<std::string> out;
  const auto line = [&](const auto&... cells) {
    out.push_back(fmt::format("{:>5} {:>15} {:>8} {:>8} {:>10} {:>10} {:>15}", cells...));
  };
  if (!rounds.empty())
    line("round", "weighted error", "alpha", "factor", product_word(model), "loss", "training error");
  for (std::size_t t = 1; t <= rounds.size(); ++t) {
    const AdaBoostRound& r = rounds[t - 1];
    if (t <= kFirst || std::has_single_bit(t) || t == rounds.size())
      line(with_commas(t), measure_text(r.error), measure_text(r.alpha), measure_text(r.factor),
           measure_text(r.product), measure_text(r.loss), measure_text(r.training_error));
  }
  return out;
}

nlohmann::ordered_json rounds_json(const Model& model) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const AdaBoostRound& r : adaboost_rounds(model)) {
    nlohmann::ordered_json one = {{"round", out.size() + 1}};
    for (const auto& [name, value] : named_figures(model, r)) one[name] = value;
    out.push_back(std::move(one));
  }
  return out;
}

void add_found(const Model& model, nlohmann::ordered_json& into) {
  for (const auto& [name, value] : model.found)
    for (const auto& [prefix, group] : {std::pair(kOutOfBag, "out_of_bag"), std::pair(kTraining, "training")})
      if (name.starts_with(prefix)) into[group][name.substr(prefix.size())] = value;
}

}  // namespace wald::cli
