#include "privacy/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_set>

#include "core/check.h"
#include "core/statistics.h"
#include "privacy/accountant.h"
#include "privacy/sampler.h"

namespace wald {
namespace {

// P[Binomial(n, p) = k].
double exactly(double k, double n, double p) {
  const double choose = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return std::exp(choose + k * std::log(p) + (n - k) * std::log1p(-p));
}

// P[Binomial(n, p) >= k], added up away from the mean, where terms only fall.
double at_least(std::uint64_t k, std::uint64_t n, double p) {
  if (k == 0 || p >= 1) return 1;
  if (p <= 0 || k > n) return 0;
  const auto all = static_cast<double>(n);
  auto i = static_cast<double>(k);
  const bool upwards = i > all * p;
  if (!upwards) --i;
  double sum = 0, term = exactly(i, all, p);
  while (i >= 0 && i <= all && term > 1e-16 * sum) {
    sum += term;
    term *= upwards ? (all - i) / (i + 1) * p / (1 - p) : i / (all - i + 1) * (1 - p) / p;
    i += upwards ? 1 : -1;
  }
  return std::clamp(upwards ? sum : 1 - sum, 0.0, 1.0);
}

double bisect(double low, double high, const std::function<bool(double)>& is_low) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (is_low(middle) ? low : high) = middle;
  }
  return low;
}

// How often a threshold was wrong in so many runs of each world.
struct Errors {
  std::uint64_t false_positives = 0, false_negatives = 0, runs = 0;
};

using Scores = std::span<const double>;

Errors errors_at(double threshold, Scores without, Scores with) {
  Errors out{.runs = without.size()};
  for (const double score : without) out.false_positives += score > threshold;
  for (const double score : with) out.false_negatives += score <= threshold;
  return out;
}

double quantile_of(double p) { return normal_quantile(std::clamp(p, 1e-12, 1 - 1e-12)); }

// Above a proportion: exactly, with this confidence; or about so, for choices.
using Above = std::function<double(std::uint64_t hits, std::uint64_t draws)>;

Above exact(double confidence) {
  return [=](std::uint64_t hits, std::uint64_t draws) { return proportion_at_most(hits, draws, confidence); };
}

double about(std::uint64_t hits, std::uint64_t draws) {  // Agresti and Coull's, two deviations
  const double n = static_cast<double>(draws) + 4, p = (static_cast<double>(hits) + 2) / n;
  return p + 2 * std::sqrt(p * (1 - p) / n);
}

// The mu of the curve that passes through both error rates; no test of a mu-GDP release lies below the curve of mu.
double mu_of_both(const Errors& e, const Above& above) {
  return -quantile_of(above(e.false_positives, e.runs)) - quantile_of(above(e.false_negatives, e.runs));
}

// By the sum of both rates, which is 2 Phi(-mu / 2) at least for mu-GDP: one proportion in place of two. All errors
// together scatter no more than a binomial number of their mean rate (Hoeffding 1956), so its bound holds.
double mu_of_sum(const Errors& e, const Above& above) {
  return -2 * quantile_of(above(e.false_positives + e.false_negatives, 2 * e.runs));
}

// (epsilon, delta) privacy asks of every test 1 - FN <= e^epsilon FP + delta, and the same with both exchanged.
double plain_epsilon(const Errors& e, const Above& above, double delta) {
  const double fp = above(e.false_positives, e.runs), fn = above(e.false_negatives, e.runs);
  return std::log(std::max({(1 - fn - delta) / fp, (1 - fp - delta) / fn, 1.0}));
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
  const std::size_t first = kinds_without.size() / 4;
  const std::vector<double> weight = weights(kinds_without, kinds_with, first);
  const std::vector<double> without = weighed(kinds_without, weight), with = weighed(kinds_with, weight);
  const Scores seen_without = Scores(without).first(first), seen_with = Scores(with).first(first);
  std::vector<double> all(seen_without.begin(), seen_without.end());
  all.insert(all.end(), seen_with.begin(), seen_with.end());
  std::ranges::sort(all);
  double middle = all[all.size() / 2], tail = middle, best = -1, best_plain = -1;
  bool by_sum = true;
  constexpr std::size_t kPlaces = 100;
  for (std::size_t k = 1; k < kPlaces; ++k) {
    const double at = all[all.size() * k / kPlaces];
    const Errors e = errors_at(at, seen_without, seen_with);
    const double both = mu_of_both(e, about), sum = mu_of_sum(e, about);
    if (std::max(both, sum) > best) best = std::max(both, sum), middle = at, by_sum = sum >= both;
    if (const double plain = plain_epsilon(e, about, delta); plain > best_plain) best_plain = plain, tail = at;
  }
  const Scores judged_without = Scores(without).subspan(first), judged_with = Scores(with).subspan(first);
  const Errors e = errors_at(middle, judged_without, judged_with);
  const Above each = exact((1 + confidence) / 2);  // both bounds hold together
  Lower out{.false_positives = static_cast<double>(e.false_positives) / static_cast<double>(e.runs),
            .false_negatives = static_cast<double>(e.false_negatives) / static_cast<double>(e.runs),
            .runs = e.runs};
  out.mu = std::max(0.0, by_sum ? mu_of_sum(e, exact(confidence)) : mu_of_both(e, each));
  out.epsilon = gaussian_epsilon(out.mu, delta);
  out.plain_epsilon = plain_epsilon(errors_at(tail, judged_without, judged_with), each, delta);
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
