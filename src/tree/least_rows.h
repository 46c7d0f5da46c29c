// How many rows a leaf must have, for criteria whose sums do not count them. Weighted rows count by their weight.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "wald/task.h"

namespace wald {

struct LeastRows {
  double rows = 0;                       // up to 1 there is nothing to check: no side is empty
  std::span<const std::int64_t> weight;  // in units of 2^-30; empty = all 1

  bool any() const { return rows > 1 || (rows > 0 && !weight.empty()); }
  std::int64_t of(Row r) const { return weight.empty() ? 1 : weight[r]; }
  std::int64_t of(std::span<const Row> some) const {
    std::int64_t all = 0;
    for (const Row r : some) all += of(r);
    return all;
  }
  std::int64_t needed() const {
    const double units = std::ceil(rows * (weight.empty() ? 1 : 0x1p30));
    return units < 0x1p62 ? static_cast<std::int64_t>(units) : std::int64_t{1} << 62;
  }
};

}  // namespace wald
