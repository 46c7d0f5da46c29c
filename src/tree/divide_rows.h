#pragma once
#include <cstdint>
#include <span>

#include "wald/table.h"

namespace wald {

// Copies the rows whose bit is set to `left` and the others to `right`, each in their order; nothing is written beyond
// them. Bit i % 64 of bits[i / 64] belongs to rows[i].
void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, Row* left, Row* right);

// Of n places in some order those that are marked come first, the others go to `right`, not before where these end, in
// their order; gives how many are marked. mark: 1 or 0 by place, and kDividedAtOnce bytes more that may be read; spare
// has room for n and as many more.
constexpr std::size_t kDividedAtOnce = 16;
using DividePlaces = std::size_t (*)(std::uint16_t* places, std::size_t n, const std::uint8_t* mark,
                                     std::uint16_t* right, std::uint16_t* spare);
DividePlaces divide_places();  // the one for this processor, which need not be asked again for each of many orders

}  // namespace wald
