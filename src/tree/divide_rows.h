#pragma once
#include <cstdint>
#include <span>

#include "wald/table.h"

namespace wald {

// Copies the rows whose bit is set to `left` and the others to `right`, each in their order; nothing is written beyond
// them. Bit i % 64 of bits[i / 64] belongs to rows[i].
void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, Row* left, Row* right);

}  // namespace wald
