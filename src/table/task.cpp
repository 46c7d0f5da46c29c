#include "wald/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/text.h"
#include "table/features.h"
#include "table/notes.h"
#include "table/query.h"
#include "table/target.h"
#include "table/weights.h"

namespace wald {
namespace {

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) out.push_back(column.name);
  return out;
}

Error no_column(const Table& table, const std::string& name) {
  const std::vector<std::string> names = names_of(table);
  const std::string meant = did_you_mean(name, names);
  return usage(fmt::format("{} has no column {}", printable(table.source, 300), quoted_name(name)),
               meant.empty() ? "its columns are " + listed(names) : meant);
}

Status check_names(const Table& table, const Roles& roles) {
  if (roles.target.empty() && !roles.no_target)
    return usage("no target is named", "name the column to predict: --target C");
  std::vector<std::string> named;
  if (!roles.no_target) named.push_back(roles.target);
  named.insert(named.end(), roles.more_targets.begin(), roles.more_targets.end());
  if (!roles.weight.empty()) named.push_back(roles.weight);
  if (!roles.query.empty()) named.push_back(roles.query);
  named.insert(named.end(), roles.ignore.begin(), roles.ignore.end());
  named.insert(named.end(), roles.beside.begin(), roles.beside.end());
  named.insert(named.end(), roles.keep.begin(), roles.keep.end());
  for (const std::string& name : named)
    if (table.find(name) == nullptr) return no_column(table, name);
  if (!roles.no_target && roles.weight == roles.target)
    return usage(fmt::format("column {} cannot be both target and weight", quoted_name(roles.target)), "name two");
  if (!roles.query.empty() && (roles.query == roles.target || roles.query == roles.weight))
    return usage(fmt::format("column {} cannot be the query and also target or weight", quoted_name(roles.query)),
                 "name two");
  for (std::size_t i = 0; i < roles.more_targets.size(); ++i) {
    const std::string& name = roles.more_targets[i];
    const auto before = roles.more_targets.begin() + static_cast<std::ptrdiff_t>(i);
    if (name == roles.target || name == roles.weight || std::find(roles.more_targets.begin(), before, name) != before)
      return usage(fmt::format("target {} is named twice, or is the weight", quoted_name(name)), "name each once");
  }
  for (const std::string& name : roles.ignore) {
    if ((!roles.no_target && name == roles.target) || name == roles.weight || name == roles.query)
      return usage(fmt::format("column {} is ignored but also target, weight or query", quoted_name(name)),
                   "do one of the two");
    if (std::ranges::find(roles.keep, name) != roles.keep.end())
      return usage(fmt::format("column {} is both ignored and kept", quoted_name(name)), "do one of the two");
  }
  return Done{};
}

bool missing_at(const Column& column, Row row) {
  return column.type() == ColumnType::Number ? std::isnan(column.numbers()[row]) : column.categories().code[row] < 0;
}

// The rows that have a target; refuses missing ones unless they may be dropped.
Result<std::vector<Row>> rows_with_target(const Table& table, const Roles& roles, std::vector<std::string>& notes) {
  std::vector<const Column*> targets{table.find(roles.target)};
  for (const std::string& name : roles.more_targets) targets.push_back(table.find(name));
  std::vector<Row> kept;
  for (Row row = 0; row < table.rows; ++row)
    if (std::ranges::none_of(targets, [&](const Column* c) { return missing_at(*c, row); })) kept.push_back(row);
  const std::size_t missing = table.rows - kept.size();
  if (missing == 0 && !kept.empty()) return kept;
  const std::string source = printable(table.source, 300);
  for (const Column* target : targets) {  // of several the first that lacks some
    std::vector<Row> rows;
    for (Row row = 0; row < table.rows; ++row)
      if (missing_at(*target, row)) rows.push_back(row);
    if (rows.size() == table.rows)
      return bad_data(fmt::format("{}: target {} has no values", source, quoted_name(target->name)),
                      "fill in the column, or name another");
    if (!rows.empty() && !roles.drop_missing_target)
      return bad_data(
          fmt::format("{}: target {} is missing in {}", source, quoted_name(target->name), row_list(table, rows)),
          "fill it in, or leave such rows out with --drop-missing-target");
  }
  if (kept.empty())
    return bad_data(fmt::format("{}: no row has all {} targets", source, targets.size()),
                    "name fewer, or fill them in");
  notes.push_back(
      fmt::format("{} without a target {} left out", plural(missing, "row"), missing == 1 ? "was" : "were"));
  return kept;
}

