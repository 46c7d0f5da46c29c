#pragma once
#include <cstdint>
#include <span>

#include "prepare/bin.h"

namespace wald {

// The bytes of some rows column by column: byte k of rows[i] at to[k * spacing + i]. The rows of a small node are
// spread over the table, and reading each column where it lies would fetch a cache line for every cell.
void turn(const RowBytes&, std::span<const Row> rows, std::uint8_t* to, std::size_t spacing);

}  // namespace wald
