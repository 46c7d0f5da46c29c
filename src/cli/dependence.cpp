#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/plot.h"
#include "explain/words.h"
#include "wald/explain.h"

namespace wald::cli {
namespace {

constexpr std::size_t kPlotWidth = 44;

std::string point_text(const Field& field, double at) {
  if (std::isnan(at)) return "missing";
  return field.type == ColumnType::Number ? value_text(at) : printable(field.level[static_cast<std::size_t>(at)], 40);
}

// A dot between the lowest and the highest mean, which stand above; a length would have to begin at 0.
std::string dot_text(double share) {
  const auto at = static_cast<std::size_t>(std::lround(share * (kPlotWidth - 1)));
  std::string line;
  for (std::size_t i = 0; i < at; ++i) line += "─";
  return line + "●";
}

void print_points(const Model& model, const Dependence& d, Terminal& terminal) {
  const Field& field = input_columns(model)[d.column];
  const auto [low, high] = std::ranges::minmax(d.mean);
  std::size_t wide = display_width(printable(field.name, 40)), value = 4;
  for (std::size_t g = 0; g < d.grid.size(); ++g) {
    wide = std::max(wide, display_width(point_text(field, d.grid[g])));
    value = std::max(value, display_width(short_text(d.mean[g])));
  }
  const std::string lowest = short_text(low), highest = short_text(high);
  terminal.print(fmt::format("mean {} by {}\n", output_words(model, d.output), printable(field.name, 40)));
  terminal.print(fmt::format("{}  {}{}\n", std::string(wide + 2 + value, ' '),
                             left(lowest, kPlotWidth - highest.size()), highest));
  for (std::size_t g = 0; g < d.grid.size(); ++g) {
    const std::string point = point_text(field, d.grid[g]);
    terminal.print(
        fmt::format("{}  {}  {}\n", field.type == ColumnType::Number ? right(point, wide) : left(point, wide),
                    right(short_text(d.mean[g]), value), dot_text(high > low ? (d.mean[g] - low) / (high - low) : 0)));
  }
}

nlohmann::ordered_json dependence_json(const Model& model, const Dependence& d,
                                       const std::vector<std::string>& warnings) {
  const Field& field = input_columns(model)[d.column];
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (std::size_t g = 0; g < d.grid.size(); ++g) {
    nlohmann::ordered_json at = nullptr;  // missing
    if (!std::isnan(d.grid[g])) at = d.grid[g];
    if (!std::isnan(d.grid[g]) && field.type == ColumnType::Category)
      at = field.level[static_cast<std::size_t>(d.grid[g])];
    points.push_back({{"value", at}, {"mean", d.mean[g]}});
  }
  nlohmann::ordered_json out = {{"column", field.name}, {"output", output_words(model, d.output)}, {"points", points}};
  for (std::size_t i = 0; i < d.line_rows.size(); ++i)
    out["lines"].push_back({{"row", d.line_rows[i] + 1},
                            {"scores", std::vector<double>(d.lines.begin() + i * d.grid.size(),
                                                           d.lines.begin() + (i + 1) * d.grid.size())}});
  out["warnings"] = warnings;
  return out;
}

}  // namespace

Status run_dependence(const Arguments& given, Terminal& terminal) {
  if (!given.has("column")) return usage("which column is not said", "add --column NAME");
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  const auto output = chosen_output(given, *model);
  if (!output) return output.error();
  const auto column = column_named(*model, given.text("column"));
  if (!column) return column.error();
  const Field& field = input_columns(*model)[*column];
  const std::uint64_t usual = field.type == ColumnType::Category ? kMostLevels : given.has("svg") ? 60 : 20;
  const auto points = given.whole("points", usual, 2, 10'000);
  if (!points) return points.error();
  if (Status possible = check_picture(given, terminal, true); !possible) return possible;
  const Result<Table> table = read_data_for(*model, given.operands[1], given, *run, terminal);
  if (!table) return table.error();
  terminal.doing = "predicting";
  const auto found = dependence(*model, *table, given.text("column"), {.output = *output, .points = *points}, *run);
  if (!found) return found.error();
  if (run->stopped()) return interrupted_error();
  const std::vector<std::string> warnings = warn_of_levels(*model, *table, terminal);
  if (field.type == ColumnType::Category && field.level.size() > *points)
    terminal.note(fmt::format("the {} most frequent of {} levels; --points N for more", *points, field.level.size()));
  if (terminal.json) print_json(dependence_json(*model, *found, warnings), terminal);
  else if (!given.has("svg")) print_points(*model, *found, terminal);
  return given.has("svg") ? put_picture(dependence_svg(*model, *found), given, terminal) : Done{};
}

}  // namespace wald::cli
