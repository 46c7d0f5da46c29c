#include "cli/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "core/file.h"
#include "core/text.h"
#include "explain/letters.h"
#include "explain/plot_canvas.h"

namespace wald::cli {
namespace {

struct Extent {
  double low = 0, high = 1;
  double place(double value) const { return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0; }
};

double on_axis(const Chart& chart, double x) { return chart.logarithmic ? std::log10(x) : x; }

// The points that can be drawn, their x as the axis has it.
std::vector<std::pair<double, double>> drawn(const Chart& chart, const Series& series) {
  std::vector<std::pair<double, double>> out;
  for (const auto& [x, y] : series.points)
    if (std::isfinite(on_axis(chart, x)) && std::isfinite(y)) out.emplace_back(on_axis(chart, x), y);
  return out;
}

enum class Axis { X, Y, SpreadY };

// Of the i-th of so many points that are drawn; none where some of the series are not.
double spread_of(const Series& series, std::size_t i, std::size_t points) {
  return series.spread.size() == points && std::isfinite(series.spread[i]) ? series.spread[i] : 0;
}

Extent extent_of(const Chart& chart, Axis axis) {
  if (chart.square) return {0, 1};
  std::vector<double> all;
  for (const Series& series : chart.series) {
    const auto points = drawn(chart, series);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double reach = axis == Axis::SpreadY ? spread_of(series, i, points.size()) : 0;
      const double at = axis == Axis::X ? points[i].first : points[i].second;
      all.insert(all.end(), {at - reach, at + reach});
    }
  }
  if (all.empty()) return {0, 1};
  const auto [low, high] = std::ranges::minmax(all);
  return {low, high};
}

std::string axis_text(const Chart& chart, double at) {
  if (!chart.words.empty()) return chart.words[static_cast<std::size_t>(std::lround(at)) - 1];
  return short_text(chart.logarithmic ? std::pow(10.0, at) : at);
}

// Every word, or 1, 2 and 5 of every power of ten, as many as have room.
void draw_marks(wald::Canvas& canvas, const Chart& chart, const wald::Scale& x, double top, double bottom) {
  std::vector<double> at;
  for (std::size_t i = 0; i < chart.words.size(); ++i) at.push_back(static_cast<double>(i + 1));
  if (chart.words.empty())
    for (double power = std::floor(x.low); power <= x.high; ++power)
      for (const double digit : {1, 2, 5}) at.push_back(power + std::log10(digit));
  double free = x.from;
  for (const double tick : at) {
    if (tick < x.low || tick > x.high) continue;
    const std::string text = axis_text(chart, tick);
    const double half = text_width(text) / 2;
    canvas.line(x(tick), top, x(tick), bottom, "#eceff2");
    if (x(tick) - half < free && tick != at.front()) continue;
    canvas.centred(x(tick), bottom + 16, text, "#555");
    free = x(tick) + half + 10;
  }
  canvas.line(x.from, bottom, x.to, bottom, kGrey);
  canvas.centred((x.from + x.to) / 2, bottom + 36, chart.x);
}

}  // namespace

std::vector<std::string> chart_lines(const Chart& chart, std::size_t width, std::size_t height) {
  const Extent xs = extent_of(chart, Axis::X), ys = extent_of(chart, Axis::Y);
  std::vector<std::vector<std::string>> cell(height, std::vector<std::string>(width, " "));
  const auto mark = [&](double x, double y, const std::string& sign) {
    const auto column = static_cast<std::size_t>(std::lround(xs.place(x) * static_cast<double>(width - 1)));
    const auto line = static_cast<std::size_t>(std::lround((1 - ys.place(y)) * static_cast<double>(height - 1)));
    cell[line][column] = sign;
  };
  for (std::size_t c = 0; chart.diagonal && c < width; ++c)
    mark(static_cast<double>(c) / static_cast<double>(width - 1),
         static_cast<double>(c) / static_cast<double>(width - 1), "·");
  for (const Series& series : chart.series) {
    const auto points = drawn(chart, series);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [x, y] = points[i];
      const std::size_t steps = series.joined && i > 0 ? width : 1;
      for (std::size_t s = 0; s < steps; ++s) {
        const double back = static_cast<double>(s) / static_cast<double>(steps);
        const auto& [from_x, from_y] = points[i - (i > 0)];
        mark(x + back * (from_x - x), y + back * (from_y - y), series.sign);
      }
    }
  }
  std::vector<std::string> out{chart.y};
  for (std::size_t i = 0; i < height; ++i) {
    const std::string label = i == 0 ? short_text(ys.high) : i + 1 == height ? short_text(ys.low) : "";
    std::string line;
    for (const std::string& sign : cell[i]) line += sign;
    line.resize(line.find_last_not_of(' ') + 1);
    out.push_back(right(label, 10) + (label.empty() ? " │" : " ┤") + line);
  }
  std::string axis;
  for (std::size_t c = 0; c < width; ++c) axis += "─";
  out.push_back(std::string(11, ' ') + "└" + axis);
  const std::string low = axis_text(chart, xs.low);
  out.push_back(std::string(12, ' ') + low + right(axis_text(chart, xs.high), width - std::min(width, low.size())) +
                "  " + chart.x);
  std::string legend;
  for (const Series& series : chart.series) legend += fmt::format("   {} {}", series.sign, series.name);
  if (chart.series.size() > 1) out.push_back(std::string(9, ' ') + legend);
  return out;
}

