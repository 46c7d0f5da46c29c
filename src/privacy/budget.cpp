#include "privacy/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "privacy/accountant.h"
#include "privacy/sampler.h"

namespace wald {
namespace {

constexpr double kSlackShare = 0.01;  // of delta, for the noise's being discrete
constexpr double kRounding = 1e-9;    // shares are sums of doubles
constexpr int kMostUnitBits = 28;     // so that 2^32 rows still sum within 64 bits
constexpr double kMostVariance = 0x1p57;

double variance_for(double reach, double share, double mu) { return reach * reach / (share * mu * mu); }

}  // namespace

Result<GaussianBudget> GaussianBudget::of(double epsilon, double delta, double other) {
  if (!(epsilon >= 0.001 && epsilon <= 16))
    return usage(fmt::format("epsilon {} is outside 0.001 to 16", epsilon), "0.1 protects much, 10 hardly anything");
  if (!(delta >= 1e-12 && delta <= 0.1))
    return usage(fmt::format("delta {} is outside 1e-12 to 0.1", delta), "take less than one in the number of rows");
  const double slack = kSlackShare * delta / (1 + std::exp(epsilon));
  const double aside = kSlackShare + other;
  return GaussianBudget(aside * delta, gaussian_mu(epsilon, (1 - aside) * delta), slack);
}

int GaussianBudget::unit_bits(double least_share, std::uint64_t units) const {
  int bits = kMostUnitBits;
  while (bits > 0 && variance_for(std::ldexp(static_cast<double>(units), bits), least_share, mu_) > kMostVariance)
    --bits;
  return bits;
}

double GaussianBudget::discrete_share(double numbers, std::uint64_t units, double least_share,
                                      double most_share) const {
  const auto one = static_cast<double>(units);
  if (variance_for(one, least_share, mu_) > kMostVariance) return HUGE_VAL;
  // Units are as fine as they may be, so that either twice as fine ones would have too large a variance, or they are
  // the finest there are.
  const double least = std::min(kMostVariance / 4, variance_for(std::ldexp(one, kMostUnitBits), most_share, mu_));
  return least >= 64 ? discretisation(numbers, least) / slack_ : HUGE_VAL;
}

Noisy GaussianBudget::release(Entropy& entropy, std::vector<std::int64_t> exact, std::uint64_t reach, double share) {
  WALD_CHECK(share > 0 && share <= left_ + kRounding);
  const double wanted = std::ceil(variance_for(static_cast<double>(reach), share, mu_) * (1 + kRounding));
  WALD_CHECK(wanted >= 64 && wanted <= 2 * kMostVariance);
  const auto variance = static_cast<std::uint64_t>(wanted);
  left_ -= share;
  slack_ -= discretisation(static_cast<double>(exact.size()), wanted);
  WALD_CHECK(slack_ >= 0);
  for (std::int64_t& value : exact) value += discrete_gaussian(entropy, variance);
  return {std::move(exact), std::sqrt(wanted)};
}

PureBudget::PureBudget(double epsilon) : left_(static_cast<std::uint64_t>(std::floor(std::ldexp(epsilon, kBits)))) {
  WALD_CHECK(epsilon > 0 && epsilon <= 1024);
}

void PureBudget::spend(std::uint64_t cost) {
  WALD_CHECK(cost > 0 && cost <= left_);
  left_ -= cost;
}

std::vector<PureBudget> PureBudget::disjoint(std::size_t parts, std::uint64_t cost) {
  spend(cost);
  std::vector<PureBudget> out;
  for (std::size_t i = 0; i < parts; ++i) out.push_back(PureBudget()), out.back().left_ = cost;
  return out;
}

// Scale reach / epsilon = reach 2^30 / cost.
std::int64_t PureBudget::release(Entropy& entropy, std::int64_t exact, std::uint64_t reach, std::uint64_t cost) {
  spend(cost);
  const std::uint64_t over = reach << kBits, common = std::gcd(over, cost);
  WALD_CHECK(reach >> 17 == 0);
  return exact + discrete_laplace(entropy, over / common, cost / common);
}

std::size_t PureBudget::choose(Entropy& entropy, std::span<const std::int64_t> scores, std::uint64_t reach,
                               std::uint64_t cost) {
  spend(cost);
  const std::uint64_t common = std::gcd(cost, std::uint64_t{1} << kBits);
  return permute_and_flip(entropy, scores, reach, cost / common, (std::uint64_t{1} << kBits) / common);
}

}  // namespace wald
