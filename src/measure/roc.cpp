#include "measure/roc.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "measure/sum.h"

namespace wald {

Roc roc_curve(std::span<const double> score, std::span<const std::int32_t> code, std::int32_t positive,
              std::span<const double> weight) {
  std::vector<std::uint32_t> order(score.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return score[a] > score[b]; });
  Roc roc;
  roc.points.push_back({0, 0, std::numeric_limits<double>::infinity()});
  Sum fp, tp;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    (code[row] == positive ? tp : fp) += weight.empty() ? 1.0 : weight[row];
    const bool last_of_equals = i + 1 == order.size() || score[order[i + 1]] != score[row];
    if (last_of_equals) roc.points.push_back({fp, tp, score[row]});
  }
  roc.negatives = fp;
  roc.positives = tp;
  return roc;
}

double roc_area(const Roc& roc) {
  if (!roc.defined()) return std::numeric_limits<double>::quiet_NaN();
  Sum area;
  for (std::size_t i = 1; i < roc.points.size(); ++i) {
    const RocPoint &a = roc.points[i - 1], &b = roc.points[i];
    area += roc.fpr({b.fp - a.fp}) * ((a.tp + b.tp) / roc.positives / 2);
  }
  return area;
}

std::vector<RocPoint> roc_hull(const Roc& roc) {
  std::vector<RocPoint> hull;
  const auto turns_left_or_not = [](const RocPoint& a, const RocPoint& b, const RocPoint& c) {
    return (b.fp - a.fp) * (c.tp - a.tp) >= (c.fp - a.fp) * (b.tp - a.tp);
  };
  for (const RocPoint& p : roc.points) {
    while (hull.size() >= 2 && turns_left_or_not(hull[hull.size() - 2], hull.back(), p)) hull.pop_back();
    hull.push_back(p);
  }
  return hull;
}

std::optional<OperatingPoint> operating_point(const Roc& roc, const Costs& costs) {
  if (!roc.defined()) return {};
  const double odds = costs.odds.value_or(roc.negatives / roc.positives);
  const double negative = odds / (1 + odds), positive = 1 / (1 + odds);  // shares of the rows to come
  std::optional<OperatingPoint> best;
  for (const RocPoint& p : roc_hull(roc)) {
    const double cost =
        negative * roc.fpr(p) * costs.false_positive + positive * (1 - roc.tpr(p)) * costs.false_negative;
    if (!best || cost < best->cost) best = OperatingPoint{p, cost};
  }
  return best;
}

}  // namespace wald
