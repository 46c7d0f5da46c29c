#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/explain.h"
#include "cli/json.h"
#include "cli/outputs.h"
#include "core/file.h"
#include "core/text.h"
#include "explain/plot.h"
#include "wald/task.h"

namespace wald::cli {
namespace {

constexpr std::size_t kBarWidth = 40, kMostBars = 25;
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
        fmt::format("{} = {}", printable(what.model.schema.columns[c].name, 30), cell_words(what.model, one, c, 0)));
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

nlohmann::ordered_json row_json(const Explaining& what, const Explained& e, const Table& one, std::size_t o) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const std::size_t c : largest(e.values(0, o), e.columns))
    values.push_back({{"column", what.model.schema.columns[c].name},
                      {"value", cell_words(what.model, one, c, 0)},
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
    for (const std::size_t c : largest(*sizes, 30))
      if ((*sizes)[c] > 0) bars.push_back({what.model.schema.columns[c].name, (*sizes)[c]});
    return bar_svg("What moves the predictions most",
                   fmt::format("mean absolute Shapley value: {}", output_words(what.model, output)), bars);
  }
  std::vector<Row> rows;
  for (std::size_t i = 0, n = std::min<std::size_t>(what.table.rows, kDrawnRows); i < n; ++i)
    rows.push_back(static_cast<Row>(i * what.table.rows / n));
  const Table drawn = take_rows(what.table, rows);
  const auto e = explain(what.model, drawn, options, what.run);
  if (!e) return e.error();
  if (kind == "beeswarm") return beeswarm_svg(what.model, drawn, *e, 0);
  const auto found = std::ranges::find(what.model.schema.columns, given.text("column"), &Field::name);
  if (found == what.model.schema.columns.end())
    return usage(fmt::format("--column: the model has no column '{}'", printable(given.text("column"))),
                 "name a column of the model: wald show MODEL lists them");
  return scatter_svg(what.model, drawn, *e, static_cast<std::size_t>(found - what.model.schema.columns.begin()), 0);
}

}  // namespace

Status explain_row(const Explaining& what, Row row, const Arguments&, Terminal& terminal) {
  const Table one = take_rows(what.table, std::vector<Row>{row});
  const Stopwatch explaining;
  const auto e = explain(what.model, one, what.options, what.run);
  if (!e) return e.error();
  for (const std::string& warning : e->warnings) terminal.warn(warning);
  if (terminal.json) {
    nlohmann::ordered_json out = {{"rows", 1}, {"columns", e->columns}, {"row", row + 1ull}};
    for (std::size_t o = 0; o < e->outputs.size(); ++o) out["explanations"].push_back(row_json(what, *e, one, o));
    out["seconds"] = {{"explain", explaining.seconds()}};
    print_json(out, terminal);
    return Done{};
  }
  for (std::size_t o = 0; o < e->outputs.size(); ++o) {
    terminal.print(fmt::format("{}row {}: {} {} = mean {} {}\n", o > 0 ? "\n" : "", with_commas(row + 1ull),
                               output_words(what.model, e->outputs[o]), short_text(e->score[o]), short_text(e->base[o]),
                               "+ these"));
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
  const std::string path = given.text("svg");
  if (path == "-") {
    terminal.print(*svg);
    return Done{};
  }
  if (Status written = replace_file(path, *svg, given.has("force")); !written) return written;
  if (terminal.json)
    print_json({{"rows", what.table.rows},
                {"columns", what.model.schema.columns.size()},
                {"svg", path},
                {"seconds", {{"explain", explaining.seconds()}}}},
               terminal);
  else terminal.print(fmt::format("wrote {}\n", printable(path, 200)));
  return Done{};
}

}  // namespace wald::cli
