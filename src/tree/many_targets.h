// Several targets in one tree: the impurity of a node is the weighted mean of the variances of its targets
// (Blockeel, De Raedt and Ramon 1998, "Top-down induction of clustering trees"). With the columns themselves as targets
// the gain of a split is Ward's dissimilarity of its two sides.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/criterion.h"

namespace wald {

struct ManyTargets {
  using Part = Row;                          // its targets are read when it is added
  std::span<const std::int64_t> row_weight;  // empty = all 1
  std::span<const FixedTarget> fixed;        // one a target
  std::span<const double> scale;             // one a target: what a squared unit of its scaled values counts
  double whole = 1;                          // what a gain of 1 is worth

  double unit() const { return row_weight.empty() ? 1.0 : 0x1p-30; }
  int width() const { return 1 + outputs(); }
  int outputs() const { return static_cast<int>(fixed.size()); }
  static Part part(Row r) { return r; }
  void add(Part r, std::int64_t* into) const {
    *into++ += row_weight.empty() ? 1 : row_weight[r];
    for (const FixedTarget& t : fixed) *into++ += t.value[r];
  }
  bool same(Row a, Row b) const {
    return std::ranges::all_of(fixed, [&](const FixedTarget& t) { return t.value[a] == t.value[b]; });
  }
  double weight(Sums s) const { return static_cast<double>(s[0]) * unit(); }
  double sum(Sums s, std::size_t t) const { return static_cast<double>(s[1 + t]) * power_of_two(-fixed[t].bits); }
  double score(Sums s, double all) const {
    double squares = 0;
    for (std::size_t t = 0; t < fixed.size(); ++t) squares += scale[t] * sum(s, t) * sum(s, t);
    return squares / all;
  }
  void leaf(Sums s, std::span<double> out) const {
    for (std::size_t t = 0; t < fixed.size(); ++t)
      out[t] = times_power(fixed[t].centre + (s[0] > 0 ? sum(s, t) / weight(s) : 0), fixed[t].shift);
  }
  static void pure(Row, std::span<double>) {}
  double gain_unit() const { return whole; }
  int orders() const { return std::min(outputs(), 16); }  // of levels: by the mean of each of the first targets
  double order(Sums s, int k) const { return sum(s, static_cast<std::size_t>(k)) / weight(s); }
};

static_assert(Criterion<ManyTargets>);

}  // namespace wald
