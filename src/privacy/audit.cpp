#include "privacy/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_set>

#include "core/check.h"
#include "core/statistics.h"
#include "privacy/accountant.h"
#include "privacy/sampler.h"

namespace wald {
namespace {

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// P[Binomial(n, p) >= k].
double at_least(std::uint64_t k, std::uint64_t n, double p) {
  if (k == 0 || p >= 1) return 1;
  if (p <= 0) return 0;
  double sum = 0;
  for (std::uint64_t i = k; i <= n; ++i) {
    const auto x = static_cast<double>(i), all = static_cast<double>(n);
    const double term = std::exp(log_choose(all, x) + x * std::log(p) + (all - x) * std::log1p(-p));
    sum += term;
    if (x > all * p && term < sum * 1e-14) break;
  }
  return std::min(sum, 1.0);
}

double bisect(double low, double high, const std::function<bool(double)>& is_low) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (is_low(middle) ? low : high) = middle;
  }
  return low;
}

struct Errors {
  std::uint64_t false_positives = 0, false_negatives = 0;
};

Errors errors_at(double threshold, const std::vector<double>& without, const std::vector<double>& with,
                 std::size_t begin, std::size_t end) {
  Errors out;
  for (std::size_t i = begin; i < end; ++i) {
    out.false_positives += without[i] > threshold;
    out.false_negatives += with[i] <= threshold;
  }
  return out;
}

double quantile_of(double p) { return normal_quantile(std::clamp(p, 1e-12, 1 - 1e-12)); }

// The mu of the curve that passes through these two error rates.
double mu_of(double false_positives, double false_negatives) {
  return -quantile_of(false_positives) - quantile_of(false_negatives);
}

// Fisher's discriminant, each kind by itself: the difference of the means over the variance.
std::vector<double> weights(const Evidence& without, const Evidence& with, std::size_t runs) {
  std::vector<double> out;
  for (std::size_t kind = 0; kind < without[0].size(); ++kind) {
    double sum[2] = {}, squares = 0;
    for (std::size_t i = 0; i < runs; ++i) sum[0] += without[i][kind], sum[1] += with[i][kind];
    const auto n = static_cast<double>(runs);
    for (std::size_t i = 0; i < runs; ++i)
      squares += std::pow(without[i][kind] - sum[0] / n, 2) + std::pow(with[i][kind] - sum[1] / n, 2);
    out.push_back((sum[1] - sum[0]) / n / (squares / (2 * n) + 1e-12));
  }
  return out;
}

std::vector<double> weighed(const Evidence& evidence, const std::vector<double>& weight) {
  std::vector<double> out;
  for (const std::vector<double>& kinds : evidence)
    out.push_back(std::inner_product(kinds.begin(), kinds.end(), weight.begin(), 0.0));
  return out;
}

Check goodness(std::string name, int draws, const std::function<std::int64_t()>& draw,
               const std::function<double(std::int64_t)>& share, std::int64_t reach) {
  std::map<std::int64_t, double> seen;
  for (int i = 0; i < draws; ++i) ++seen[draw()];
  double statistic = 0, cells = 0, expected = 0, found = 0, expected_all = 0, found_all = 0;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    expected += draws * share(k), found += seen[k];
    if (expected < 20) continue;
    statistic += (found - expected) * (found - expected) / expected, ++cells;
    expected_all += expected, found_all += found, expected = found = 0;
  }
  const double rest = draws - expected_all;
  if (rest > 1) statistic += (draws - found_all - rest) * (draws - found_all - rest) / rest, ++cells;
  const double p = chi_square_tail(statistic, std::max(cells - 1, 1.0));
  return {std::move(name), p > 1e-6, fmt::format("chi-square {:.1f} in {} cells, p {:.3g}", statistic, cells, p)};
}

}  // namespace

double proportion_at_least(std::uint64_t hits, std::uint64_t draws, double confidence) {
  return hits == 0 ? 0 : bisect(0, 1, [&](double p) { return at_least(hits, draws, p) < 1 - confidence; });
}

double proportion_at_most(std::uint64_t hits, std::uint64_t draws, double confidence) {
  return hits == draws ? 1 : 1 - proportion_at_least(draws - hits, draws, confidence);
}

