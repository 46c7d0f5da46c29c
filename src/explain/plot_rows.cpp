#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "explain/letters.h"
#include "explain/plot.h"
#include "explain/plot_canvas.h"
#include "explain/words.h"

namespace wald {
namespace {

// Sizes in pixels.
constexpr double kWidth = 760, kTop = 56, kFoot = 56, kRight = 24, kLine = 28, kBar = 18;
constexpr std::size_t kDrawnColumns = 20, kMostSteps = 14, kMostDots = 1500;

constexpr double kMostLabel = 310;
constexpr double kMostRoom = 450;  // names are cut by their letters, and forty wide ones take so much

double label_room(const std::vector<std::string>& names) {
  double room = 60;
  for (const std::string& name : names) room = std::max(room, text_width(name));
  return std::min(room, kMostRoom) + 28;
}

// "column = cell"; shorter where it would not fit.
std::string label_of(const Model& model, const Table& table, std::size_t column, Row row) {
  const std::string& name = input_columns(model)[column].name;
  std::string whole = fmt::format("{} = {}", printable(name, 24), cell_words(model, table, column, row));
  if (text_width(whole) <= kMostLabel) return whole;
  return fmt::format("{} = {}", printable(name, 18), cell_words(model, table, column, row, 16));
}

std::string signed_text(double x) { return (x < 0 ? "−" : "+") + short_text(std::abs(x)); }

// Where a cell lies among the column's values, 0 to 1; a category and a missing cell are -1.
std::vector<double> ranks(const Model& model, const Table& table, std::size_t column) {
  std::vector<double> cells = column_cells(model, table, column);
  if (input_columns(model)[column].type == ColumnType::Category) return std::vector<double>(cells.size(), -1);
  std::vector<double> sorted = cells;
  std::erase_if(sorted, [](double x) { return std::isnan(x); });
  std::ranges::sort(sorted);
  for (double& x : cells) {
    if (std::isnan(x)) {
      x = -1;
      continue;
    }
    const auto [first, last] = std::ranges::equal_range(sorted, x);
    const double middle = static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) - 1) / 2;
    x = sorted.size() > 1 ? middle / static_cast<double>(sorted.size() - 1) : 0.5;
  }
  return cells;
}

// A dot goes to the free place nearest to the middle of its line: -1, 1, -2, 2 ... steps up and down.
class Swarm {
 public:
  explicit Swarm(double reach) : reach_(reach) {}
  double offset(double x) {
    const int bin = static_cast<int>(std::lround(x / 2.5));
    const int k = count_[bin]++;
    const double raw = (k % 2 == 0 ? 1 : -1) * ((k + 1) / 2) * 2.2;
    return std::abs(raw) <= reach_ ? raw : std::remainder(raw, 2 * reach_);
  }

 private:
  double reach_;
  std::map<int, int> count_;
};

void draw_ramp(Canvas& canvas, double x, double y) {
  canvas.text(x - 8, y + 9, "low", Anchor::End, "#555");
  for (int i = 0; i < 24; ++i) canvas.rect(x + i * 4, y, 4.5, 10, blend(i / 23.0));
  canvas.text(x + 96 + 8, y + 9, "high value; grey: category or missing", Anchor::Start, "#555");
}

}  // namespace

std::string beeswarm_svg(const Model& model, const Table& table, const Explained& e, std::size_t output) {
  std::vector<double> size(e.columns);
  double low = 0, high = 0;
  for (std::size_t row = 0; row < e.rows; ++row)
    for (std::size_t c = 0; c < e.columns; ++c) {
      const double v = e.values(row, output)[c];
      size[c] += std::abs(v), low = std::min(low, v), high = std::max(high, v);
    }
  std::vector<std::size_t> shown = largest(size, e.columns);
  std::erase_if(shown, [&](std::size_t c) { return size[c] == 0; });
  const std::size_t left_out = shown.size() - std::min(shown.size(), kDrawnColumns);
  shown.resize(shown.size() - left_out);
  std::vector<std::string> names;
  for (const std::size_t c : shown) names.push_back(printable(input_columns(model)[c].name, 34));
  const double left = label_room(names),
               bottom = kTop + 24 + static_cast<double>(std::max<std::size_t>(shown.size(), 1)) * kLine;
  Canvas canvas(kWidth, bottom + kFoot, "What moves the predictions");
  const Scale x = scale_of(low, high, left, kWidth - kRight);
  draw_ramp(canvas, left + 32, 44);
  draw_x_axis(canvas, x, kTop + 12, bottom, fmt::format("Shapley value: {}", change_words(model, e.outputs[output])));
  canvas.line(x(0), kTop + 12, x(0), bottom, kGrey);
  if (shown.empty()) canvas.text(x(0) + 8, bottom - 12, "no column moves any prediction", Anchor::Start, "#555");
  if (left_out > 0) canvas.text(left - 12, bottom + 16, plural(left_out, "more column"), Anchor::End, "#555");
  const std::size_t step = (e.rows + kMostDots - 1) / kMostDots;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double y = kTop + 24 + (static_cast<double>(i) + 0.5) * kLine;
    canvas.text(left - 12, y + 4, names[i], Anchor::End);
    const std::vector<double> rank = ranks(model, table, shown[i]);
    Swarm swarm(kLine / 2 - 4);
    for (std::size_t row = 0; row < e.rows; row += step) {
      const double at = x(e.values(row, output)[shown[i]]);
      canvas.circle(at, y + swarm.offset(at), 2, rank[row] < 0 ? kGrey : blend(rank[row]), 0.8);
    }
  }
  return canvas.finish();
}

