// How well risks order the times of events.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/measures.h"
#include "measure/sum.h"

namespace wald {
namespace {

// Weights by the place of their risk, whose sums below a place are known at once (Fenwick 1994).
class Tally {
 public:
  explicit Tally(std::size_t places) : sum_(places + 1) {}
  void add(std::size_t place, double weight) {
    for (std::size_t i = place + 1; i < sum_.size(); i += i & (~i + 1)) sum_[i] += weight;
  }
  double below(std::size_t place) const {
    double out = 0;
    for (std::size_t i = place; i > 0; i &= i - 1) out += sum_[i];
    return out;
  }
  double all() const { return below(sum_.size() - 1); }

 private:
  std::vector<double> sum_;
};

std::vector<std::size_t> risk_places(std::span<const double> risk) {
  std::vector<double> distinct(risk.begin(), risk.end());
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::vector<std::size_t> out;
  for (const double r : risk)
    out.push_back(static_cast<std::size_t>(std::ranges::lower_bound(distinct, r) - distinct.begin()));
  return out;
}

// Those outlived by whoever comes after them: the latest first, and of one time those without an event, who live on.
std::vector<std::size_t> from_the_last(std::span<const double> time, std::span<const double> weight) {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < time.size(); ++row)
    if (weight.empty() || weight[row] > 0) out.push_back(row);
  std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) {
    if (std::fabs(time[a]) != std::fabs(time[b])) return std::fabs(time[a]) > std::fabs(time[b]);
    return time[a] < 0 && time[b] >= 0;
  });
  return out;
}

}  // namespace

std::vector<Measure> measures_of_survival(std::span<const double> risk, std::span<const double> time,
                                          std::span<const double> weight) {
  const std::vector<std::size_t> place = risk_places(risk), order = from_the_last(time, weight);
  const auto of = [&](std::size_t row) { return weight.empty() ? 1.0 : weight[row]; };
  Tally outlive(risk.size());
  Sum right, pairs;
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    const double now = time[order[first]];
    for (; end < order.size() && time[order[end]] == now; ++end) {
      const std::size_t row = order[end];
      if (!(now >= 0)) continue;
      const double below = outlive.below(place[row]), up_to = outlive.below(place[row] + 1);
      right += of(row) * (below + (up_to - below) / 2);
      pairs += of(row) * outlive.all();
    }
    for (std::size_t i = first; i < end; ++i) outlive.add(place[order[i]], of(order[i]));
  }
  return {{"concordance", pairs > 0 ? right / pairs : std::numeric_limits<double>::quiet_NaN()}};
}

}  // namespace wald
