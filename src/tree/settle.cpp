#include "tree/partition.h"

#include <algorithm>
#include <limits>

#include "tree/threshold.h"

namespace wald {

void settle(const Binned& x, Split& split) {
  if (split.set) return;
  const BinnedColumn& column = x.columns[split.column];
  if (split.next == 0) {
    split.bin = static_cast<std::uint32_t>(column.highest.size());
    split.threshold = std::numeric_limits<double>::infinity();
    return;
  }
  const double middle = threshold_between(column.highest[split.bin - 1], column.lowest[split.next - 1]);
  if (split.next == split.bin + 1) {  // nothing lies between
    split.threshold = middle;
    return;
  }
  const auto begin = column.highest.begin();  // the middle lies between the two bins
  const auto below =
      static_cast<std::size_t>(std::upper_bound(begin + (split.bin - 1), begin + (split.next - 1), middle) - begin);
  const bool inside = below < column.lowest.size() && column.lowest[below] <= middle;
  split.bin = static_cast<std::uint32_t>(below);
  split.threshold = inside ? threshold_between(column.highest[below - 1], column.lowest[below]) : middle;
}

std::vector<std::uint64_t> left_levels(const BinnedColumn& column, const Split& split, std::span<const Row> rows) {
  const auto levels = static_cast<std::size_t>(column.codes - 1);
  std::vector<std::uint64_t> bits((levels + 63) / 64);
  const auto put = [&](std::size_t level, bool in) {
    if (in) bits[level / 64] |= std::uint64_t{1} << (level % 64);
    else bits[level / 64] &= ~(std::uint64_t{1} << (level % 64));
  };
  if (split.missing_left) {
    for (std::size_t level = 0; level < levels; ++level) put(level, true);
    for (const Row r : rows)
      if (const int code = column.at(r); code > 0) put(static_cast<std::size_t>(code) - 1, false);
  }
  for (const std::uint16_t level : split.left) put(level, true);
  return bits;
}

}  // namespace wald
