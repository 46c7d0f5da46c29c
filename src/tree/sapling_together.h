// Counts a node's rows in several columns in one pass. An entry is read once for all of them; and an addition to a cell
// waits for the last one to it, which where most rows have one code is the row before: in the meantime other columns,
// and another row that has cells of its own, are counted.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "tree/sapling_rows.h"

namespace wald::sapling {

constexpr std::size_t kTogether = 4;  // columns at most

template <class Cell>
struct CountedColumn {
  const CodeColumn* column;  // of narrow codes
  Cell* cells[2];            // of the first half of the rows, and of the second; they may be the same
};

// put(cells, code, entry) adds an entry.
template <std::size_t kColumns, class Entry, class Cell, class Put>
void count_columns(std::span<const Entry> entries, const CountedColumn<Cell>* columns, Put put) {
  struct To {
    const std::uint8_t* code;
    Cell* cells[2];
  };
  std::array<To, kColumns> to;  // where nobody else sees it
  for (std::size_t k = 0; k < kColumns; ++k)
    to[k] = {columns[k].column->narrow, {columns[k].cells[0], columns[k].cells[1]}};
  const Entry* const first = entries.data();
  const std::size_t half = entries.size() / 2;
  const Entry* const second = first + half;
  for (std::size_t i = 0; i < half; ++i) {
    const Entry a = first[i], b = second[i];
    for (std::size_t k = 0; k < kColumns; ++k) put(to[k].cells[0], to[k].code[a.place], a);
    for (std::size_t k = 0; k < kColumns; ++k) put(to[k].cells[1], to[k].code[b.place], b);
  }
  if (entries.size() % 2 == 0) return;
  const Entry last = entries.back();
  for (std::size_t k = 0; k < kColumns; ++k) put(to[k].cells[0], to[k].code[last.place], last);
}

// Of at most kTogether columns.
template <class Entry, class Cell, class Put>
void count_together(std::span<const Entry> entries, std::span<const CountedColumn<Cell>> columns, Put put) {
  switch (columns.size()) {
    case 4:
      return count_columns<4>(entries, columns.data(), put);
    case 3:
      return count_columns<3>(entries, columns.data(), put);
    case 2:
      return count_columns<2>(entries, columns.data(), put);
    case 1:
      return count_columns<1>(entries, columns.data(), put);
    default:
      return;
  }
}

// Which columns were counted together, until each is asked for.
class CountedAhead {
 public:
  bool any() const { return waiting_ > 0; }
  void put(std::size_t place, std::uint32_t column) { column_[place] = column, ++waiting_; }
  // The place of a column; kTogether: it is not among them.
  std::size_t take(std::uint32_t column) {
    if (waiting_ == 0) return kTogether;
    const auto at = static_cast<std::size_t>(std::ranges::find(column_, column) - column_.begin());
    if (at < kTogether) column_[at] = kNoCode, --waiting_;
    return at;
  }
  // Calls clear(place) for those that nobody asked for.
  template <class Clear>
  void forget(Clear clear) {
    for (std::size_t i = 0; i < kTogether; ++i)
      if (std::exchange(column_[i], kNoCode) != kNoCode) clear(i);
    waiting_ = 0;
  }

 private:
  std::array<std::uint32_t, kTogether> column_ = {kNoCode, kNoCode, kNoCode, kNoCode};
  std::size_t waiting_ = 0;
};

// What lies in the second half's cells goes to the first's.
template <class Cell>
void join_halves(const CountedColumn<Cell>& column, std::size_t cells) {
  if (column.cells[0] == column.cells[1]) return;
  for (std::size_t i = 0; i < cells; ++i) column.cells[0][i] += std::exchange(column.cells[1][i], Cell{});
}

}  // namespace wald::sapling
