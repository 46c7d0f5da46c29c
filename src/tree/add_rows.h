// The innermost loop of counting: what a row adds goes to one cell of each of its columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace wald {

// Packed cells a column has when counted by rows, whatever its codes. Not 256: columns of few codes would all keep
// their cells in the same few sets of the cache.
constexpr std::size_t kByRowsCells = 256 + 8;
inline std::size_t packed_cells(std::size_t bytes) { return bytes * kByRowsCells; }
constexpr std::size_t kLine = 64;       // bytes of the cache
constexpr std::size_t kStripe = kLine;  // bytes of a row counted at a time: more packed cells drive each other out

// A row to be added: where its codes lie, and what goes to the cell of each.
template <class Cell>
struct Addend {
  const std::uint8_t* code;
  Cell word;
};
constexpr std::size_t kAddedTogether = 8;  // rows whose codes wait in the first-level cache; twice as many are slower

// cells[kByRowsCells k + code[k]] += word for each row and column k. Every other row, from the first on, puts
// aside[k] further what it adds, of which no byte overflows; the others put it nothing[k] = 0 further. Reads up to
// seven bytes more of each.
template <class Cell>
using AddRows = void (*)(std::span<const Addend<Cell>>, const std::uint8_t* aside, const std::uint8_t* nothing,
                         Cell* cells);

// For so many columns, at most kStripe; puts_aside: else neither aside nor nothing is read.
template <class Cell>
AddRows<Cell> row_adder(std::size_t columns, bool puts_aside);

}  // namespace wald
