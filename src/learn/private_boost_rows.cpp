#include "learn/private_boost_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

#include "core/parallel.h"

namespace wald {
namespace {

// Uniform ones, and finer and finer ones towards both bounds: sums of money and durations crowd at one end.
std::vector<double> public_cuts(const PublicColumn& known) {
  constexpr int kUniform = 190;
  constexpr int kTowardsEnds = 30;
  const double range = known.high - known.low;
  std::vector<double> out;
  for (int i = 1; i < kUniform; ++i) out.push_back(known.low + range * i / kUniform);
  for (int i = 1; i <= kTowardsEnds; ++i) {
    const double part = range / kUniform * std::ldexp(i % 2 == 0 ? 1.0 : 0.75, -i / 2);
    out.push_back(known.low + part);
    out.push_back(known.high - part);
  }
  out.push_back(known.low);  // the bound itself, often a value of its own: nothing, none, never
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  std::erase_if(out, [&](double cut) { return !(cut >= known.low && cut < known.high); });
  return out;
}

std::vector<std::uint8_t> groups(std::size_t levels) {
  std::vector<std::uint8_t> out(levels);
  const Random random(0, kStructure, 1);
  for (std::size_t k = 0; k < levels; ++k)
    out[k] = static_cast<std::uint8_t>(1 + (levels < kMostCodes ? k : random.below(kMostCodes - 1, k)));
  return out;
}

// How many cuts lie below a value: those below its bucket, and a look at the few in it. Which bucket a value is in is a
// function that never falls, however it is rounded, so the count is exact.
class CutCounter {
 public:
  explicit CutCounter(const std::vector<double>& cuts) : cuts_(cuts), low_(cuts.front()) {
    const double width = kBuckets / (cuts.back() - cuts.front());
    if (std::isfinite(width)) width_ = width;
    cuts_.push_back(HUGE_VAL);  // ends every look
    for (const double cut : cuts)
      if (const std::size_t in = bucket(cut); in + 1 < kBuckets) ++below_[in + 1];
    for (std::size_t b = 1; b < kBuckets; ++b) below_[b] = static_cast<std::uint8_t>(below_[b] + below_[b - 1]);
  }
  std::size_t operator()(double value) const {
    std::size_t below = below_[bucket(value)];
    while (cuts_[below] < value) ++below;
    return below;
  }

 private:
  static constexpr std::size_t kBuckets = 4096;
  std::size_t bucket(double value) const {
    const double at = (value - low_) * width_;
    return at > 0 ? static_cast<std::size_t>(std::min(at, kBuckets - 1.0)) : 0;
  }
  std::vector<double> cuts_;
  double low_, width_ = 0;
  std::array<std::uint8_t, kBuckets> below_{};
};

PrivateColumn coded(const Column& column, const PublicColumn& known, const std::vector<Row>& rows) {
  PrivateColumn out{.type = known.type};
  out.code.resize(rows.size());
  if (known.type == ColumnType::Category) {
    out.group = groups(known.level.size());
    out.codes = 1 + static_cast<int>(std::min<std::size_t>(known.level.size(), kMostCodes - 1));
    const Categories& words = column.categories();
    for (std::size_t i = 0; i < rows.size(); ++i)
      out.code[i] = words.code[rows[i]] < 0 ? 0 : out.group[words.code[rows[i]]];
    return out;
  }
  out.cuts = public_cuts(known);
  out.codes = 2 + static_cast<int>(out.cuts.size());
  const CutCounter below(out.cuts);
  const Numbers& numbers = column.numbers();
  const std::vector<double> turned = numbers.is_decimal() ? numbers.to_doubles() : std::vector<double>();
  const std::span<const double> values = numbers.is_decimal() ? turned : numbers.doubles();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = values[rows[i]];
    out.code[i] = std::isnan(value) ? 0 : static_cast<std::uint8_t>(1 + below(value));
  }
  return out;
}

}  // namespace

std::vector<Row> bounded_rows(const PrivateTask& task, std::uint64_t most) {
  std::vector<Row> out;
  std::unordered_map<std::uint32_t, std::uint64_t> seen;
  for (Row row = 0; row < task.rows.x.rows; ++row)
    if (task.contributor.empty() || seen[task.contributor[row]]++ < most) out.push_back(row);
  return out;
}

PrivateRows private_rows(const Task& task, const Domain& domain, const std::vector<Row>& rows) {
  PrivateRows out{.rows = rows.size()};
  out.columns.resize(domain.columns.size());
  parallel_for(domain.columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) out.columns[c] = coded(task.x.columns[c], domain.columns[c], rows);
  });
  return out;
}

}  // namespace wald
