#include "prepare/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/fixed.h"
#include "core/text.h"

namespace wald {

Fitting::Fitting(const Task& task, std::uint64_t seed) : task_(task), columns_(task.x.columns) {
  for (const Column& c : task.x.columns)
    how_.columns.push_back(
        {c.name, c.type(), c.type() == ColumnType::Category ? c.categories().level : std::vector<std::string>{}});
  how_.seed = about_.seed = seed;
  about_.rows = task.x.rows;
}

std::vector<std::string> Fitting::names(ColumnType type) const {
  std::vector<std::string> out;
  columns_.each([&](const Column& column) {
    if (column.type() == type) out.push_back(column.name);
  });
  return out;
}

double Fitting::weight(Row row) const {
  return task_.weight.empty() ? 1.0 : times_power(static_cast<double>(task_.weight[row]), -kWeightBits);
}

bool Fitting::is_flag(const std::string& name) const {
  return std::ranges::any_of(how_.steps, [&](const PreparationStep& step) {
    return (step.kind == StepKind::Mark || step.kind == StepKind::OneHot || step.kind == StepKind::Region) &&
           std::ranges::count(step.to, name) > 0;
  });
}

bool Fitting::exclude(const std::string& a, const std::string& b) const {
  return std::ranges::any_of(how_.steps, [&](const PreparationStep& step) {
    return step.kind == StepKind::OneHot && std::ranges::count(step.to, a) > 0 && std::ranges::count(step.to, b) > 0;
  });
}

std::string Fitting::unused(std::string name) {
  const auto taken = [&] {
    return columns_.find(name) != nullptr || name == task_.target || std::ranges::count(task_.more_targets, name) > 0;
  };
  while (taken()) name += '_';
  return name;
}

void Fitting::add(PreparationStep step) {
  if (step.kind == StepKind::Draw && about_.key.empty()) about_.key = row_keys(task_.x.columns, task_.x.rows);
  plug_of(step.kind).apply(step, columns_, about_);
  how_.steps.push_back(std::move(step));
}

void Fitting::set(const std::string& name, std::vector<double> cells) {
  columns_.find(name)->data = Numbers(std::move(cells));
}

Task Fitting::now() {
  Task out = task_;
  out.x.columns.clear();
  columns_.each([&](const Column& column) { out.x.columns.push_back(column); });
  return out;
}

Prepared Fitting::finish() && {
  const auto gone = [&](const Field& before) { return columns_.find(before.name) == nullptr; };
  for (const Field& field : how_.columns)
    if (gone(field)) task_.left_out.push_back(field.name);
  task_.x.columns = columns_.take();
  return {std::move(task_), std::move(how_), {}};
}

Result<Prepared> fit_preparation(const Task& task, const Prepare& asked, std::uint64_t seed,
                                 const FindRegions& find_regions) {
  std::vector<Row> rows;
  const bool drop = asked.impute == Impute::DropRows;
  if (drop) rows = whole_rows(task.x);
  if (drop && rows.empty())
    return bad_data(fmt::format("{}: every row misses something, none would be left", printable(task.x.source, 300)),
                    "give --impute median, or --impute drop-columns");
  const bool all = !drop || rows.size() == task.x.rows;
  Fitting fitting(all ? task : take_rows(task, rows), seed);
  impute(fitting, asked);
  if (asked.rare > 0) group_rare(fitting, asked.rare);
  if (asked.categories != Coding::Native) code_categories(fitting, asked, seed);
  if (Status ok = expand_numbers(fitting, asked, find_regions); !ok) return ok.error();
  if (asked.scale != Scaling::None) scale_numbers(fitting, asked.scale);
  Prepared out = std::move(fitting).finish();
  if (out.task.x.columns.empty())
    return bad_data(fmt::format("{}: no column is left to learn from", printable(task.x.source, 300)),
                    "drop less: --impute median, --categories native");
  std::vector<Row> left = balance_classes(out.task, asked.balance, seed);
  if (all) out.rows = std::move(left);
  else if (left.empty()) out.rows = std::move(rows);
  else
    for (const Row row : left) out.rows.push_back(rows[row]);
  return out;
}

}  // namespace wald
