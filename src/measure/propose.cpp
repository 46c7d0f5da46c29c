#include "measure/propose.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "core/random.h"
#include "core/text.h"

namespace wald {
namespace {

constexpr std::uint64_t kDraws = 4096;  // of randomness, for each proposal

double on_scale(const SearchRange& range, double u) {
  if (range.logarithmic) return range.low * exp_exact(u * log_exact(range.high / range.low));
  return range.low + u * (range.high - range.low);
}

// Three digits say all that a search can tell.
std::string value_text(const SearchRange& range, double u) {
  if (!range.choices.empty()) {
    const auto n = range.choices.size();
    return range.choices[std::min(n - 1, static_cast<std::size_t>(u * static_cast<double>(n)))];
  }
  const double value = std::clamp(on_scale(range, u), range.low, range.high);
  if (range.whole) return std::to_string(std::llround(value));
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr;
  return {text, end};
}

double place_of(const SearchRange& range, const std::string& text) {
  if (!range.choices.empty()) {
    const auto at = std::ranges::find(range.choices, text) - range.choices.begin();
    return (static_cast<double>(at) + 0.5) / static_cast<double>(range.choices.size());
  }
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return 0.5;
  const double u = range.logarithmic
                       ? log_exact(std::fmax(value, range.low) / range.low) / log_exact(range.high / range.low)
                       : (value - range.low) / (range.high - range.low);
  return std::clamp(u, 0.0, 1.0);
}

// A hill of the shape of a roof over each point, and a flat one for where no point is yet.
struct Density {
  std::vector<double> centre;
  double width;

  explicit Density(std::vector<double> points)
      : centre(std::move(points)), width(std::fmax(0.1, 1 / std::sqrt(static_cast<double>(centre.size() + 1)))) {}
  double at(double u) const {
    double sum = 1;
    for (const double c : centre) sum += std::fmax(0, 1 - std::fabs(u - c) / width) / width;
    return sum / static_cast<double>(centre.size() + 1);
  }
  double draw(const Random& random, std::uint64_t n) const {
    const auto which = static_cast<std::size_t>(random.below(centre.size() + 1, n));
    if (which == centre.size()) return random.unit(n + 1);
    const double u = centre[which] + width * (random.unit(n + 1) + random.unit(n + 2) - 1);
    return u < 0 ? -u : u > 1 ? 2 - u : u;  // reflected at the ends
  }
};

}  // namespace

Settings settings_at(std::span<const SearchRange> ranges, const Point& point) {
  Settings out;
  for (std::size_t d = 0; d < ranges.size(); ++d) out[ranges[d].name] = value_text(ranges[d], point[d]);
  return out;
}

Point point_of(std::span<const SearchRange> ranges, const Settings& settings) {
  Point out;
  for (const SearchRange& range : ranges) {
    const auto found = settings.find(range.name);
    out.push_back(found == settings.end() ? 0.5 : place_of(range, found->second));
  }
  return out;
}

Point drawn_point(std::size_t dimensions, std::uint64_t seed, std::uint64_t n) {
  const Random random(seed, Purpose::Tune);
  Point out;
  for (std::size_t d = 0; d < dimensions; ++d) out.push_back(random.unit(n * kDraws + d));
  return out;
}

Point grid_point(std::size_t dimensions, int values, std::uint64_t seed, std::uint64_t n) {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (all > (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(values)) break;  // more than anybody can try
    all *= static_cast<std::uint64_t>(values);
  }
  if (n >= all) return {};
  // A walk by a step that has no factor in common with their number meets each combination once.
  const Random random(seed, Purpose::Tune);
  std::uint64_t step = random.below(all, 0) | 1;
  while (std::gcd(step, all) != 1) ++step;
  std::uint64_t at = (random.below(all, 1) + n * (step % all)) % all;
  Point out;
  for (std::size_t d = 0; d < dimensions; ++d) {
    out.push_back(values == 1 ? 0.5 : static_cast<double>(at % static_cast<std::uint64_t>(values)) / (values - 1));
    at /= static_cast<std::uint64_t>(values);
  }
  return out;
}

Point likely_point(std::span<const Point> points, std::span<const double> loss, std::uint64_t seed, std::uint64_t n) {
  constexpr std::uint64_t kCandidates = 24;
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return loss[i]; });
  const std::size_t good = std::max<std::size_t>(1, points.size() / 4), dimensions = points[0].size();
  const auto column = [&](std::size_t from, std::size_t to, std::size_t d) {
    std::vector<double> out;
    for (std::size_t i = from; i < to; ++i) out.push_back(points[order[i]][d]);
    return out;
  };
  std::vector<Density> near, far;
  for (std::size_t d = 0; d < dimensions; ++d)
    near.emplace_back(column(0, good, d)), far.emplace_back(column(good, points.size(), d));
  const Random random(seed, Purpose::Tune);
  Point best;
  double most = -1;
  for (std::uint64_t c = 0; c < kCandidates; ++c) {
    Point point;
    double ratio = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      point.push_back(near[d].draw(random, n * kDraws + 3 * (c * dimensions + d)));
      ratio *= near[d].at(point[d]) / far[d].at(point[d]);
    }
    if (ratio > most) most = ratio, best = point;
  }
  return best;
}

}  // namespace wald
