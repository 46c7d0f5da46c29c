#include "cli/training.h"

#include <optional>

#include "cli/holdout.h"
#include "cli/reading.h"
#include "core/text.h"

namespace wald::cli {
namespace {

std::string option_of(const Model& model, const std::string& name) {
  const auto found = model.made.options.find(name);
  return found == model.made.options.end() ? "" : found->second;
}

// As they were given: separated by commas, unless the whole is a column's name.
std::vector<std::string> columns_of(const Model& model, const std::string& option, const Table& table) {
  const std::string text = option_of(model, option);
  if (text.empty()) return {};
  if (table.find(text) != nullptr) return {text};
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

Result<Task> training_task(const Model& model, const std::string& data, const Arguments& given, const Run& run,
                           Terminal& terminal) {
  Result<Table> table = read_data_for(model, data, given, run, terminal);
  if (!table) return table.error();
  const Roles roles{.target = model.schema.target.name,
                    .weight = option_of(model, "weight"),
                    .query = option_of(model, "query"),
                    .ignore = columns_of(model, "ignore", *table),
                    .keep = columns_of(model, "keep", *table),
                    .kind = model.schema.classifies() ? TaskKind::Classes : TaskKind::Numbers,
                    .drop_missing_target = option_of(model, "drop-missing-target") == "yes"};
  Result<Task> task = make_task(std::move(*table), roles);
  if (!task) return task;
  const std::optional<double> share = read_number(option_of(model, "holdout"));
  if (!share) return task;
  const Result<Holdout> parts = hold_out(*task, *share, model.made.seed);
  if (!parts) return parts.error();
  return take_rows(*task, parts->train);
}

}  // namespace wald::cli
