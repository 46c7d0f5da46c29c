#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "explain/letters.h"
#include "explain/plot.h"
#include "explain/plot_canvas.h"
#include "explain/words.h"

namespace wald {
namespace {

// Sizes in pixels.
constexpr double kWidth = 720, kHeight = 440, kTop = 72, kFoot = 60, kLeft = 84, kRight = 28, kLine = 26, kBar = 16;
constexpr double kLane = 72;       // of missing cells, to the right of the numbers
constexpr double kNarrowest = 14;  // place of a level; more of them widen the picture
constexpr std::size_t kMostDots = 3000, kLevelLetters = 18;

// Where the cells of a column lie: numbers by value, levels side by side under their names, missing cells to the right
// of both.
struct Across {
  const Field* field = nullptr;
  std::vector<std::size_t> levels;  // those drawn, in the order of the model; empty for numbers
  Scale x;
  double missing = NAN;   // pixels; NaN = there are none
  double right = kWidth;  // of the picture
  bool slanted = false;   // the names of the levels

  double place() const { return x(1) - x(0); }  // of a level
  // NaN for a level that is not drawn.
  double operator()(double cell) const {
    if (std::isnan(cell)) return missing;
    if (levels.empty()) return x(cell);
    const auto found = std::ranges::lower_bound(levels, static_cast<std::size_t>(cell));
    const bool drawn = found != levels.end() && *found == static_cast<std::size_t>(cell);
    return drawn ? x(static_cast<double>(found - levels.begin())) : NAN;
  }
};

std::string level_name(const Field& field, std::size_t level) { return printable(field.level[level], kLevelLetters); }

Across numbers_across(const Field& field, const std::vector<double>& cells, double left) {
  double low = INFINITY, high = -INFINITY;
  bool missing = false;
  for (const double cell : cells) {
    missing = missing || std::isnan(cell);
    if (std::isfinite(cell)) low = std::min(low, cell), high = std::max(high, cell);
  }
  if (!(low <= high)) low = high = 0;
  const double to = kWidth - kRight - (missing ? kLane : 0);
  return {.field = &field, .x = scale_of(low, high, left, to), .missing = missing ? kWidth - kRight - kLane / 2 : NAN};
}

Across levels_across(const Field& field, const std::vector<double>& cells, std::vector<std::size_t> levels,
                     double left) {
  Across out{.field = &field, .levels = std::move(levels)};
  std::ranges::sort(out.levels);
  const bool missing = std::ranges::any_of(cells, [](double cell) { return std::isnan(cell); });
  const auto places = static_cast<double>(out.levels.size() + (missing ? 1 : 0));
  out.right = std::max(kWidth, left + kRight + places * kNarrowest);
  out.x = {-0.5, places - 0.5, left, out.right - kRight};
  if (missing) out.missing = out.x(places - 1);
  for (const std::size_t level : out.levels)
    out.slanted = out.slanted || text_width(level_name(field, level)) + 8 > out.place();
  return out;
}

// Below the axis: the names of levels when they are slanted need more than numbers do.
double foot_of(const Across& x) {
  double longest = 0;
  for (const std::size_t level : x.levels) longest = std::max(longest, text_width(level_name(*x.field, level)));
  return kFoot + (x.slanted ? std::max(longest, text_width("missing")) * 0.87 - 8 : 0);
}

void draw_name(Canvas& canvas, const Across& x, double at, double bottom, const std::string& name) {
  if (!x.slanted) return canvas.text(at, bottom + 16, name, Anchor::Middle, "#555");
  canvas.text(at + 4, bottom + 12, name, Anchor::End, "#555",
              fmt::format("transform=\"rotate(-60 {:.1f} {:.1f})\"", at + 4, bottom + 12));
}

void draw_across(Canvas& canvas, const Across& x, double bottom, double height) {
  const std::string name = printable(x.field->name, 60);
  if (x.levels.empty()) draw_x_axis(canvas, x.x, kTop, bottom, name);
  else {
    canvas.line(x.x.from, bottom, x.x.to, bottom, kGrey);
    for (const std::size_t level : x.levels)
      draw_name(canvas, x, x(static_cast<double>(level)), bottom, level_name(*x.field, level));
    canvas.centred((x.x.from + x.x.to) / 2, height - 24, name);
  }
  if (std::isnan(x.missing)) return;
  draw_name(canvas, x, x.missing, bottom, "missing");
  if (x.levels.empty()) canvas.line(x.missing - kLane / 2, kTop, x.missing - kLane / 2, bottom, kGrey, 1, "3 3");
}

void draw_note(Canvas& canvas, const Across& x) {
  if (x.levels.size() < x.field->level.size())
    canvas.text(16, 46, fmt::format("the {} most frequent of {} levels", x.levels.size(), x.field->level.size()),
                Anchor::Start, "#555");
}

// Dots of one place beside each other: the middle, then right and left of it in turn.
double aside(std::size_t i, double place) {
  const double reach = std::min(12.0, place * 0.35), step = reach / 12;
  const auto k = static_cast<double>((i % 25 + 1) / 2);
  return (i % 2 == 0 ? -k : k) * step;
}

}  // namespace

std::string dependence_svg(const Model& model, const Dependence& d) {
  const Field& field = input_columns(model)[d.column];
  const auto [low, high] = std::ranges::minmax(d.lines.empty() ? d.mean : d.lines);
  const auto [mean_low, mean_high] = std::ranges::minmax(d.mean);
  std::vector<std::size_t> levels;
  for (const double at : d.grid)
    if (field.type == ColumnType::Category && !std::isnan(at)) levels.push_back(static_cast<std::size_t>(at));
  Scale y = scale_of(std::min(low, mean_low), std::max(high, mean_high), kHeight - kFoot, kTop);
  const double left = std::max(kLeft, y_axis_room(y));
  const Across x = levels.empty() ? numbers_across(field, d.grid, left) : levels_across(field, d.grid, levels, left);
  const double height = kHeight - kFoot + foot_of(x), bottom = kHeight - kFoot;
  Canvas canvas(x.right, height, fmt::format("How the prediction depends on {}", printable(field.name, 40)));
  draw_y_axis(canvas, y, left, x.right - kRight, output_words(model, d.output));
  draw_across(canvas, x, bottom, height);
  draw_note(canvas, x);
  canvas.text(x.right - kRight, kTop - 12,
              x.levels.empty() ? "thick: mean; thin: single rows" : "line: mean; dots: single rows", Anchor::End,
              "#555");
  const std::size_t points = d.grid.size(), numbers = std::isnan(d.grid.back()) ? points - 1 : points;
  const bool joined = x.levels.empty() && numbers > 1;
  for (std::size_t i = 0; i < d.line_rows.size(); ++i) {
    std::vector<std::pair<double, double>> line;
    for (std::size_t g = 0; g < points; ++g) {
      line.emplace_back(x(d.grid[g]), y(d.lines[i * points + g]));
      if (!joined || g >= numbers)
        canvas.circle(line[g].first + aside(i, x.levels.empty() ? kLane : x.place()), line[g].second, 2, kGrey, 0.5);
    }
    line.resize(numbers);
    if (joined) canvas.polyline(line, kGrey, 1, 0.35);
  }
  std::vector<std::pair<double, double>> mean;
  for (std::size_t g = 0; g < points; ++g) {
    mean.emplace_back(x(d.grid[g]), y(d.mean[g]));
    const double half = x.levels.empty() ? 14 : std::min(14.0, x.place() * 0.4);
    if (!joined || g >= numbers) canvas.rect(mean[g].first - half, mean[g].second - 2, 2 * half, 4, kRise);
  }
  mean.resize(numbers);
  if (joined) canvas.polyline(mean, kRise, 3, 1);
  return canvas.finish();
}

std::string scatter_svg(const Model& model, const Table& table, const Explained& e, std::size_t column,
                        std::size_t output) {
  const Field& field = input_columns(model)[column];
  const std::vector<double> cells = column_cells(model, table, column);
  double least = 0, most = 0;
  for (std::size_t row = 0; row < e.rows; ++row)
    least = std::min(least, e.values(row, output)[column]), most = std::max(most, e.values(row, output)[column]);
  const double bottom = kHeight - kFoot;
  const Scale y = scale_of(least, most, bottom, kTop);
  const double left = std::max(kLeft, y_axis_room(y));
  const Across x = field.type == ColumnType::Number
                       ? numbers_across(field, cells, left)
                       : levels_across(field, cells, frequent_levels(cells, field.level.size(), kMostLevels), left);
  const double height = bottom + foot_of(x);
  Canvas canvas(x.right, height, fmt::format("What {} adds to each prediction", printable(field.name, 40)));
  draw_y_axis(canvas, y, left, x.right - kRight,
              fmt::format("Shapley value: {}", change_words(model, e.outputs[output])));
  draw_across(canvas, x, bottom, height);
  draw_note(canvas, x);
  canvas.line(left, y(0), x.right - kRight, y(0), kGrey);
  const std::size_t step = (e.rows + kMostDots - 1) / kMostDots;
  for (std::size_t row = 0; row < e.rows; row += step) {
    const double at = x(cells[row]);
    if (!std::isfinite(at)) continue;
    const bool spread = !x.levels.empty() || std::isnan(cells[row]);
    const double beside = spread ? aside(row / step, x.levels.empty() ? kLane : x.place()) : 0;
    canvas.circle(at + beside, y(e.values(row, output)[column]), 2.2, kFall, 0.55);
  }
  return canvas.finish();
}

std::string bar_svg(const std::string& title, const std::string& unit, std::span<const Bar> bars,
                    std::size_t left_out) {
  double left = 60, low = 0, high = 0, number = 0;
  for (const Bar& bar : bars) {
    left = std::max(left, text_width(printable(bar.name, 34)));
    low = std::min({low, bar.value, bar.low}), high = std::max({high, bar.value, bar.high});
    number = std::max(number, text_width(short_text(bar.value)));
  }
  left += 28;  // names are cut to 34 letters, so even wide ones leave room for the bars
  const double first = 52, bottom = first + static_cast<double>(std::max<std::size_t>(bars.size(), 1)) * kLine + 8;
  Canvas canvas(kWidth, bottom + kFoot, title);
  const Scale x{low < 0 ? low * 1.06 : 0, high > 0 ? high : 1, left, kWidth - kRight - std::max(number, 40.0)};
  draw_x_axis(canvas, x, first, bottom, unit);
  canvas.line(x(0), first, x(0), bottom, kGrey);
  if (bars.empty()) canvas.text(x(0) + 8, first + kLine / 2 + 4, "no column matters", Anchor::Start, "#555");
  if (left_out > 0) canvas.text(left - 12, bottom + 16, plural(left_out, "more column"), Anchor::End, "#555");
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