std::string chart_svg(const Chart& chart) {
  constexpr double kWidth = 640, kTop = 56, kBottom = 400, kRight = kWidth - 24;
  constexpr std::array<const char*, 4> kColours = {kFall, kRise, kGrey, "#2e8b57"};
  const Extent xs = extent_of(chart, Axis::X), ys = extent_of(chart, Axis::SpreadY);
  const wald::Scale y = chart.square ? wald::Scale{0, 1, kBottom, kTop} : scale_of(ys.low, ys.high, kBottom, kTop);
  const double start = 24 + y_axis_room(y);
  const wald::Scale x = chart.square ? wald::Scale{0, 1, start, kRight} : scale_of(xs.low, xs.high, start, kRight);
  wald::Canvas canvas(kWidth, kBottom + 84, chart.title);
  if (chart.logarithmic || !chart.words.empty()) draw_marks(canvas, chart, x, kTop, kBottom);
  else draw_x_axis(canvas, x, kTop, kBottom, chart.x);
  draw_y_axis(canvas, y, start, kRight, chart.y);
  if (chart.diagonal) canvas.line(x(0), y(0), x(1), y(1), kGrey, 1, "4 4");
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const char* colour = kColours[s % kColours.size()];
    std::vector<std::pair<double, double>> line;
    const auto points = drawn(chart, chart.series[s]);
    for (std::size_t i = 0; i < points.size(); ++i) {
      line.emplace_back(x(points[i].first), y(points[i].second));
      if (const double spread = spread_of(chart.series[s], i, points.size()); spread > 0)
        canvas.line(line[i].first, y(points[i].second - spread), line[i].first, y(points[i].second + spread), colour);
      if (points.size() <= 60) canvas.circle(line[i].first, line[i].second, 3, colour);
    }
    canvas.polyline(line, colour, 2, 1);
    if (chart.series.size() > 1)
      canvas.text(start + 150 * static_cast<double>(s), kBottom + 68, chart.series[s].name, Anchor::Start, colour);
  }
  return canvas.finish();
}

std::string chart_csv(const Chart& chart) {
  std::string out = fmt::format("series,{},{}\n", csv_cell(chart.x), csv_cell(chart.y));
  const auto place = [&](double x) { return chart.words.empty() ? exact_text(x) : csv_cell(axis_text(chart, x)); };
  for (const Series& series : chart.series)
    for (const auto& [x, y] : series.points)
      out += fmt::format("{},{},{}\n", csv_cell(series.name), place(x), std::isnan(y) ? "" : exact_text(y));
  return out;
}

nlohmann::ordered_json chart_json(const Chart& chart) {
  nlohmann::ordered_json out = {{"title", chart.title}, {"x", chart.x}, {"y", chart.y}};
  if (!chart.words.empty()) out["words"] = chart.words;
  for (const Series& series : chart.series) {
    nlohmann::ordered_json one = {{"name", series.name}};
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      one["x"].push_back(series.points[i].first), one["y"].push_back(series.points[i].second);
      if (!series.spread.empty()) one["spread"].push_back(series.spread[i]);
    }
    out["series"].push_back(std::move(one));
  }
  return out;
}

Status write_chart(const Chart& chart, const std::string& path, const Arguments& given) {
  if (Status possible = check_output(path, given); !possible) return possible;
  const std::string text = path.ends_with(".svg")    ? chart_svg(chart)
                           : path.ends_with(".json") ? chart_json(chart).dump(2) + "\n"
                                                     : chart_csv(chart);
  return replace_file(path, text, given.has("force"));
}

void print_chart(const Chart& chart, Terminal& terminal) {
  for (const std::string& line : chart_lines(chart)) terminal.print(line + "\n");
}

}  // namespace wald::cli
