#include "prepare/bundle.h"

#include <algorithm>

#include "core/parallel.h"

namespace wald {
namespace {

constexpr int kCells = 256, kFewCodes = kCells / 2;
constexpr Row kFewestRows = 1u << 13;  // smaller tables are counted as they are

struct Narrow {
  std::uint32_t column;
  int least;  // code: 0 only where some cell is missing
  int range;  // of codes from there on
};

Narrow narrow(const Binned& x, std::uint32_t column) {
  const auto& code = std::get<std::vector<std::uint8_t>>(x.columns[column].code);
  const int least = std::ranges::find(code, std::uint8_t{0}) == code.end() ? 1 : 0;
  return {column, least, x.columns[column].codes - least};
}

// The narrowest first, as many in one byte as fit.
std::vector<std::vector<Narrow>> grouped(std::vector<Narrow> columns) {
  std::ranges::stable_sort(columns, {}, &Narrow::range);
  std::vector<std::vector<Narrow>> out;
  int cells = kCells + 1;
  for (const Narrow& c : columns) {
    if (c.range > kFewCodes || cells * c.range > kCells) out.emplace_back(), cells = 1;
    out.back().push_back(c), cells *= c.range;
  }
  return out;
}

// What each value of the byte says of its columns, the first changing fastest.
std::vector<Bundles::Member> members_of(const std::vector<Narrow>& group) {
  std::vector<Bundles::Member> out;
  int step = 1;
  for (const Narrow& c : group) {
    Bundles::Member& member = out.emplace_back(Bundles::Member{.column = c.column});
    for (int cell = 0; cell < kCells; ++cell)
      member.code[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(c.least + cell / step % c.range);
    step *= c.range;
  }
  return out;
}

}  // namespace

Bundles bundles_of(const Binned& x) {
  if (x.rows < kFewestRows || x.by_rows.column.empty()) return {};
  std::vector<Narrow> columns(x.by_rows.column.size());
  parallel_for(columns.size(), 1, [&](std::size_t k, std::size_t) { columns[k] = narrow(x, x.by_rows.column[k]); });
  const std::vector<std::vector<Narrow>> groups = grouped(std::move(columns));
  if (groups.size() * 4 > x.by_rows.column.size() * 3) return {};
  Bundles out;
  for (const auto& group : groups) out.of_byte.push_back(members_of(group));
  out.reserve(x.rows, groups.size());
  parallel_for(x.rows, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < groups.size(); ++k) {
      int step = 1;
      for (const Narrow& c : groups[k]) {
        const auto& code = std::get<std::vector<std::uint8_t>>(x.columns[c.column].code);
        for (std::size_t r = begin; r < end; ++r)
          out.code[r * out.stride + k] += static_cast<std::uint8_t>(step * (code[r] - c.least));
        step *= c.range;
      }
    }
  });
  return out;
}

}  // namespace wald
