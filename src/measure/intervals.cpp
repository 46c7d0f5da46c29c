#include "measure/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"

namespace wald {
namespace {

// Places in ascending order counted from 1, equal values sharing the mean of theirs.
std::vector<double> mid_ranks(std::span<const double> value) {
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return value[i]; });
  std::vector<double> out(value.size());
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && value[order[end]] == value[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) out[order[i]] = static_cast<double>(first + end + 1) / 2;
  }
  return out;
}

double variance_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / (static_cast<double>(values.size()) - 1);
}

// Between neighbours in a straight line.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// How often each row is drawn.
std::vector<double> drawn_weights(std::size_t rows, std::span<const double> weight,
                                  const std::vector<std::vector<std::uint32_t>>& groups, const Random& random) {
  std::vector<double> out(rows);
  const std::size_t n = groups.empty() ? rows : groups.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t drawn = random.below(n, i);
    if (groups.empty()) out[drawn] += 1;
    else
      for (const std::uint32_t row : groups[drawn]) out[row] += 1;
  }
  for (std::size_t row = 0; row < weight.size(); ++row) out[row] *= weight[row];
  return out;
}

std::vector<std::vector<std::uint32_t>> groups_of(std::span<const std::uint32_t> group) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for (std::uint32_t row = 0; row < group.size(); ++row) found[group[row]].push_back(row);
  std::vector<std::vector<std::uint32_t>> out;
  for (auto& [number, rows] : found) out.push_back(std::move(rows));
  return out;
}

}  // namespace

AreaVariance delong(std::span<const double> score, std::span<const std::int32_t> code, std::int32_t positive) {
  constexpr double kNoArea = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> all, yes, no;
  for (std::size_t i = 0; i < score.size(); ++i) (code[i] == positive ? yes : no).push_back(score[i]);
  if (yes.empty() || no.empty()) return {kNoArea, kNoArea};
  all = yes;
  all.insert(all.end(), no.begin(), no.end());
  const std::vector<double> among_all = mid_ranks(all), among_yes = mid_ranks(yes), among_no = mid_ranks(no);
  const auto m = static_cast<double>(yes.size()), n = static_cast<double>(no.size());
  // Of each row, the share of the rows of the other kind that it is in the right order with.
  std::vector<double> right_of_yes(yes.size()), right_of_no(no.size());
  double area = 0;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    right_of_yes[i] = (among_all[i] - among_yes[i]) / n;
    area += right_of_yes[i] / m;
  }
  for (std::size_t j = 0; j < no.size(); ++j) right_of_no[j] = 1 - (among_all[yes.size() + j] - among_no[j]) / m;
  if (yes.size() < 2 || no.size() < 2) return {area, kNoArea};
  return {area, variance_of(right_of_yes) / m + variance_of(right_of_no) / n};
}

std::vector<MeasureInterval> bootstrap_intervals(
    std::size_t rows, std::span<const double> weight, std::span<const std::uint32_t> group, double level, int resamples,
    const Run& run, const std::function<std::vector<Measure>(std::span<const double>)>& measured) {
  std::vector<std::vector<Measure>> found(static_cast<std::size_t>(resamples));
  const std::vector<std::vector<std::uint32_t>> groups = groups_of(group);
  with_threads(run.threads, [&] {
    parallel_for(found.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end && !run.stopped(); ++b) {
        const Random random(run.seed, Purpose::Resample, static_cast<std::uint32_t>(b));
        found[b] = measured(drawn_weights(rows, weight, groups, random));
      }
    });
  });
  std::vector<MeasureInterval> out;
  if (run.stopped()) return out;
  for (std::size_t m = 0; m < found[0].size(); ++m) {
    std::vector<double> values;
    for (const auto& one : found)
      if (!std::isnan(one[m].value)) values.push_back(one[m].value);
    std::ranges::sort(values);
    const double outside = (1 - level) / 2, none = std::numeric_limits<double>::quiet_NaN();
    out.push_back({found[0][m].name, values.empty() ? none : quantile(values, outside),
                   values.empty() ? none : quantile(values, 1 - outside), "bootstrap"});
  }
  return out;
}

}  // namespace wald
