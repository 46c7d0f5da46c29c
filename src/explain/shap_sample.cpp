#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "wald/explain.h"

namespace wald {
namespace {

std::vector<std::size_t> random_order(std::size_t n, std::uint64_t seed, std::uint32_t stream) {
  const Random random(seed, Purpose::Shapley, stream);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
  return order;
}

// Mean and variance as values arrive (Welford 1962).
struct Moments {
  double mean = 0, squares = 0;
  void add(double x, double count) {
    const double before = x - mean;
    mean += before / count;
    squares += before * (x - mean);
  }
};

}  // namespace

SampledShapley sample_shapley(const RowFunction& f, std::span<const double> row, std::span<const double> background,
                              std::size_t permutations, std::uint64_t seed) {
  const std::size_t columns = row.size(), rows = background.size() / columns;
  std::vector<Moments> moments(columns);
  Moments base;
  std::vector<double> mixed((columns + 1) * columns), score(columns + 1);
  SampledShapley out;
  for (std::size_t m = 0; m < permutations; ++m) {
    const auto order = random_order(columns, seed, static_cast<std::uint32_t>(m));
    const auto count = static_cast<double>(m + 1);
    // Line k: the first k columns of the order are the row's, the others the background row's.
    const auto other = background.subspan(m % rows * columns, columns);
    std::ranges::copy(other, mixed.begin());
    for (std::size_t k = 0; k < columns; ++k) {
      double* line = mixed.data() + (k + 1) * columns;
      std::copy(line - columns, line, line);
      line[order[k]] = row[order[k]];
    }
    f(mixed.data(), columns + 1, score.data());
    base.add(score[0], count);
    for (std::size_t k = 0; k < columns; ++k) moments[order[k]].add(score[k + 1] - score[k], count);
    out.score = score[columns];
  }
  out.base = base.mean;
  const auto n = static_cast<double>(permutations);
  for (const Moments& m : moments) {
    out.value.push_back(m.mean);
    out.error.push_back(std::sqrt(m.squares / std::max(1.0, n - 1) / n));
  }
  return out;
}

}  // namespace wald
