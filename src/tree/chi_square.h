// Pearson's chi-square statistic of side against class as the worth of a split (as in Kass 1980, CHAID), with its
// p-value as a stop rule.
#pragma once
#include <algorithm>

#include "core/statistics.h"
#include "tree/criterion.h"

namespace wald {

// Of a table of two sides the statistic is n (sum_k l_k^2 / (L n_k) + sum_k r_k^2 / (R n_k) - 1) for node counts n_k,
// so each side has a score once the node is known.
struct ChiSquare : ClassCounts {
  double max_p = 1;
  Sums node = {};

  ChiSquare within(Sums total) const {
    ChiSquare out = *this;
    out.node = total;
    return out;
  }
  double score(Sums s, double all) const {
    if (node.empty()) return 0;
    double sum = 0;
    for (std::size_t k = 0; k < s.size(); ++k)
      if (s[k] > 0) sum += static_cast<double>(s[k]) * (static_cast<double>(s[k]) / static_cast<double>(node[k]));
    return sum * unit() * weight(node) / all;
  }
  bool refuses(Sums total, double statistic) const {
    const auto present = std::ranges::count_if(total, [](std::int64_t n) { return n > 0; });
    return max_p < 1 && chi_square_tail(statistic, static_cast<double>(present - 1)) > max_p;
  }
};

static_assert(Criterion<ChiSquare>);

}  // namespace wald
