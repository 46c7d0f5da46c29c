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

CodesSeen codes_seen(const Binned& x, std::uint32_t column, std::span<const Row> rows) {
  constexpr std::size_t kAtOnce = 4096;
  CodesSeen seen(static_cast<std::size_t>(x.columns[column].codes));
  with_codes(x, column, [&](auto code) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kAtOnce) {
      for (const Row r : rows.subspan(begin, std::min(kAtOnce, rows.size() - begin))) seen[code[r]] = 1;
      if (std::find(seen.begin() + 1, seen.end(), 0) == seen.end()) return;  // all do
    }
  });
  return seen;
}

CodesSeen codes_seen(const std::int64_t* sums, int codes, std::size_t width) {
  CodesSeen seen(static_cast<std::size_t>(codes));
  for (std::size_t code = 0; code < seen.size(); ++code)
    seen[code] = std::any_of(sums + code * width, sums + (code + 1) * width, [](std::int64_t s) { return s != 0; });
  return seen;
}

std::uint32_t add_left_levels(const Split& split, int codes, const CodesSeen& seen, std::vector<std::uint64_t>& sets) {
  const std::size_t levels = static_cast<std::size_t>(codes) - 1, at = sets.size();
  sets.resize(at + (levels + 63) / 64);
  std::uint64_t* bits = sets.data() + at;
  if (split.missing_left)
    for (std::size_t level = 0; level < levels; ++level)
      bits[level / 64] |= std::uint64_t{seen[level + 1] == 0} << (level % 64);
  for (const std::uint16_t level : split.left) bits[level / 64u] |= std::uint64_t{1} << (level % 64u);
  return static_cast<std::uint32_t>(at);
}

}  // namespace wald
