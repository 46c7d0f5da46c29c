// The rows of a table in an order that follows from what they hold, not from where they stood.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "wald/task.h"

namespace wald::python {

// Learners draw rows by their place. Estimators promise that a row of weight 0 is as if it were not there, wherever it
// stood, so their tables are put into an order of their own; beyond this many rows no single place matters.
inline constexpr Row kArrangedRows = 100'000;

inline std::uint64_t mixed(std::uint64_t x) {  // the finalizer of SplitMix64 (Steele, Lea and Flood 2014)
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

inline std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = word.size();
  for (const char c : word) hash = mixed(hash ^ static_cast<unsigned char>(c)) + 1;
  return hash;
}

inline void add_hashes(const Column& column, std::vector<std::uint64_t>& hash) {
  const auto add = [&](std::size_t row, std::uint64_t cell) {
    hash[row] = mixed(hash[row] + 0x9E3779B97F4A7C15u) ^ cell;
  };
  if (column.type() == ColumnType::Category) {
    const Categories& words = column.categories();
    std::vector<std::uint64_t> level{0};
    for (const std::string& word : words.level) level.push_back(hash_of(word));
    for (std::size_t row = 0; row < hash.size(); ++row) add(row, level[words.code[row] + 1]);
    return;
  }
  std::array<double, 512> some;
  for (std::size_t begin = 0; begin < hash.size(); begin += some.size()) {
    const std::size_t end = std::min(hash.size(), begin + some.size());
    column.numbers().copy(begin, end, some.data());
    for (std::size_t row = begin; row < end; ++row) {
      const double x = some[row - begin];
      add(row, std::isnan(x) ? 1 : mixed(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x)));
    }
  }
}

// The rows in that order, without those of weight 0; where they are to stay as they are, nothing. weight: the name of
// its column, or empty.
inline std::vector<Row> arrangement(const Table& table, const std::string& weight) {
  const Column* weights = weight.empty() ? nullptr : table.find(weight);
  const auto weight_of = [&](Row row) { return weights == nullptr ? 1.0 : weights->numbers()[row]; };
  std::vector<Row> rows;
  for (Row row = 0; row < table.rows; ++row)
    if (weight_of(row) != 0) rows.push_back(row);
  if (rows.empty() || (rows.size() == table.rows && rows.size() > kArrangedRows)) return {};
  if (rows.size() <= kArrangedRows) {
    std::vector<std::uint64_t> hash(table.rows);
    for (const Column& column : table.columns)
      if (&column != weights) add_hashes(column, hash);
    std::ranges::sort(rows, {}, [&](Row row) { return std::tuple(hash[row], weight_of(row), row); });
  }
  return rows;
}

// What is lent stays where it lies; the rest is taken away.
inline Table arranged(Table& table, const std::string& weight) {
  const auto rows = std::make_shared<const std::vector<Row>>(arrangement(table, weight));
  if (rows->empty()) return std::move(table);
  Table out{.rows = static_cast<Row>(rows->size()), .source = table.source, .notes = table.notes};
  for (Column& column : table.columns) {
    const Lent* lent = column.type() == ColumnType::Number ? column.numbers().lent() : nullptr;
    if (lent == nullptr) {
      const Table alone{.columns = {std::move(column)}, .rows = table.rows};
      out.columns.push_back(std::move(take_rows(alone, *rows).columns[0]));
      continue;
    }
    Lent some = *lent;
    some.rows = rows, some.size = rows->size();
    out.columns.push_back({std::move(column.name), std::move(some)});
  }
  return out;
}

}  // namespace wald::python
