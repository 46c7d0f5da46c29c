#include "learn/boost_rows.h"

#include <algorithm>
#include <cmath>

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

// The threshold t for which the chances min(1, size / t) sum to `wanted`: sizes above it are certain.
double threshold_for(std::vector<double> size, double wanted) {
  std::ranges::sort(size, std::greater<>());
  double rest = 0;
  for (std::size_t i = size.size(); i-- > 0;) rest += size[i];  // smallest first
  for (std::size_t certain = 0; certain < size.size(); ++certain) {
    const double t = rest / (wanted - static_cast<double>(certain));
    if (size[certain] <= t) return t;
    rest -= size[certain];
  }
  return 0;
}

}  // namespace

RowSample draw_rows(std::span<const Row> rows, std::span<const double> g, std::span<const double> h,
                    std::size_t outputs, const Boost& how, std::uint64_t seed, int round) {
  RowSample out{.rows = rows};
  if (how.rows >= 1) return out;
  const Random random(seed, Purpose::Rounds, static_cast<std::uint32_t>(round));
  const bool uniform = how.sampling == Sampling::Uniform;
  const std::vector<double> size = uniform ? std::vector<double>{} : sizes_of(rows, g, h, outputs);
  const double t = uniform ? 0 : threshold_for(size, how.rows * static_cast<double>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double chance = uniform ? how.rows : t > 0 ? std::fmin(1, size[i] / t) : 1;
    const bool drawn = random.unit(rows[i]) < chance;
    (drawn ? out.drawn : out.rest).push_back(rows[i]);
    if (drawn && !uniform) out.weight.push_back(1 / chance);
  }
  if (out.drawn.empty()) out.rest.clear();
  else out.rows = out.drawn;
  return out;
}

}  // namespace wald
