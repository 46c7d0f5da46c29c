#include "cli/training.h"

#include <fmt/format.h>

#include <map>

#include "cli/deciding.h"
#include "cli/reading.h"

namespace wald::cli {
namespace {

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

Result<TrainingRows> training_rows(const Model& model, const std::string& data, const Arguments& given, const Run& run,
                                   Terminal& terminal) {
  Result<Table> table = read_data_for(model, data, given, run, terminal);
  if (!table) return table.error();
  return wald::training_rows(model, std::move(*table));
}

}  // namespace wald::cli
