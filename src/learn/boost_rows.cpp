#include "learn/boost_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"

namespace wald {
namespace {

constexpr std::size_t kSampleGrain = 1u << 12;

// The size of a row's derivatives over all outputs: sqrt(g^2 + h^2 / 10).
std::vector<double> sizes_of(std::span<const Row> rows, std::span<const double> g, std::span<const double> h,
                             std::size_t outputs) {
  std::vector<double> size(rows.size());
  const std::size_t all = g.size() / outputs;
  parallel_for(rows.size(), kSampleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < outputs; ++k) {
        const std::size_t at = k * all + rows[i];
        sum += g[at] * g[at] + 0.1 * h[at] * h[at];
      }
      size[i] = std::sqrt(sum);
    }
  });
  return size;
}

// The sum over what lies in each of the parts of `size` that a thread takes, part by part.
template <class Value>
double sum_over(std::span<const double> size, Value value) {
  std::vector<double> part((size.size() + kSampleGrain - 1) / kSampleGrain);
  parallel_for(size.size(), kSampleGrain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += value(size[i]);
    part[begin / kSampleGrain] = sum;
  });
  return std::accumulate(part.begin(), part.end(), 0.0);
}

// The threshold t for which the chances min(1, size / t) sum to `wanted`: sizes above it are certain. To know some of
// these lowers t, which makes more of them certain, until none is left.
double threshold_for(std::span<const double> size, double wanted) {
  double t = std::numeric_limits<double>::infinity(), certain = 0;
  for (;;) {
    const double rest = sum_over(size, [t](double s) { return s > t ? 0 : s; });
    const double next = rest / (wanted - certain);
    const double above = sum_over(size, [next](double s) { return s > next ? 1.0 : 0.0; });
    if (!(above > certain) || !(above < wanted)) return next;
    t = next, certain = above;
  }
}

// Rows that are drawn, or not, in their order: each part is counted first, so that all know where to write.
class Dealt {
 public:
  explicit Dealt(std::size_t rows) : drawn_(rows), before_((rows + kSampleGrain - 1) / kSampleGrain + 1) {}
  // chance_of(i): of rows[i].
  template <class ChanceOf>
  void draw(std::span<const Row> rows, const Random& random, ChanceOf chance_of) {
    parallel_for(rows.size(), kSampleGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<double> unit(end - begin);
      random.units(rows.subspan(begin, end - begin), unit.data());
      std::size_t count = 0;
      for (std::size_t i = begin; i < end; ++i) count += drawn_[i] = unit[i - begin] < chance_of(i);
      before_[begin / kSampleGrain + 1] = count;
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }
  std::size_t count() const { return before_.back(); }
  // body(i, at, drawn): rows[i] is number `at` of those drawn, or of the others.
  template <class Body>
  void each(Body body) const {
    parallel_for(drawn_.size(), kSampleGrain, [&](std::size_t begin, std::size_t end) {
      std::size_t drawn = before_[begin / kSampleGrain], others = begin - drawn;
      for (std::size_t i = begin; i < end; ++i) body(i, drawn_[i] ? drawn++ : others++, drawn_[i] != 0);
    });
  }

 private:
  std::vector<std::uint8_t> drawn_;
  std::vector<std::size_t> before_;  // those drawn of all parts before this one
};

}  // namespace

RowSample draw_rows(std::span<const Row> rows, std::span<const double> g, std::span<const double> h,
                    std::size_t outputs, const Boost& how, std::uint64_t seed, int round) {
  RowSample out{.rows = rows};
  if (how.rows >= 1) return out;
  const Random random(seed, Purpose::Rounds, static_cast<std::uint32_t>(round));
  const bool uniform = how.sampling == Sampling::Uniform;
  const std::vector<double> size = uniform ? std::vector<double>{} : sizes_of(rows, g, h, outputs);
  const double t = uniform ? 0 : threshold_for(size, how.rows * static_cast<double>(rows.size()));
  const auto chance_of = [&](std::size_t i) { return uniform ? how.rows : t > 0 ? std::fmin(1, size[i] / t) : 1; };
  Dealt dealt(rows.size());
  dealt.draw(rows, random, chance_of);
  if (dealt.count() == 0) return out;
  out.drawn.resize(dealt.count()), out.rest.resize(rows.size() - dealt.count());
  if (!uniform) out.weight.resize(dealt.count());
  dealt.each([&](std::size_t i, std::size_t at, bool drawn) {
    (drawn ? out.drawn : out.rest)[at] = rows[i];
    if (drawn && !uniform) out.weight[at] = 1 / chance_of(i);
  });
  out.rows = out.drawn;
  return out;
}

}  // namespace wald
