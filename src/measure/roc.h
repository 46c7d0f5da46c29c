// The ROC curve, its area, its convex hull, and the point on the hull that costs least (Provost and Fawcett 2001,
// "Robust classification for imprecise environments").
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wald/decide.h"

namespace wald {

// Calling positive every row whose score is at least `threshold` makes `fp` and `tp` weight of false and true
// positives. The first point of a curve calls no row positive; its threshold is infinite.
struct RocPoint {
  double fp = 0, tp = 0, threshold = 0;
  bool operator==(const RocPoint&) const = default;
};

struct Roc {
  double negatives = 0, positives = 0;  // weight
  std::vector<RocPoint> points;         // from (0, 0) to (negatives, positives); equal scores make one point
  double fpr(const RocPoint& p) const { return p.fp / negatives; }
  double tpr(const RocPoint& p) const { return p.tp / positives; }
  bool defined() const { return negatives > 0 && positives > 0; }
};

// code[i] == positive marks the positive rows. weight: empty = every row weighs 1.
Roc roc_curve(std::span<const double> score, std::span<const std::int32_t> code, std::int32_t positive,
              std::span<const double> weight = {});

// The chance that a positive row scores above a negative one, ties counting half; NaN without both kinds of row.
double roc_area(const Roc&);

// The corners of the upper convex hull, in the order of the curve.
std::vector<RocPoint> roc_hull(const Roc&);

struct OperatingPoint {
  RocPoint at;
  double cost = 0;  // expected, a row
};
// The cheapest corner of the hull, the first among equals; iso-cost lines have the slope
// odds * false_positive / false_negative. Absent without both kinds of row.
std::optional<OperatingPoint> operating_point(const Roc&, const Costs&);

}  // namespace wald
