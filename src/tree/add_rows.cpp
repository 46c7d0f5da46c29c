// The innermost loop of counting (AddRows): a function for each number of columns, without a loop over them. Cells are
// added one a cycle at best, and around each addition there is room for few other instructions: with a loop over eight
// columns a time, and with what fetches later rows between the additions, a row of 28 columns took a quarter longer.
#include <array>
#include <cstring>
#include <utility>

#include "tree/histogram.h"

namespace wald {
namespace {

// The columns from kFirst on, of which there are at most eight.
template <bool kAside, std::size_t kFirst, class Cell, std::size_t... kColumn>
[[gnu::always_inline]] inline void add_columns(const Addend<Cell>& row, const std::uint8_t* aside, Cell* cells,
                                               std::index_sequence<kColumn...>) {
  std::uint64_t codes, further = 0;
  std::memcpy(&codes, row.code + kFirst, sizeof codes);
  if constexpr (kAside) std::memcpy(&further, aside + kFirst, sizeof further);
  codes += further;
  ((cells[(kFirst + kColumn) * kByRowsCells + (codes >> (8 * kColumn) & 255)] += row.word), ...);
}

template <bool kAside, std::size_t kColumns, class Cell>
void add_rows(std::span<const Addend<Cell>> rows, const std::uint8_t* aside, const std::uint8_t* nothing,
              Cell* __restrict cells) {
  for (const Addend<Cell> row : rows) {
    [&]<std::size_t... kEight>(std::index_sequence<kEight...>) {
      (add_columns<kAside, 8 * kEight>(row, aside, cells, std::make_index_sequence<8>()), ...);
    }(std::make_index_sequence<kColumns / 8>());
    if constexpr (kColumns % 8 > 0)
      add_columns<kAside, kColumns / 8 * 8>(row, aside, cells, std::make_index_sequence<kColumns % 8>());
    if constexpr (kAside) std::swap(aside, nothing);
  }
}

template <bool kAside, class Cell>
constexpr auto kAdders = []<std::size_t... kColumns>(std::index_sequence<kColumns...>) {
  return std::array<AddRows<Cell>, sizeof...(kColumns)>{add_rows<kAside, kColumns, Cell>...};
}(std::make_index_sequence<kStripe + 1>());

}  // namespace

template <class Cell>
AddRows<Cell> row_adder(std::size_t columns, bool puts_aside) {
  return puts_aside ? kAdders<true, Cell>[columns] : kAdders<false, Cell>[columns];
}

template AddRows<std::uint64_t> row_adder(std::size_t, bool);
template AddRows<TwoSums> row_adder(std::size_t, bool);

}  // namespace wald
