#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/explain.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "core/text.h"
#include "explain/plot.h"
#include "explain/plot_canvas.h"
#include "wald/task.h"

namespace wald::cli {
namespace {

constexpr std::size_t kBarWidth = 40, kMostBars = 25, kDrawnBars = 30;
constexpr std::size_t kDrawnRows = 3000;  // a swarm of more dots shows nothing more

std::string signed_text(double x) { return fmt::format("{:+.4f}", x); }

// Values of very different sizes still line up: four decimals, or powers where these would all be zeros.
std::string value_text_of(double x, double largest) {
  return largest >= 0.001 && largest < 1e6 ? signed_text(x) : fmt::format("{:+.3e}", x);
}

void print_bars(const Explaining& what, const Explained& e, const Table& one, std::size_t o, Terminal& terminal) {
  const auto values = e.values(0, o);
  std::vector<std::size_t> order = largest(values, values.size());
  std::erase_if(order, [&](std::size_t c) { return values[c] == 0; });
  const double most = order.empty() ? 1 : std::abs(values[order[0]]);
  std::vector<std::string> names;
  std::size_t wide = 4;
  for (const std::size_t c : order) {
    names.push_back(
        fmt::format("{} = {}", printable(input_columns(what.model)[c].name, 30), cell_words(what.model, one, c, 0)));
    wide = std::max(wide, display_width(names.back()));
  }
  double rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double v = values[order[i]];
    if (i >= kMostBars) rest += v;
    else
      terminal.print(fmt::format("  {}  {}  {}\n", left(names[i], wide), right(value_text_of(v, most), 10),
                                 two_sided_bar(v / most, kBarWidth)));
  }
  if (order.size() > kMostBars)
    terminal.print(fmt::format("  {}  {}\n", left(plural(order.size() - kMostBars, "other column"), wide),
                               right(value_text_of(rest, most), 10)));
}

// As in the table: a number, a text, or null for missing.
nlohmann::ordered_json cell_json(const Model& model, const Table& table, std::size_t column, Row row) {
  const Column* found = table.find(input_columns(model)[column].name);
  if (found == nullptr) return nullptr;
  if (found->type() == ColumnType::Category) {
    const std::int32_t code = found->categories().code[row];
    return code < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(found->categories().level[code]);
  }
  const double x = found->numbers()[row];
  return std::isfinite(x) ? nlohmann::ordered_json(x)
         : std::isnan(x)  ? nlohmann::ordered_json(nullptr)
                          : nlohmann::ordered_json(exact_text(x));
}

nlohmann::ordered_json row_json(const Explaining& what, const Explained& e, const Table& one, std::size_t o) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const std::size_t c : largest(e.values(0, o), e.columns))
    values.push_back({{"column", input_columns(what.model)[c].name},
                      {"value", cell_json(what.model, one, c, 0)},
                      {"shapley", e.values(0, o)[c]}});
  nlohmann::ordered_json out;
  if (what.model.schema.classifies()) out["class"] = output_name(what.model, e.outputs[o]);
  out["base"] = e.base[o];
  out["prediction"] = e.score[o];
  out["values"] = values;
  return out;
}

Result<std::string> picture(const Explaining& what, const Arguments& given, std::size_t output) {
  ExplainOptions options = what.options;
  options.outputs = {output};
  const std::string kind = given.text("plot", given.has("row") ? "waterfall" : "beeswarm");
  if (kind == "waterfall") {
    const auto number = given.whole("row", 1, 1, what.table.rows);
    if (!number) return number.error();
    const auto row = static_cast<Row>(*number - 1);
    auto e = explain(what.model, take_rows(what.table, std::vector<Row>{row}), options, what.run);
    if (!e) return e.error();
    e->first = row;
    return waterfall_svg(what.model, what.table, *e, row, 0);
  }
  if (kind == "bar") {
    const auto sizes = mean_absolute_shapley(what.model, what.table, options, what.run);
    if (!sizes) return sizes.error();
    std::vector<Bar> bars;
    for (const std::size_t c : largest(*sizes, sizes->size()))
      if ((*sizes)[c] > 0) bars.push_back({input_columns(what.model)[c].name, (*sizes)[c]});
    return bar_svg("What moves the predictions most",
                   fmt::format("mean absolute Shapley value: {}", output_words(what.model, output)),
                   std::span(bars).first(std::min(bars.size(), kDrawnBars)),
                   bars.size() - std::min(bars.size(), kDrawnBars));
  }
  std::vector<Row> rows;
  for (std::size_t i = 0, n = std::min<std::size_t>(what.table.rows, kDrawnRows); i < n; ++i)
    rows.push_back(static_cast<Row>(i * what.table.rows / n));
  const Table drawn = take_rows(what.table, rows);
  const auto e = explain(what.model, drawn, options, what.run);
  if (!e) return e.error();
  if (kind == "beeswarm") return beeswarm_svg(what.model, drawn, *e, 0);
  const auto column = column_named(what.model, given.text("column"));
  if (!column) return column.error();
  return scatter_svg(what.model, drawn, *e, *column, 0);
}

}  // namespace

Status explain_row(const Explaining& what, Row row, Terminal& terminal) {
  const Table one = take_rows(what.table, std::vector<Row>{row});
  const Stopwatch explaining;
  const auto e = explain(what.model, one, what.options, what.run);
  if (!e) return e.error();
  for (const std::string& warning : e->warnings) terminal.warn(warning);
  if (terminal.json) {
    nlohmann::ordered_json out = {{"rows", 1}, {"columns", e->columns}, {"row", row + 1ull}};
    for (std::size_t o = 0; o < e->outputs.size(); ++o) out["explanations"].push_back(row_json(what, *e, one, o));
    out["seconds"] = seconds_json(what, explaining.seconds());
    out["warnings"] = e->warnings;
    print_json(out, terminal);
    return Done{};
  }
  for (std::size_t o = 0; o < e->outputs.size(); ++o) {
    const auto values = e->values(0, o);
    double most = 0;
    for (const double v : values) most = std::max(most, std::abs(v));
    terminal.print(fmt::format("{}row {}: {} is {} = mean {}{}\n", o > 0 ? "\n" : "", with_commas(row + 1ull),
                               output_words(what.model, e->outputs[o]), text_beside(e->score[o], most),
                               text_beside(e->base[o], most), most > 0 ? " + these" : "; no column changes it"));
    print_bars(what, *e, one, o, terminal);
  }
  return Done{};
}

Status explain_picture(const Explaining& what, const Arguments& given, Terminal& terminal) {
  const auto output = chosen_output(given, what.model);
  if (!output) return output.error();
  const Stopwatch explaining;
  const auto svg = picture(what, given, *output);
  if (!svg) return svg.error();
  const auto row = given.whole("row", 1, 1, what.table.rows);
  const std::vector<std::string> warnings = warn_of_levels(
      what.model, given.has("row") ? take_rows(what.table, std::vector<Row>{static_cast<Row>(*row - 1)}) : what.table,
      terminal);
  if (Status written = put_picture(*svg, given, terminal); !written) return written;
  if (terminal.json)
    print_json({{"rows", what.table.rows},
                {"columns", input_columns(what.model).size()},
                {"svg", given.text("svg")},
                {"seconds", seconds_json(what, explaining.seconds())},
                {"warnings", warnings}},
               terminal);
  return Done{};
}

}  // namespace wald::cli
