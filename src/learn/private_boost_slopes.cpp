#include "learn/private_boost_slopes.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/check.h"
#include "core/elementary.h"
#include "core/parallel.h"

namespace wald {
namespace {

constexpr double kFiner = 3.25;      // second derivatives of classes, relative to first ones; 3.33 would be the limit
constexpr double kCountShare = 0.3;  // of the unit that a row of squared loss spends on being counted
constexpr double kResidualScatter = 0.15;  // variance of residuals, relative to the square of where they are cut off
constexpr std::size_t kGrain = 1u << 14, kBlock = 1u << 10;
constexpr int kShareBits = 24;  // probabilities of several classes

std::int64_t whole(double x) { return static_cast<std::int64_t>(std::floor(x)); }

}  // namespace

// --- two classes ----------------------------------------------------------------------------------------------------

LogisticRows::LogisticRows(std::vector<std::uint8_t> labels, std::int64_t unit_, double start)
    : label(std::move(labels)), unit(unit_) {
  score.assign(label.size(), static_cast<std::int32_t>(std::lrint(std::ldexp(start, kScoreBits))));
  table.resize(2 * kEntries);
  for (std::size_t i = 0; i < kEntries; ++i) {
    const double s = std::ldexp(static_cast<double>(i) + 0.5, kDropped - kScoreBits) - kMostScore;  // the middle
    const double p = 1 / (1 + exp_exact(-s));
    for (std::size_t y = 0; y < 2; ++y) {
      std::int64_t g = std::llrint((p - static_cast<double>(y)) * static_cast<double>(unit));
      std::int64_t h = whole(p * (1 - p) * kFiner * static_cast<double>(unit));
      g = std::clamp(g, -unit, unit);
      while (g * g + h * h > unit * unit) --h;  // what rounding added; g alone is within the unit
      table[y * kEntries + i] = {static_cast<std::int32_t>(g), static_cast<std::int32_t>(h)};
    }
  }
}

SlopeScale LogisticRows::scale() const {
  const auto one = static_cast<double>(unit);
  return {.outputs = 1, .g = one, .h = kFiner * one, .score = std::ldexp(1.0, -kScoreBits), .scatter = 1};
}

// --- numbers --------------------------------------------------------------------------------------------------------

SquaredRows::SquaredRows(std::span<const double> y, std::int64_t unit, double start, double clip) {
  unit_h = whole(kCountShare * static_cast<double>(unit));
  unit_g = whole(std::sqrt(1 - kCountShare * kCountShare) * static_cast<double>(unit)) - 1;
  while ((unit_g + 1) * (unit_g + 1) + unit_h * unit_h > unit * unit)
    --unit_g;  // shifts round downwards, by one at most
  const double scale = std::ldexp(1.0, kClipBits) / clip;
  for (const double value : y)
    target.push_back(static_cast<std::int32_t>(std::clamp(std::nearbyint((value - start) * scale), -0x1p29, 0x1p29)));
  score.assign(y.size(), 0);
}

void SquaredRows::widen(int doublings, std::int64_t unit) {
  clip_bits = kClipBits + doublings;
  unit_h = 0, unit_g = unit - 1;  // shifts round downwards, by one at most
}

SlopeScale SquaredRows::scale() const {
  return {.outputs = 1,
          .g = static_cast<double>(unit_g),
          .h = static_cast<double>(unit_h),
          .score = std::ldexp(1.0, -kClipBits),
          .scatter = kResidualScatter};
}

// --- several classes ------------------------------------------------------------------------------------------------

SoftmaxRows::SoftmaxRows(std::vector<std::uint16_t> labels, int classes_, std::int64_t unit_,
                         std::span<const double> start)
    : label(std::move(labels)), classes(classes_), unit(unit_) {
  for (std::size_t row = 0; row < label.size(); ++row)
    for (const double s : start)
      score.push_back(static_cast<std::int32_t>(std::lrint(std::ldexp(s, LogisticRows::kScoreBits))));
  constexpr int kEntries = 20 << (LogisticRows::kScoreBits - LogisticRows::kDropped);
  for (int i = 0; i < kEntries; ++i)
    exponential.push_back(static_cast<std::uint32_t>(std::llrint(
        std::ldexp(exp_exact(-std::ldexp(i + 0.5, LogisticRows::kDropped - LogisticRows::kScoreBits)), kShareBits))));
}

SlopeScale SoftmaxRows::scale() const {
  const double one = static_cast<double>(unit) * std::sqrt(0.5);  // one class wrong is another wrong too
  return {.outputs = classes,
          .g = one,
          .h = kFiner * one,
          .score = std::ldexp(1.0, -LogisticRows::kScoreBits),
          .scatter = 1};
}

void SoftmaxRows::add(std::size_t row, std::int64_t* sums) const {
  thread_local std::vector<std::int64_t> vector;
  const auto k = static_cast<std::size_t>(classes);
  vector.assign(2 * k, 0);
  const std::int32_t* s = score.data() + row * k;
  const std::int32_t best = *std::max_element(s, s + k);
  std::uint64_t all = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const auto place = static_cast<std::size_t>((std::int64_t{best} - s[c]) >> LogisticRows::kDropped);
    all += static_cast<std::uint64_t>(vector[c] = place < exponential.size() ? exponential[place] : 0);
  }
  constexpr std::int64_t one = std::int64_t{1} << kShareBits;
  const auto finer = static_cast<std::int64_t>(kFiner * 64), half = unit * 181 / 256;  // 181 / 256 < sqrt(1/2)
  std::int64_t square = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const std::int64_t p = (vector[c] << kShareBits) / static_cast<std::int64_t>(all);
    const std::int64_t off = p - (label[row] == c ? one : 0), bend = (p * (one - p)) >> kShareBits;
    vector[c] = (off * half) >> kShareBits;
    vector[k + c] = ((bend * half) >> kShareBits) * finer >> 6;
    square += vector[c] * vector[c] + vector[k + c] * vector[k + c];
  }
  // Never longer than the unit: shortened, towards zero, where many classes bend at once.
  if (square > unit * unit) {
    const auto length = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square))) + 2;
    for (std::int64_t& v : vector) v = v * unit / length;
  }
  for (std::size_t c = 0; c < 2 * k; ++c) sums[c] += vector[c];
}

