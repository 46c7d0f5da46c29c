#include "cli/training.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "cli/deciding.h"
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
  return table.find(text) != nullptr ? std::vector{text} : split_list(text);
}

// Words of a list, so that commas in them stay part of them.
std::string list_word(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = text;
  for (std::size_t at = 0; (at = out.find('"', at)) != std::string::npos; at += 2) out.insert(at, 1, '"');
  return '"' + out + '"';
}

}  // namespace

void keep_roles(const Arguments& given, const ReadOptions& read, Model& model) {
  std::map<std::string, std::string>& options = model.made.options;
  for (const char* option : {"weight", "query", "ignore", "keep", "holdout", "task"})
    if (given.has(option)) options[option] = fmt::format("{}", fmt::join(given.raw(option), ","));
  for (const char* option : {"group", "time"})  // columns that divide the rows are not learned from
    if (given.has(option)) {
      std::string& ignored = options["ignore"];
      ignored += (ignored.empty() ? "" : ",") + list_word(given.text(option));
    }
  if (given.has("drop-missing-target")) options["drop-missing-target"] = "yes";
  model.schema.missing = read.missing;
  keep_deciding(given, model);
}

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
