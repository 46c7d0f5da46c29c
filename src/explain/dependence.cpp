#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "explain/plot.h"
#include "wald/explain.h"

namespace wald {
namespace {

std::vector<Row> thinned(std::size_t rows, std::size_t most) {
  const std::size_t n = std::min(rows, most);
  std::vector<Row> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Row>(i * rows / n);
  return out;
}

// Every distinct value where they are few, else quantiles; ascending, each once.
std::vector<double> quantiles(std::vector<double> values, std::size_t points) {
  std::ranges::sort(values);
  std::vector<double> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= points) return distinct;
  std::vector<double> grid(points);
  for (std::size_t i = 0; i < points; ++i) grid[i] = values[i * (values.size() - 1) / (points - 1)];
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

Column constant(const Field& field, double at, Row rows) {
  if (field.type == ColumnType::Number) return {field.name, Numbers(std::vector<double>(rows, at))};
  const std::int32_t code = std::isnan(at) ? -1 : static_cast<std::int32_t>(at);
  return {field.name, Categories{std::vector<std::int32_t>(rows, code), field.level}};
}

std::vector<double> points_of(const Model& model, const Table& table, std::size_t column, std::size_t most) {
  const Field& field = input_columns(model)[column];
  std::vector<double> cells = column_cells(model, table, column), out;
  const bool missing = std::ranges::any_of(cells, [](double x) { return std::isnan(x); });
  std::erase_if(cells, [](double x) { return !std::isfinite(x); });
  if (field.type == ColumnType::Number) out = quantiles(std::move(cells), most);
  else
    for (const std::size_t level : frequent_levels(cells, field.level.size(), most))
      out.push_back(static_cast<double>(level));
  if (missing && !out.empty()) out.push_back(kMissing);
  return out;
}

}  // namespace

Result<Dependence> dependence(const Model& model, const Table& table, std::string_view column,
                              const DependenceOptions& options, const Run& run) {
  const auto index = column_named(model, column);
  if (!index) return index.error();
  const auto width = static_cast<std::size_t>(model.forest().outputs);
  if (options.output >= width || options.points < 2)
    return usage(fmt::format("output {} and {} points were asked for", options.output, options.points),
                 "name an output the model has, and at least 2 points");
  const Predictor predictor(model);
  const auto whole = predictor.predict(table, run);  // finds what the table lacks
  if (!whole) return whole.error();
  const Field& field = input_columns(model)[*index];
  Dependence out{.column = *index, .output = options.output, .grid = points_of(model, table, *index, options.points)};
  if (out.grid.empty() || table.rows == 0)
    return bad_data(
        fmt::format("{}: column '{}' has no value to draw", printable(table.source, 300), printable(field.name)),
        "give a table in which it is not always missing");
  Table work = take_rows(table, thinned(table.rows, options.most_rows));
  const std::vector<Row> lines = thinned(work.rows, options.lines), rows = thinned(table.rows, options.most_rows);
  for (const Row line : lines) out.line_rows.push_back(rows[line]);
  out.lines.resize(lines.size() * out.grid.size());
  Column& place = *std::ranges::find(work.columns, field.name, &Column::name);
  for (std::size_t g = 0; g < out.grid.size(); ++g) {
    place = constant(field, out.grid[g], work.rows);
    const auto p = predictor.predict(work, {.threads = run.threads, .stop = run.stop});
    if (!p) return p.error();
    const auto score = [&](Row row) { return p->score[row * width + options.output]; };
    double sum = 0;
    for (Row row = 0; row < work.rows; ++row) sum += score(row);
    out.mean.push_back(sum / work.rows);
    for (std::size_t i = 0; i < lines.size(); ++i) out.lines[i * out.grid.size() + g] = score(lines[i]);
  }
  return out;
}

}  // namespace wald
