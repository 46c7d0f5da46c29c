#include "cli/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "core/file.h"
#include "core/text.h"
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

Extent extent_of(const Chart& chart, bool of_x) {
  if (chart.square) return {0, 1};
  std::vector<double> all;
  for (const Series& series : chart.series)
    for (const auto& [x, y] : drawn(chart, series)) all.push_back(of_x ? x : y);
  if (all.empty()) return {0, 1};
  const auto [low, high] = std::ranges::minmax(all);
  return {low, high};
}

std::string axis_text(const Chart& chart, double at) { return short_text(chart.logarithmic ? std::pow(10.0, at) : at); }

}  // namespace

std::vector<std::string> chart_lines(const Chart& chart, std::size_t width, std::size_t height) {
  const Extent xs = extent_of(chart, true), ys = extent_of(chart, false);
  std::vector<std::vector<std::string>> cell(height, std::vector<std::string>(width, " "));
  const auto mark = [&](double x, double y, const std::string& sign) {
    const auto column = static_cast<std::size_t>(std::lround(xs.place(x) * static_cast<double>(width - 1)));
    const auto line = static_cast<std::size_t>(std::lround((1 - ys.place(y)) * static_cast<double>(height - 1)));
    cell[line][column] = sign;
  };
  for (std::size_t c = 0; chart.diagonal && c < width; ++c)
    mark(static_cast<double>(c) / static_cast<double>(width - 1),
         static_cast<double>(c) / static_cast<double>(width - 1), "·");
  for (const Series& series : chart.series)
    for (const auto& [x, y] : drawn(chart, series)) mark(x, y, series.sign);
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
  const Extent xs = extent_of(chart, true), ys = extent_of(chart, false);
  const wald::Scale y = chart.square ? wald::Scale{0, 1, kBottom, kTop} : scale_of(ys.low, ys.high, kBottom, kTop);
  const double start = 24 + y_axis_room(y);
  const wald::Scale x = chart.square ? wald::Scale{0, 1, start, kRight} : scale_of(xs.low, xs.high, start, kRight);
  wald::Canvas canvas(kWidth, kBottom + 84, chart.title);
  draw_x_axis(canvas, x, kTop, kBottom, chart.logarithmic ? "log10 of " + chart.x : chart.x);
  draw_y_axis(canvas, y, start, kRight, chart.y);
  if (chart.diagonal) canvas.line(x(0), y(0), x(1), y(1), kGrey, 1, "4 4");
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const char* colour = kColours[s % kColours.size()];
    std::vector<std::pair<double, double>> line;
    const auto points = drawn(chart, chart.series[s]);
    for (std::size_t i = 0; i < points.size(); ++i) {
      line.emplace_back(x(points[i].first), y(points[i].second));
      const bool spread = chart.series[s].spread.size() == points.size() && std::isfinite(chart.series[s].spread[i]);
      if (spread)
        canvas.line(line[i].first, y(points[i].second - chart.series[s].spread[i]), line[i].first,
                    y(points[i].second + chart.series[s].spread[i]), colour);
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
  for (const Series& series : chart.series)
    for (const auto& [x, y] : series.points)
      out += fmt::format("{},{},{}\n", csv_cell(series.name), exact_text(x), std::isnan(y) ? "" : exact_text(y));
  return out;
}

nlohmann::ordered_json chart_json(const Chart& chart) {
  nlohmann::ordered_json out = {{"title", chart.title}, {"x", chart.x}, {"y", chart.y}};
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
