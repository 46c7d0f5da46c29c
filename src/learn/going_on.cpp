// Rows for a model to go on with, seen as predictions see them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "model/cells.h"
#include "wald/rounds.h"

namespace wald {
namespace {

bool knows(const Schema& schema, const std::string& column) {
  return std::ranges::find(schema.columns, column, &Field::name) != schema.columns.end();
}

// In the model's codes; what they do not know is missing.
Column coded(const Field& field, const Column& found, const Cells& cells) {
  if (field.type == ColumnType::Number && found.type() == ColumnType::Number) return found;
  std::vector<double> value(found.size());
  std::ranges::copy_n(cells_of(cells, 0, value.size(), value.data()), static_cast<std::ptrdiff_t>(value.size()),
                      value.begin());
  if (field.type == ColumnType::Number) return {field.name, Numbers(std::move(value))};
  Categories words{{}, field.level};
  for (const double code : value) words.code.push_back(std::isnan(code) ? -1 : static_cast<std::int32_t>(code));
  return {field.name, std::move(words)};
}

// The table may have a column that the model asks about and that is not to be learned from here.
Status check_left(const Schema& schema, const Table& table, const Roles& roles) {
  for (const Field& field : schema.columns) {
    if (table.find(field.name) == nullptr) continue;
    const std::string_view role = field.name == roles.weight                         ? "weight"
                                  : field.name == roles.query                        ? "query"
                                  : std::ranges::count(roles.ignore, field.name) > 0 ? "ignore"
                                                                                     : "";
    if (!role.empty())
      return usage(
          fmt::format("--{} '{}' keeps a column from being learned from that the model to go on from asks about", role,
                      printable(field.name)),
          "leave it away, or train anew without --continue");
  }
  return Done{};
}

Status take_classes(const std::vector<std::string>& known, Task& task) {
  Classes& classes = std::get<Classes>(task.y);
  std::vector<std::int32_t> code;
  for (const std::string& name : classes.name) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      return bad_data(fmt::format("target '{}' has '{}', a class that the model to go on from does not know",
                                  printable(task.target), printable(name)),
                      "train anew with all rows, or leave those rows out");
    code.push_back(static_cast<std::int32_t>(found - known.begin()));
  }
  for (std::int32_t& c : classes.code) c = code[c];
  classes.name = known;
  return Done{};
}

}  // namespace

Result<GoingOn> make_task_going_on(const Model& from, Table table, Roles roles) {
  const Schema schema = input_schema(from);
  for (const Field& field : schema.columns)
    if (table.find(field.name) != nullptr) roles.known.push_back(field.name);
  const bool same_target = roles.target == schema.target.name;
  if (roles.kind == TaskKind::Infer && same_target)
    roles.kind = schema.classifies() ? TaskKind::Classes : TaskKind::Numbers;
  if (Status left = check_left(schema, table, roles); !left) return left.error();
  Result<Task> task = make_task(std::move(table), roles);
  if (!task) return task.error();
  GoingOn out{std::move(*task), {}};
  if (!same_target || out.task.classifies() != schema.classifies()) return out;  // which fit refuses
  const Result<Matched> matched = match(schema, out.task.x);
  if (!matched) return matched.error();
  out.warnings = warnings_of(from, matched->unseen, out.task.x.rows);
  for (const Column& column : out.task.x.columns)
    if (!knows(schema, column.name))
      out.warnings.push_back(
          fmt::format("column '{}' is none of the model to go on from, and is left out", printable(column.name)));
  std::vector<Column> columns;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const Field& field = schema.columns[c];
    columns.push_back(coded(field, *out.task.x.find(field.name), matched->columns[c]));
  }
  out.task.x.columns = std::move(columns);
  if (!out.task.classifies()) return out;
  if (Status known = take_classes(schema.target.level, out.task); !known) return known.error();
  return out;
}

void read_going_on(const Model& from, ReadOptions& options) {
  options.missing.insert(options.missing.end(), from.schema.missing.begin(), from.schema.missing.end());
  if (!options.declared.columns.empty()) return;
  options.declared = declarations(input_schema(from));
  // What the target is, the task finds out.
  std::erase_if(options.declared.columns, [&](const Declared& d) { return !knows(input_schema(from), d.name); });
}

}  // namespace wald