Lower lower_bound(const Evidence& kinds_without, const Evidence& kinds_with, double delta, double confidence) {
  WALD_CHECK(kinds_without.size() == kinds_with.size() && kinds_without.size() >= 4);
  const std::size_t half = kinds_without.size() / 2;
  const std::vector<double> weight = weights(kinds_without, kinds_with, half);
  const std::vector<double> without = weighed(kinds_without, weight), with = weighed(kinds_with, weight);
  // Candidates: quantiles of all evidence of the first half.
  std::vector<double> all(without.begin(), without.begin() + static_cast<std::ptrdiff_t>(half));
  all.insert(all.end(), with.begin(), with.begin() + static_cast<std::ptrdiff_t>(half));
  std::ranges::sort(all);
  double threshold = all[all.size() / 2], best = -1;
  for (std::size_t k = 1; k < 20; ++k) {
    const double at = all[all.size() * k / 20];
    const Errors e = errors_at(at, without, with, 0, half);
    const double mu = mu_of(proportion_at_most(e.false_positives, half, confidence),
                            proportion_at_most(e.false_negatives, half, confidence));
    if (mu > best) best = mu, threshold = at;
  }
  const std::uint64_t runs = without.size() - half;
  const Errors e = errors_at(threshold, without, with, half, without.size());
  const double each = (1 + confidence) / 2;  // both bounds hold together
  Lower out{.false_positives = static_cast<double>(e.false_positives) / static_cast<double>(runs),
            .false_negatives = static_cast<double>(e.false_negatives) / static_cast<double>(runs),
            .runs = runs};
  out.mu = std::max(
      0.0, mu_of(proportion_at_most(e.false_positives, runs, each), proportion_at_most(e.false_negatives, runs, each)));
  out.epsilon = gaussian_epsilon(out.mu, delta);
  return out;
}

double one_run_epsilon(std::uint64_t right, std::uint64_t guesses, std::uint64_t canaries, double delta,
                       double confidence) {
  if (guesses == 0) return 0;
  // Refuted if so many right guesses are too unlikely: each is right with probability e^eps / (1 + e^eps) at most, and
  // delta adds 2 m delta max_i alpha_i / i to the tail, which is bounded here by 2 m delta.
  return bisect(0, 20, [&](double epsilon) {
    const double p = 1 / (1 + std::exp(-epsilon));
    return at_least(right, guesses, p) + 2 * static_cast<double>(canaries) * delta < 1 - confidence;
  });
}

std::vector<Check> check_samplers(Entropy& entropy, int draws) {
  std::vector<Check> out;
  const double v = 50, scale = 3.5, q = std::exp(-1 / scale);
  double all = 0;
  for (int k = -300; k <= 300; ++k) all += std::exp(-k * static_cast<double>(k) / (2 * v));
  out.push_back(goodness(
      "discrete Gaussian", draws, [&] { return discrete_gaussian(entropy, 50); },
      [&](std::int64_t k) { return std::exp(-static_cast<double>(k * k) / (2 * v)) / all; }, 60));
  out.push_back(goodness(
      "discrete Laplace", draws, [&] { return discrete_laplace(entropy, 7, 2); },
      [&](std::int64_t k) { return (1 - q) / (1 + q) * std::exp(-static_cast<double>(std::abs(k)) / scale); }, 60));
  const std::vector<std::int64_t> scores{4, 0};
  const double coin = std::exp(-0.5 * 4 / 2.0);  // of the second; the first falls surely
  out.push_back(goodness(
      "permute and flip", draws, [&] { return static_cast<std::int64_t>(permute_and_flip(entropy, scores, 1, 1, 2)); },
      [&](std::int64_t k) { return k == 0   ? 1 - coin / 2
                                   : k == 1 ? coin / 2
                                            : 0; }, 1));
  return out;
}

Check check_freshness(const std::function<std::uint64_t()>& first_draw, int starts) {
  std::unordered_set<std::uint64_t> seen;
  int again = 0;
  for (int i = 0; i < starts; ++i) again += !seen.insert(first_draw()).second;
  return {"fresh entropy", again == 0, fmt::format("{} of {} fresh starts drew what another had drawn", again, starts)};
}

}  // namespace wald
