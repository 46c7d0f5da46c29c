#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "explain/plot.h"
#include "explain/plot_canvas.h"
#include "explain/words.h"

namespace wald {
namespace {

// Sizes in pixels.
constexpr double kWidth = 720, kHeight = 440, kTop = 72, kFoot = 60, kLeft = 84, kRight = 28, kLine = 26, kBar = 16;
constexpr std::size_t kMostDots = 3000, kMostLevels = 24;

// Where the points of a column lie: numbers by value, levels side by side under their names.
struct Across {
  bool levels = false;
  Scale x;
  double operator()(double cell) const { return x(cell); }
};

Across across(const Model& model, std::size_t column, double low, double high) {
  const Field& field = model.schema.columns[column];
  if (field.type == ColumnType::Number) return {false, scale_of(low, high, kLeft, kWidth - kRight)};
  return {true, {-0.5, static_cast<double>(field.level.size()) - 0.5, kLeft, kWidth - kRight}};
}

void draw_levels(Canvas& canvas, const Field& field, const Scale& x, double bottom) {
  const double room = x(1) - x(0);
  canvas.line(x.from, bottom, x.to, bottom, kGrey);
  const std::size_t step = (field.level.size() + kMostLevels - 1) / kMostLevels;
  for (std::size_t k = 0; k < field.level.size(); k += step) {
    const auto most = static_cast<std::size_t>(std::max(3.0, room * static_cast<double>(step) / 7.2));
    canvas.text(x(static_cast<double>(k)), bottom + 16, printable(field.level[k], most), Anchor::Middle, "#555");
  }
  canvas.text((x.from + x.to) / 2, bottom + 38, printable(field.name, 60), Anchor::Middle);
}

void draw_across(Canvas& canvas, const Model& model, std::size_t column, const Across& at, double bottom) {
  const Field& field = model.schema.columns[column];
  if (at.levels) draw_levels(canvas, field, at.x, bottom);
  else draw_x_axis(canvas, at.x, kTop, bottom, printable(field.name, 60));
}

}  // namespace

std::string dependence_svg(const Model& model, const Dependence& d) {
  const auto [low, high] = std::ranges::minmax(d.lines.empty() ? d.mean : d.lines);
  const auto [mean_low, mean_high] = std::ranges::minmax(d.mean);
  const std::string name = printable(model.schema.columns[d.column].name, 40);
  Canvas canvas(kWidth, kHeight, fmt::format("How the prediction depends on {}", name));
  const double bottom = kHeight - kFoot;
  const Scale y = scale_of(std::min(low, mean_low), std::max(high, mean_high), bottom, kTop);
  const Across x = across(model, d.column, d.grid.front(), d.grid.back());
  draw_y_axis(canvas, y, kLeft, kWidth - kRight, output_words(model, d.output));
  draw_across(canvas, model, d.column, x, bottom);
  canvas.text(kWidth - kRight, kTop - 12, x.levels ? "line: mean; dots: single rows" : "thick: mean; thin: single rows",
              Anchor::End, "#555");
  const std::size_t points = d.grid.size();
  for (std::size_t i = 0; i < d.line_rows.size(); ++i) {
    std::vector<std::pair<double, double>> line;
    for (std::size_t g = 0; g < points; ++g) line.emplace_back(x(d.grid[g]), y(d.lines[i * points + g]));
    if (!x.levels) canvas.polyline(line, kGrey, 1, 0.35);
    for (std::size_t g = 0; x.levels && g < points; ++g)
      canvas.circle(line[g].first + (static_cast<double>(i % 21) - 10) * 0.8, line[g].second, 2, kGrey, 0.5);
  }
  std::vector<std::pair<double, double>> mean;
  for (std::size_t g = 0; g < points; ++g) mean.emplace_back(x(d.grid[g]), y(d.mean[g]));
  if (!x.levels) canvas.polyline(mean, kRise, 3, 1);
  for (std::size_t g = 0; x.levels && g < points; ++g)
    canvas.rect(mean[g].first - 14, mean[g].second - 2, 28, 4, kRise);
  return canvas.finish();
}

std::string scatter_svg(const Model& model, const Table& table, const Explained& e, std::size_t column,
                        std::size_t output) {
  const std::vector<double> cells = column_cells(model, table, column);
  double low = INFINITY, high = -INFINITY, least = 0, most = 0;
  for (std::size_t row = 0; row < e.rows; ++row) {
    if (std::isfinite(cells[row])) low = std::min(low, cells[row]), high = std::max(high, cells[row]);
    least = std::min(least, e.values(row, output)[column]), most = std::max(most, e.values(row, output)[column]);
  }
  if (!(low <= high)) low = high = 0;
  const std::string name = printable(model.schema.columns[column].name, 40);
  Canvas canvas(kWidth, kHeight, fmt::format("What {} adds to each prediction", name));
  const double bottom = kHeight - kFoot;
  const Scale y = scale_of(least, most, bottom, kTop);
  const Across x = across(model, column, low, high);
  draw_y_axis(canvas, y, kLeft, kWidth - kRight,
              fmt::format("Shapley value: change of the {}", output_words(model, e.outputs[output])));
  draw_across(canvas, model, column, x, bottom);
  canvas.line(kLeft, y(0), kWidth - kRight, y(0), kGrey);
  const std::size_t step = (e.rows + kMostDots - 1) / kMostDots;
  for (std::size_t row = 0; row < e.rows; row += step) {
    if (!std::isfinite(cells[row])) continue;
    const double aside = x.levels ? (static_cast<double>(row / step % 31) - 15) * 0.8 : 0;
    canvas.circle(x(cells[row]) + aside, y(e.values(row, output)[column]), 2.2, kFall, 0.55);
  }
  return canvas.finish();
}

std::string bar_svg(const std::string& title, const std::string& unit, std::span<const Bar> bars) {
  double left = 60, low = 0, high = 0;
  for (const Bar& bar : bars) {
    left = std::max(left, text_width(printable(bar.name, 34)));
    low = std::min({low, bar.value, bar.low}), high = std::max({high, bar.value, bar.high});
  }
  left = std::min(left, 260.0) + 28;
  const double first = 52, bottom = first + static_cast<double>(bars.size()) * kLine + 8;
  Canvas canvas(kWidth, bottom + kFoot, title);
  // Room for the number that follows a bar.
  const Scale x{low < 0 ? low * 1.06 : 0, high > 0 ? high : 1, left, kWidth - kRight - 70};
  draw_x_axis(canvas, x, first, bottom, unit);
  canvas.line(x(0), first, x(0), bottom, kGrey);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double y = first + (static_cast<double>(i) + 0.5) * kLine, from = std::min(x(0), x(bar.value));
    canvas.text(left - 12, y + 4, printable(bar.name, 34), Anchor::End);
    canvas.rect(from, y - kBar / 2, std::abs(x(bar.value) - x(0)), kBar, kFall,
                bar.name + ": " + short_text(bar.value));
    double end = std::max(x(0), x(bar.value));
    if (bar.low < bar.high) {
      canvas.line(x(bar.low), y, x(bar.high), y, kInk, 1.5);
      for (const double at : {bar.low, bar.high}) canvas.line(x(at), y - 4, x(at), y + 4, kInk, 1.5);
      end = std::max(end, x(bar.high));
    }
    canvas.text(end + 6, y + 4, short_text(bar.value), Anchor::Start, "#555");
  }
  return canvas.finish();
}

}  // namespace wald