// "12 rows: 2 numbers and 2 categories, 2 missing cells"
std::string columns_summary(const Task& task) {
  const auto is_number = [](const Column& c) { return c.type() == ColumnType::Number; };
  const auto numbers = static_cast<std::size_t>(std::ranges::count_if(task.x.columns, is_number));
  const std::size_t words = task.x.columns.size() - numbers;
  std::vector<std::string> parts;
  if (numbers > 0) parts.push_back(plural(numbers, "number"));
  if (words == 1) parts.push_back("1 category");
  if (words > 1) parts.push_back(with_commas(words) + " categories");
  return fmt::format("{}: {}, {}", plural(task.x.rows, "row"), fmt::join(parts, " and "),
                     plural(missing_cells(task.x), "missing cell"));
}

// The same, then "; target 'claim' has 2 classes: no 58.3 %, yes 41.7 %"
std::string summary(const Task& task) { return columns_summary(task) + "; " + target_summary(task); }

// A name that no column has, for groups of rows yet to be found.
std::string free_name(const Table& table, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; table.find(name) != nullptr; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

// Several targets in one tree are numbers: their impurities are averaged.
Status make_more_targets(const Table& table, const Roles& roles, std::span<const Row> rows, Task& task) {
  if (!roles.more_targets.empty() && roles.kind == TaskKind::Classes)
    return usage("several targets must be numbers", "leave out --task classes, or train one model a target");
  for (const std::string& name : roles.more_targets) {
    Roles one = roles;
    one.target = name, one.kind = TaskKind::Numbers;
    auto y = make_target(table, one, rows, task.notes);
    if (!y) return y.error();
    task.more_targets.push_back(name);
    task.more_y.push_back(std::move(std::get<0>(*y)));
  }
  return Done{};
}

Result<Task> make_task_without_target(Table table, const Roles& roles) {
  Task task{.target = free_name(table, "cluster")};
  std::vector<Row> rows(table.rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  if (rows.empty()) return bad_data(fmt::format("{} has no rows", printable(table.source, 300)), "");
  auto weight = make_weights(table, roles.weight, rows);
  if (!weight) return weight.error();
  task.weight = std::move(*weight);
  task.y = Classes{.code = std::vector<std::int32_t>(table.rows), .name = {"1"}};
  Roles features = roles;
  features.target.clear();
  if (Status ok = choose_features(std::move(table), features, task); !ok) return ok.error();
  task.notes.insert(task.notes.begin(), columns_summary(task));
  return task;
}

}  // namespace

Result<Task> make_task(Table table, const Roles& roles) {
  if (Status ok = check_names(table, roles); !ok) return ok.error();
  if (roles.no_target) return make_task_without_target(std::move(table), roles);
  Task task{.target = roles.target};
  auto rows = rows_with_target(table, roles, task.notes);
  if (!rows) return rows.error();
  auto weight = make_weights(table, roles.weight, *rows);
  if (!weight) return weight.error();
  auto query = make_queries(table, roles.query, *rows);
  if (!query) return query.error();
  if (Status several = make_more_targets(table, roles, *rows, task); !several) return several.error();
  Roles first = roles;
  if (!roles.more_targets.empty()) first.kind = TaskKind::Numbers;
  auto target = make_target(table, first, *rows, task.notes);
  if (!target) return target.error();
  task.weight = std::move(*weight);
  task.query = std::move(*query);
  task.y = std::move(*target);
  if (rows->size() < table.rows) table = take_rows(table, *rows);
  for (const std::string& name : roles.beside) task.beside.push_back(*table.find(name));
  if (Status ok = choose_features(std::move(table), roles, task); !ok) return ok.error();
  task.notes.insert(task.notes.begin(), summary(task));
  return task;
}

Task take_rows(const Task& task, std::span<const Row> rows) {
  Task out{.x = take_rows(task.x, rows), .target = task.target, .left_out = task.left_out, .notes = task.notes};
  if (task.classifies()) {
    Classes classes{.name = task.classes().name};
    for (const Row row : rows) classes.code.push_back(task.classes().code[row]);
    out.y = std::move(classes);
  } else {
    std::vector<double> numbers;
    for (const Row row : rows) numbers.push_back(task.numbers()[row]);
    out.y = std::move(numbers);
  }
  if (!task.weight.empty())
    for (const Row row : rows) out.weight.push_back(task.weight[row]);
  out.more_targets = task.more_targets;
  for (const std::vector<double>& y : task.more_y) {
    out.more_y.emplace_back();
    for (const Row row : rows) out.more_y.back().push_back(y[row]);
  }
  if (!task.query.empty())
    for (const Row row : rows) out.query.push_back(task.query[row]);
  return out;
}

}  // namespace wald
