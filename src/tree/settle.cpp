#include "tree/partition.h"

#include <algorithm>
#include <limits>
#include <variant>

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

namespace {

// Marks the codes that occur, and stops looking when all do.
void mark_codes(const BinnedColumn& column, std::span<const Row> rows, std::vector<std::uint8_t>& seen) {
  constexpr std::size_t kAtOnce = 4096;
  std::visit(
      [&](const auto& code) {
        for (std::size_t begin = 0; begin < rows.size(); begin += kAtOnce) {
          for (const Row r : rows.subspan(begin, std::min(kAtOnce, rows.size() - begin))) seen[code[r]] = 1;
          if (std::find(seen.begin() + 1, seen.end(), 0) == seen.end()) return;
        }
      },
      column.code);
}

}  // namespace

std::vector<std::uint64_t> left_levels(const BinnedColumn& column, const Split& split, std::span<const Row> rows) {
  const auto levels = static_cast<std::size_t>(column.codes - 1);
  std::vector<std::uint8_t> right(levels + 1, !split.missing_left);  // by code
  for (const std::uint16_t level : split.left) right[level + 1u] = 1;
  if (split.missing_left) mark_codes(column, rows, right);
  for (const std::uint16_t level : split.left) right[level + 1u] = 0;
  std::vector<std::uint64_t> bits((levels + 63) / 64);
  for (std::size_t level = 0; level < levels; ++level)
    bits[level / 64] |= std::uint64_t{right[level + 1] == 0} << (level % 64);
  return bits;
}

}  // namespace wald
