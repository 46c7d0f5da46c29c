#include "measure/roc.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "measure/sum.h"

namespace wald {
namespace {

// Four at a time, so that none waits for the one before.
double least_of(std::span<const double> score) {
  constexpr std::size_t kAtOnce = 4;
  double least[kAtOnce];
  std::ranges::fill(least, std::numeric_limits<double>::infinity());
  std::size_t i = 0;
  for (; i + kAtOnce <= score.size(); i += kAtOnce)
    for (std::size_t k = 0; k < kAtOnce; ++k) least[k] = score[i + k] < least[k] ? score[i + k] : least[k];
  for (; i < score.size(); ++i) least[0] = std::min(least[0], score[i]);
  return *std::ranges::min_element(least);
}

}  // namespace

Roc roc_curve(std::span<const double> score, std::span<const std::int32_t> code, std::int32_t positive,
              std::span<const double> weight) {
  struct Scored {
    double score;
    std::uint32_t row;
  };
  // Where there are many classes, most rows have the least score of all, and need not be sorted.
  const double least = least_of(score);
  const auto above = static_cast<std::size_t>(std::ranges::count_if(score, [&](double s) { return s > least; }));
  std::vector<Scored> order(above + 1);
  std::size_t listed = 0;
  for (std::uint32_t row = 0; row < score.size(); ++row) {  // all are written, some stay: which nobody foresees
    order[listed] = {score[row], row};
    listed += score[row] > least;
  }
  order.resize(above);
  std::ranges::sort(order, [](const Scored& a, const Scored& b) {
    return a.score > b.score || (a.score == b.score && a.row < b.row);
  });
  Roc roc;
  roc.points.push_back({0, 0, std::numeric_limits<double>::infinity()});
  Sum fp, tp;
  const auto add = [&](std::uint32_t row) { (code[row] == positive ? tp : fp) += weight.empty() ? 1.0 : weight[row]; };
  for (std::size_t i = 0; i < above; ++i) {
    add(order[i].row);
    const bool last_of_equals = i + 1 == above || order[i + 1].score != order[i].score;
    if (last_of_equals) roc.points.push_back({fp, tp, order[i].score});
  }
  if (weight.empty()) {
    const auto positives = static_cast<double>(std::ranges::count(code, positive));
    const double more = positives - tp;
    tp += more, fp += static_cast<double>(score.size() - above) - more;
  } else {
    for (std::uint32_t row = 0; row < score.size(); ++row)
      if (!(score[row] > least)) add(row);
  }
  if (above < score.size()) roc.points.push_back({fp, tp, least});
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