// --- passes ---------------------------------------------------------------------------------------------------------

namespace {

// Leaves of a block of rows: one look-up a column.
class Reach {
 public:
  Reach(const PrivateRows& x, const Grid* grid) {
    if (grid == nullptr) return;
    for (const Axis& axis : grid->axes) {
      tables_.emplace_back();
      for (std::size_t code = 0; code < kMostCodes; ++code)
        tables_.back()[code] = static_cast<std::uint16_t>(axis.part[code] * axis.stride);
      codes_.push_back(x.columns[axis.column].code.data());
    }
  }
  void leaves(std::size_t begin, std::size_t count, std::uint16_t* out) const {
    std::fill(out, out + count, std::uint16_t{0});
    for (std::size_t a = 0; a < codes_.size(); ++a) {
      const std::uint8_t* code = codes_[a] + begin;
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint16_t>(out[i] + tables_[a][code[i]]);
    }
  }

 private:
  std::vector<std::array<std::uint16_t, kMostCodes>> tables_;
  std::vector<const std::uint8_t*> codes_;
};

template <class L>
std::vector<std::int64_t> pass(L& loss, const PrivateRows& x, Rows rows, const Step& before, const Grid* next) {
  const auto width = static_cast<std::size_t>(loss.width()), outputs = static_cast<std::size_t>(loss.outputs());
  const Reach from(x, before.grid), to(x, next);
  std::vector<std::int64_t> out(next == nullptr ? 0 : static_cast<std::size_t>(next->leaves) * width);
  std::mutex merging;
  parallel_for(rows.end - rows.begin, kGrain, [&](std::size_t first, std::size_t last) {
    const std::size_t begin = rows.begin + first, end = rows.begin + last;
    std::vector<std::int64_t> sums(out.size());
    std::array<std::uint16_t, kBlock> leaf;
    for (std::size_t block = begin; block < end; block += kBlock) {
      const std::size_t count = std::min(kBlock, end - block);
      if (before.grid != nullptr) {
        from.leaves(block, count, leaf.data());
        for (std::size_t i = 0; i < count; ++i) loss.move(block + i, before.by.data() + leaf[i] * outputs);
      }
      if (next == nullptr) continue;
      to.leaves(block, count, leaf.data());
      for (std::size_t i = 0; i < count; ++i) loss.add(block + i, sums.data() + leaf[i] * width);
    }
    const std::lock_guard lock(merging);
    for (std::size_t i = 0; i < sums.size(); ++i) out[i] += sums[i];
  });
  return out;
}

}  // namespace

std::vector<std::int64_t> pass_over(SecretRows& secret, const PrivateRows& x, Rows rows, const Step& before,
                                    const Grid* next) {
  WALD_CHECK(next == nullptr || next->leaves <= 1 << 16);
  return std::visit([&](auto& loss) { return pass(loss, x, rows, before, next); }, secret);
}

std::vector<std::int64_t> code_counts(const PrivateRows& x, Rows rows) {
  std::vector<std::int64_t> out;
  for (const PrivateColumn& column : x.columns) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(column.codes));
    for (std::size_t row = rows.begin; row < rows.end; ++row) ++counts[column.code[row]];
    out.insert(out.end(), counts.begin(), counts.end());
  }
  return out;
}

}  // namespace wald
