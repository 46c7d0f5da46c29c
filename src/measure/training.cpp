#include "measure/training.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/shell.h"
#include "measure/holdout.h"

namespace wald {
namespace {

std::string kept_option(const Model& model, const std::string& name) {
  const auto found = model.made.options.find(name);
  return found == model.made.options.end() ? "" : found->second;
}

// As they were given: separated by commas, unless the whole is a column's name.
std::vector<std::string> kept_columns(const Model& model, const std::string& option, const Table& table) {
  const std::string text = kept_option(model, option);
  if (text.empty()) return {};
  if (table.find(text) != nullptr) return {text};
  return split_list(text);
}

double kept_holdout(const Model& model) {
  const std::string text = kept_option(model, "holdout");
  double share = 0;
  std::from_chars(text.data(), text.data() + text.size(), share);
  return share;
}

// make_task leaves out those without a target, where it does not refuse them.
std::vector<Row> rows_with_target(const Table& table, const std::string& target) {
  const Column* column = table.find(target);
  std::vector<Row> out;
  for (Row row = 0; column != nullptr && row < table.rows; ++row)
    if (column->type() == ColumnType::Number ? !std::isnan(column->numbers()[row])
                                             : column->categories().code[row] >= 0)
      out.push_back(row);
  return out;
}

}  // namespace

Result<TrainingRows> training_rows(const Model& model, Table table) {
  std::vector<Row> rows = rows_with_target(table, model.schema.target.name);
  const Roles roles{.target = model.schema.target.name,
                    .weight = kept_option(model, "weight"),
                    .query = kept_option(model, "query"),
                    .ignore = kept_columns(model, "ignore", table),
                    .keep = kept_columns(model, "keep", table),
                    .kind = model.schema.classifies() ? TaskKind::Classes : TaskKind::Numbers,
                    .drop_missing_target = kept_option(model, "drop-missing-target") == "yes"};
  Result<Task> task = make_task(std::move(table), roles);
  const double share = kept_holdout(model);
  if (!task) return task.error();
  if (!(share > 0)) return TrainingRows{std::move(*task), std::move(rows)};
  const Result<Holdout> parts = hold_out(*task, share, model.made.seed);
  if (!parts) return parts.error();
  TrainingRows out{take_rows(*task, parts->train), {}};
  for (const Row r : parts->train) out.rows.push_back(rows[r]);
  return out;
}

Result<Task> training_task(const Model& model, Table table) {
  Result<TrainingRows> made = training_rows(model, std::move(table));
  if (!made) return made.error();
  return std::move(made->task);
}

}  // namespace wald
