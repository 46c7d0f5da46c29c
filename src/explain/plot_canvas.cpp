#include "explain/plot_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "explain/letters.h"

namespace wald {
namespace {

constexpr std::size_t kLongTick = 9;  // characters of a number beside an axis

const char* word(Anchor anchor) {
  return anchor == Anchor::Start ? "start" : anchor == Anchor::Middle ? "middle" : "end";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') out += "\xEF\xBF\xBD";
    else out += c;
  }
  return out;
}

Canvas::Canvas(double width, double height, std::string_view title) : width_(width) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n"
      "<style>text{{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, escaped(title));
  text(16, 26, title, Anchor::Start, kInk, "style=\"font-size:16px;font-weight:600\"");
}

void Canvas::rect(double x, double y, double width, double height, std::string_view fill, std::string_view tip) {
  out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"", x, y, width,
                      height, fill);
  out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(tip));
}

void Canvas::line(double x0, double y0, double x1, double y1, std::string_view stroke, double width,
                  std::string_view dash) {
  out_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n", x0, y0,
      x1, y1, stroke, width, dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

void Canvas::circle(double x, double y, double radius, std::string_view fill, double opacity) {
  out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"", x, y, radius, fill);
  out_ += opacity < 1 ? fmt::format(" fill-opacity=\"{:g}\"/>\n", opacity) : "/>\n";
}

void Canvas::path(const std::string& d, std::string_view fill, std::string_view tip) {
  out_ += fmt::format("<path d=\"{}\" fill=\"{}\"", d, fill);
  out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></path>\n", escaped(tip));
}

void Canvas::polyline(const std::vector<std::pair<double, double>>& points, std::string_view stroke, double width,
                      double opacity) {
  out_ += "<polyline points=\"";
  for (const auto& [x, y] : points) out_ += fmt::format("{:.1f},{:.1f} ", x, y);
  out_ += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-opacity=\"{:g}\"/>\n", stroke, width,
                      opacity);
}

void Canvas::text(double x, double y, std::string_view text, Anchor anchor, std::string_view fill,
                  std::string_view more) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x, y,
                      word(anchor), fill, more.empty() ? "" : " ", more, escaped(text));
}

void Canvas::centred(double x, double y, std::string_view text, std::string_view fill) {
  const double half = text_width(text) / 2, margin = 8;
  this->text(std::max(std::min(x, width_ - margin - half), margin + half), y, text, Anchor::Middle, fill);
}

std::string Canvas::finish() { return std::move(out_) + "</svg>\n"; }

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if (step < rough) step = factor * power;
  std::vector<double> out;
  for (double at = std::ceil(low / step); at * step <= high * (1 + 1e-12) && out.size() < 100; ++at)
    out.push_back(at * step + 0.0);  // not -0
  return out;
}

namespace {

std::string plain_tick(double value, double step) {
  if (std::abs(value) < step / 1e6) return "0";
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string compact_tick(double value, double step) {
  if (std::abs(value) < step / 1e6) return "0";
  const double apart = std::floor(std::log10(std::abs(value)) + 1e-9) - std::floor(std::log10(step) + 1e-9);
  return fmt::format("{:.{}g}", value, static_cast<int>(std::clamp(apart + 1, 1.0, 17.0)));
}

}  // namespace

std::vector<std::string> tick_texts(const std::vector<double>& at) {
  const double step = at.size() > 1 ? at[1] - at[0] : at.empty() ? 1 : std::abs(at[0]);
  std::vector<std::string> plain, compact;
  std::size_t longest = 0, longest_compact = 0;
  for (const double value : at) {
    plain.push_back(plain_tick(value, step));
    compact.push_back(compact_tick(value, step));
    longest = std::max(longest, plain.back().size());
    longest_compact = std::max(longest_compact, compact.back().size());
  }
  return longest > kLongTick && longest_compact < longest ? compact : plain;
}

std::string text_beside(double value, double size) {
  if (!(std::abs(value) > 0) || !(size > 0) || !std::isfinite(value)) return short_text(value);
  const int digits = static_cast<int>(std::clamp(std::ceil(std::log10(std::abs(value) / size)) + 3, 4.0, 17.0));
  if (digits == 4) return short_text(value);
  const std::string text = fmt::format("{:.{}g}", value, digits);
  return text.find('e') == std::string::npos || std::abs(value) >= 1e15 ? text : short_text(value);
}

Scale scale_of(double low, double high, double from, double to) {
  if (!(low < high)) {
    const double half = std::max(std::abs(low), 1.0) / 2;
    low -= half, high += half;
  }
  const double margin = (high - low) * 0.04;
  return {low - margin, high + margin, from, to};
}

namespace {

struct Tick {
  double at = 0;
  std::string text;
};

std::vector<Tick> labelled(const Scale& scale, int count) {
  const std::vector<double> at = ticks(scale.low, scale.high, count);
  const std::vector<std::string> text = tick_texts(at);
  std::vector<Tick> out(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) out[i] = {at[i], text[i]};
  return out;
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text));
  return width;
}

int count_of_y(const Scale& y) { return std::max(2, static_cast<int>((y.from - y.to) / 50)); }

}  // namespace

double y_axis_room(const Scale& y) { return widest(labelled(y, count_of_y(y))) + 24; }

void draw_x_axis(Canvas& canvas, const Scale& x, double top, double bottom, std::string_view label) {
  std::vector<Tick> at;
  for (int count = std::max(2, static_cast<int>((x.to - x.from) / 90)); count > 0; --count) {
    at = labelled(x, count);
    if (at.size() < 2 || widest(at) + 10 <= x(at[1].at) - x(at[0].at)) break;
  }
  for (const Tick& tick : at) {
    canvas.line(x(tick.at), top, x(tick.at), bottom, "#eceff2");
    canvas.centred(x(tick.at), bottom + 16, tick.text, "#555");
  }
  canvas.line(x.from, bottom, x.to, bottom, kGrey);
  canvas.centred((x.from + x.to) / 2, bottom + 36, label);
}

void draw_y_axis(Canvas& canvas, const Scale& y, double left, double right, std::string_view label) {
  for (const Tick& tick : labelled(y, count_of_y(y))) {
    canvas.line(left, y(tick.at), right, y(tick.at), "#eceff2");
    canvas.text(left - 8, y(tick.at) + 4, tick.text, Anchor::End, "#555");
  }
  canvas.line(left, y.from, left, y.to, kGrey);
  canvas.text(left, y.to - 12, label, Anchor::Start);
}

// Blue over violet to red: ordered also for readers who do not tell red from green.
std::string blend(double share) {
  constexpr std::array<std::array<double, 3>, 3> kStops = {{{59, 111, 182}, {150, 90, 170}, {209, 73, 91}}};
  const double at = std::clamp(share, 0.0, 1.0) * 2;
  const std::size_t i = at < 1 ? 0 : 1;
  std::array<int, 3> c{};
  for (std::size_t k = 0; k < 3; ++k)
    c[k] =
        static_cast<int>(std::lround(kStops[i][k] + (kStops[i + 1][k] - kStops[i][k]) * (at - static_cast<double>(i))));
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

}  // namespace wald
