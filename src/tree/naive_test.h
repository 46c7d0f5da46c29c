// Trees by the definition, for tests: every split of every node tried in the plainest way, on raw sums.
#pragma once
#include <cstdint>
#include <functional>
#include <set>

#include "core/random.h"
#include "tree/grow.h"

namespace wald::testing {

struct Data {
  Table table;
  std::vector<std::int32_t> label;
  std::vector<double> y;
  std::vector<std::int64_t> weight;
};

inline std::vector<Row> all_rows(Row n) {
  std::vector<Row> rows(n);
  for (Row r = 0; r < n; ++r) rows[r] = r;
  return rows;
}

// Columns: `numbers` of few distinct values and `categories` of up to `levels` levels, about one cell in ten missing.
inline Data random_data(std::uint64_t seed, Row rows, int numbers, int categories, int levels, int classes,
                        int distinct = 12) {
  const Random random(seed, Purpose::Sample);
  std::uint64_t at = 0;
  Data out;
  out.table.rows = rows;
  for (int c = 0; c < numbers; ++c) {
    std::vector<double> v(rows);
    for (double& x : v)
      x = random.below(10, ++at) == 0 && c % 2 == 0
              ? kMissing
              : static_cast<double>(random.below(static_cast<std::uint64_t>(distinct), ++at)) / 4;
    out.table.columns.push_back({"n" + std::to_string(c), Numbers(v)});
  }
  for (int c = 0; c < categories; ++c) {
    Categories v;
    for (int l = 0; l < levels; ++l) v.level.push_back(std::string(1, static_cast<char>('a' + l)));
    for (Row r = 0; r < rows; ++r)
      v.code.push_back(random.below(10, ++at) == 0
                           ? -1
                           : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(levels), ++at)));
    out.table.columns.push_back({"c" + std::to_string(c), v});
  }
  for (Row r = 0; r < rows; ++r) {
    const Column& first = out.table.columns[0];
    const double signal = first.type() == ColumnType::Number
                              ? (std::isnan(first.numbers()[r]) ? 1.3 : first.numbers()[r])
                              : first.categories().code[r] * 0.4;
    out.y.push_back(std::round(64 * (signal + 2 * random.unit(++at))) / 64);
    out.label.push_back(static_cast<std::int32_t>(
        std::min<double>(classes - 1, std::floor(random.unit(++at) * classes * 0.7 + signal / 4 * classes * 0.5))));
    out.weight.push_back(static_cast<std::int64_t>(1 + random.below(3, ++at)) << 30);
  }
  return out;
}

// The best gain any admissible binary split of the rows has: every threshold between distinct values with missing
// values on either side, missing against the rest, and every subset of levels.
template <Criterion C>
double best_gain(const Binned& x, std::span<const Row> rows, const C& criterion, double min_leaf) {
  const auto sums = [&](const std::function<bool(Row)>& in) {
    std::vector<std::int64_t> s(static_cast<std::size_t>(criterion.width()));
    for (const Row r : rows)
      if (in(r)) criterion.add(criterion.part(r), s.data());
    return s;
  };
  const double parent = score(criterion, sums([](Row) { return true; }));
  double best = -1;
  const auto consider = [&](const std::function<bool(Row)>& goes_left) {
    const auto left = sums(goes_left), right = sums([&](Row r) { return !goes_left(r); });
    const double wl = criterion.weight(left), wr = criterion.weight(right);
    if (wl > 0 && wr > 0 && wl >= min_leaf && wr >= min_leaf)
      best = std::max(best, score(criterion, left) + score(criterion, right) - parent);
  };
  for (const BinnedColumn& column : x.columns) {
    std::set<int> codes;
    for (const Row r : rows) codes.insert(column.at(r));
    const bool missing = codes.erase(0) > 0;
    const std::vector<int> list(codes.begin(), codes.end());
    for (const bool missing_left : {false, true}) {
      if (missing_left && !missing) break;
      if (column.type == ColumnType::Number) {
        for (const int cut : codes)
          consider([&](Row r) { return column.at(r) == 0 ? missing_left : column.at(r) <= cut; });
      } else {
        for (std::uint32_t mask = 1; mask < 1u << list.size(); ++mask)
          consider([&](Row r) {
            const auto at = std::ranges::find(list, column.at(r)) - list.begin();
            return column.at(r) == 0 ? missing_left : (mask >> at & 1) != 0;
          });
      }
    }
  }
  return best;
}

}  // namespace wald::testing
