#include "learn/private_boost_start.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/elementary.h"

namespace wald {
namespace {

// Deviations of the noise, by which a cell shows that it holds rows. In 48 empty cells noise passes three of them in
// six runs of a hundred, and one such cell far out would set the start and the clip wrong; it passes four in two of a
// thousand.
constexpr double kSure = 4;
constexpr double kHidden = 2;            // deviations: so many rows may be anywhere without being seen
constexpr double kWorth = 0.005;         // squared clips that the trees lose if all of mu^2 is taken from them
constexpr double kMostForMean = 0.25;    // of what is left for trees and mean
constexpr int kCrowdCells = 3;           // of the 48: so few hold all rows where the range is far too wide
constexpr double kCrowdSure = 5;         // deviations, by which a cell stands out: a note need not be given early
constexpr double kCrowdHidden = 0.05;    // of the rows, that may be elsewhere ...
constexpr double kCrowdUnsure = 0.1;     // ... besides what noise may hide
constexpr double kClipDeviations = 1.5;  // of the target, where residuals are cut off

double middle(const NoisyCells& cells, std::size_t i) {
  return cells.low + cells.width * (static_cast<double>(i) + 0.5);
}

// Cells that hold rows for sure when `merged` neighbours are taken together, and those next to them that stand out at
// all: what noise makes stands alone and would move the mean far.
std::vector<bool> occupied(const NoisyCells& cells, std::size_t merged) {
  const std::size_t blocks = cells.count.size() / merged;
  std::vector<double> height(blocks);
  for (std::size_t i = 0; i < blocks * merged; ++i)
    height[i / merged] += cells.count[i] / (cells.deviation * std::sqrt(static_cast<double>(merged)));
  std::vector<bool> in(blocks);
  for (std::size_t b = 0; b < blocks; ++b) in[b] = height[b] > kSure;
  for (std::size_t b = 1; b < blocks; ++b) in[b] = in[b] || (in[b - 1] && height[b] > 1);
  for (std::size_t b = blocks - 1; b-- > 0;) in[b] = in[b] || (in[b + 1] && height[b] > 1);
  std::vector<bool> out(cells.count.size());
  for (std::size_t i = 0; i < blocks * merged; ++i) out[i] = in[i / merged];
  return out;
}

// What the residuals of the occupied cells add up to, per row, once they are cut off: with a long tail, not to 0.
double bias(const NoisyCells& cells, const std::vector<bool>& in, double mean, double clip) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < cells.count.size(); ++i) {
    if (!in[i]) continue;
    sum += cells.count[i] * std::clamp(middle(cells, i) - mean, -clip, clip);
    weight += cells.count[i];
  }
  return std::fabs(sum / weight);
}

// The same of rows that noise hides, anywhere between the nearest clip and the bounds, in every order of magnitude
// alike many.
double hidden(const NoisyCells& cells, double nearest, double clip) {
  const double range = cells.width * static_cast<double>(cells.count.size());
  if (clip >= range || nearest >= range) return 0;
  const double beyond = (range - clip - clip * log_exact(range / clip)) / log_exact(range / nearest);
  return kHidden * cells.deviation / cells.rows * beyond;
}

}  // namespace

NumberStart start_of(const NoisyCells& cells) {
  const double range = cells.width * static_cast<double>(cells.count.size());
  for (std::size_t merged = 1; merged <= cells.count.size(); merged *= 2) {
    const std::vector<bool> in = occupied(cells, merged);
    double sum = 0, weight = 0, squares = 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i]) sum += cells.count[i] * middle(cells, i), weight += cells.count[i];
    if (weight <= 0.5 * cells.rows) continue;  // too much is hidden by noise: look less closely
    NumberStart out{.mean = std::clamp(sum / weight, cells.low, cells.low + range), .bias = {}};
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i]) squares += cells.count[i] * std::pow(middle(cells, i) - out.mean, 2);
    const double deviation = std::max(std::sqrt(std::max(squares / weight, 0.0)), cells.width / 3);
    out.clip = std::min(std::max(kClipDeviations * deviation, cells.width), range);
    for (double clip = out.clip; clip < 2 * range; clip *= 2)
      out.bias.push_back((bias(cells, in, out.mean, clip) + hidden(cells, out.clip, clip)) / out.clip);
    return out;
  }
  return {.mean = cells.low + range / 2, .clip = range / 4, .bias = {0}};
}

std::optional<Crowd> crowd_of(const NoisyCells& cells) {
  std::vector<bool> in;
  for (const double count : cells.count) in.push_back(count > kCrowdSure * cells.deviation);
  const auto first = std::ranges::find(in, true), last = std::ranges::find(in.rbegin(), in.rend(), true).base();
  if (first == in.end() || last - first > kCrowdCells) return std::nullopt;
  double inside = 0;
  for (auto cell = first; cell < last; ++cell) inside += cells.count[static_cast<std::size_t>(cell - in.begin())];
  const double unsure = kSure * cells.deviation * std::sqrt(static_cast<double>(last - first));
  if (unsure > kCrowdUnsure * cells.rows || inside < (1 - kCrowdHidden) * cells.rows - unsure) return std::nullopt;
  return Crowd{cells.low + cells.width * static_cast<double>(first - in.begin()),
               cells.low + cells.width * static_cast<double>(last - in.begin())};
}

// Noise grows with the clip as bias falls, and what is spent here the trees lack: with share s the mean is off by
// bias^2 + noise^2 / s and the trees by kWorth s more, which is least at s = noise / sqrt(kWorth).
MeanQuery mean_query(const NumberStart& start, double noise, double left) {
  MeanQuery best;
  double least = HUGE_VAL;
  for (int k = 0; k < static_cast<int>(start.bias.size()); ++k) {
    const double bias = start.bias[static_cast<std::size_t>(k)], wide = std::ldexp(noise, k);
    const double share = std::clamp(wide / std::sqrt(kWorth), kLeastForMean * left, kMostForMean * left);
    const double off = bias * bias + wide * wide / share + kWorth * share;
    if (off < least) least = off, best = {k, share};
  }
  return best;
}

}  // namespace wald
