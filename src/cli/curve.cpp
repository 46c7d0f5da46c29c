#include "cli/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal.h"

namespace wald::cli {
namespace {

class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, double low, double high)
      : width_(width), low_(low), high_(high), cell_(height, std::vector<std::string>(width, " ")) {}

  std::size_t line_of(double value) const {  // the highest value on line 0
    if (!(high_ > low_)) return cell_.size() - 1;
    const double down = (high_ - std::clamp(value, low_, high_)) / (high_ - low_);
    return static_cast<std::size_t>(std::lround(down * static_cast<double>(cell_.size() - 1)));
  }
  std::size_t place_of(std::size_t round, std::size_t rounds) const {
    return rounds <= width_ ? round : round * width_ / rounds;
  }
  void mark(std::size_t place, std::size_t line, const char* sign) { cell_[line][place] = sign; }
  void column(std::size_t place) {
    for (auto& line : cell_) line[place] = "┊";
  }
  void draw(const std::vector<double>& values, const char* sign) {
    for (std::size_t r = 0; r < values.size(); ++r)
      if (std::isfinite(values[r])) mark(place_of(r, values.size()), line_of(values[r]), sign);
  }
  std::string line(std::size_t i, std::size_t used) const {
    std::string out;
    for (std::size_t c = 0; c < used; ++c) out += cell_[i][c];
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }

 private:
  std::size_t width_;
  double low_, high_;
  std::vector<std::vector<std::string>> cell_;
};

}  // namespace

std::vector<std::string> curve_lines(const LearningCurve& curve, std::size_t width, std::size_t height) {
  std::vector<double> all(curve.train);
  all.insert(all.end(), curve.held.begin(), curve.held.end());
  std::erase_if(all, [](double v) { return !std::isfinite(v); });
  if (all.empty()) return {};
  const auto [low, high] = std::ranges::minmax(all);
  const std::size_t rounds = std::max(curve.train.size(), curve.held.size()), used = std::min(rounds, width);
  Canvas canvas(width, height, low, high);
  if (curve.best > 0 && curve.best < rounds) canvas.column(canvas.place_of(curve.best - 1, rounds));
  canvas.draw(curve.train, "·");
  canvas.draw(curve.held, "o");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < height; ++i) {
    const std::string label = i == 0 ? fmt::format("{:.4g}", high) : i + 1 == height ? fmt::format("{:.4g}", low) : "";
    out.push_back(right(label, 10) + (label.empty() ? " │" : " ┤") + canvas.line(i, used));
  }
  std::string axis;
  for (std::size_t c = 0; c < used; ++c) axis += "─";
  out.push_back(std::string(11, ' ') + "└" + axis);
  const std::string last = fmt::format("{}", rounds);
  out.push_back(std::string(12, ' ') + (rounds == 1 ? "1" : "1" + right(last, std::max(used, last.size() + 2) - 1)));
  return out;
}

}  // namespace wald::cli
