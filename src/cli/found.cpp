#include "cli/found.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/fit.h"
#include "core/text.h"
#include "wald/measure.h"

namespace wald::cli {
namespace {

constexpr std::string_view kOutOfBag = "oob_", kTraining = "training_";

Predictions some_rows(const Predictions& all, std::span<const Row> rows) {
  Predictions out{.rows = rows.size(), .outputs = all.outputs};
  const std::size_t width = all.value.size() / all.rows;
  for (const Row r : rows) {
    const auto first = all.value.begin() + static_cast<std::ptrdiff_t>(r * width);
    out.value.insert(out.value.end(), first, first + static_cast<std::ptrdiff_t>(width));
    if (!all.label.empty()) out.label.push_back(all.label[r]);
  }
  return out;
}

// "accuracy 0.91   auc 0.95", of those in the model.
std::string words(const Model& model, std::string_view prefix, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    if (const auto found = model.found.find(std::string(prefix) + name); found != model.found.end())
      out += fmt::format("{}{} {}", out.empty() ? "" : "   ", name, measure_text(found->second));
  return out;
}

}  // namespace

std::map<std::string, double> out_of_bag_measures(const Schema& schema, const Task& task, const OutOfBag& bag) {
  std::vector<Row> rows;
  for (Row r = 0; r < bag.trees.size(); ++r)
    if (bag.trees[r] > 0) rows.push_back(r);
  std::map<std::string, double> out;
  if (rows.empty()) return out;
  const Task some = take_rows(task, rows);
  for (const Measure& m : measure(schema, some_rows(bag.predictions, rows), some.y, some.weight).list)
    if (std::isfinite(m.value)) out[std::string(kOutOfBag) + m.name] = m.value;
  out[std::string(kOutOfBag) + "rows"] = static_cast<double>(rows.size());
  return out;
}

std::vector<std::pair<std::string, std::string>> found_lines(const Model& model) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::string measured =
      words(model, kOutOfBag, {"accuracy", "f1", "auc", "log_loss", "brier", "rmse", "mae", "r2"});
  if (!measured.empty()) out.emplace_back("out of bag", measured);
  const std::string training = words(model, kTraining, {"error", "bound"});
  if (!training.empty()) out.emplace_back("training", training);
  return out;
}

void add_found(const Model& model, nlohmann::ordered_json& into) {
  for (const auto& [name, value] : model.found)
    for (const auto& [prefix, group] : {std::pair(kOutOfBag, "out_of_bag"), std::pair(kTraining, "training")})
      if (name.starts_with(prefix)) into[group][name.substr(prefix.size())] = value;
}

}  // namespace wald::cli