namespace {

struct Shift {
  std::string label;
  double from = 0, to = 0;
};

// From the base to the prediction: the smallest first, at the bottom, so that the largest end at the top.
std::vector<Shift> moves_of(const Model& model, const Table& table, const Explained& e, Row row, std::size_t output) {
  const auto values = e.values(row - e.first, output);
  std::vector<std::size_t> order = largest(values, values.size());
  std::erase_if(order, [&](std::size_t c) { return values[c] == 0; });
  std::vector<Shift> out;
  double at = e.base[output];
  if (order.size() > kMostSteps) {
    double rest = 0;
    for (std::size_t i = kMostSteps - 1; i < order.size(); ++i) rest += values[order[i]];
    out.push_back({plural(order.size() - kMostSteps + 1, "other column"), at, at + rest});
    at += rest;
    order.resize(kMostSteps - 1);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t c = order[i];
    out.push_back({label_of(model, table, c, row), at, at + values[c]});
    at += values[c];
  }
  std::ranges::reverse(out);
  return out;
}

// A bar with a point at its end.
std::string arrow(double from, double to, double y) {
  const double point = std::min(6.0, std::abs(to - from)) * (to < from ? -1 : 1), h = kBar / 2;
  return fmt::format("M{0:.1f} {1:.1f}H{2:.1f}L{3:.1f} {4:.1f}L{2:.1f} {5:.1f}H{0:.1f}Z", from, y - h, to - point, to,
                     y, y + h);
}

void draw_move(Canvas& canvas, const Shift& move, const Scale& x, double y) {
  const double from = x(move.from), to = x(move.to);
  const char* colour = move.to < move.from ? kFall : kRise;
  const std::string text = signed_text(move.to - move.from);
  canvas.path(arrow(from, to, y), colour, move.label + ": " + text);
  if (std::abs(to - from) > text_width(text) + 16)
    return canvas.text((from + to) / 2, y + 4, text, Anchor::Middle, "#fff");
  const bool room = std::max(from, to) + 6 + text_width(text) < x.to;
  canvas.text(room ? std::max(from, to) + 6 : std::min(from, to) - 6, y + 4, text, room ? Anchor::Start : Anchor::End,
              colour);
}

}  // namespace

std::string waterfall_svg(const Model& model, const Table& table, const Explained& e, Row row, std::size_t output) {
  const std::vector<Shift> moves = moves_of(model, table, e, row, output);
  const double base = e.base[output], score = e.score[(row - e.first) * e.outputs.size() + output];
  double low = std::min(base, score), high = std::max(base, score);
  std::vector<std::string> names;
  for (const Shift& move : moves) {
    low = std::min({low, move.from, move.to}), high = std::max({high, move.from, move.to});
    names.push_back(move.label);
  }
  const double left = label_room(names), first = kTop + 30,
               bottom = first + static_cast<double>(moves.size()) * kLine + 26;
  Canvas canvas(kWidth, bottom + kFoot,
                fmt::format("Row {}: from the mean to the prediction", with_commas(row + 1ull)));
  const Scale x = scale_of(low, high, left, kWidth - kRight);
  draw_x_axis(canvas, x, first, bottom, output_words(model, e.outputs[output]));
  const auto mark = [&](double at, double y, const std::string& text) {
    const bool right_half = x(at) > (x.from + x.to) / 2;
    canvas.line(x(at), first - 4, x(at), bottom, "#777", 1, "3 3");
    canvas.text(x(at) + (right_half ? -6 : 6), y, text, right_half ? Anchor::End : Anchor::Start, kInk,
                "style=\"font-weight:600\"");
  };
  mark(score, first - 10, fmt::format("prediction {}", text_beside(score, high - low)));
  mark(base, bottom - 6, fmt::format("mean {}", text_beside(base, high - low)));
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const double y = first + (static_cast<double>(i) + 0.5) * kLine;
    canvas.text(left - 12, y + 4, names[i], Anchor::End);
    draw_move(canvas, moves[i], x, y);
    if (i > 0) canvas.line(x(moves[i].to), y - kLine + kBar / 2, x(moves[i].to), y - kBar / 2, kGrey);
  }
  return canvas.finish();
}

}  // namespace wald
