// Divides the rows of a node between its children. Stable: rows keep their order on both sides, so that what a child
// reads runs upwards through memory.
#pragma once
#include <cstdint>
#include <span>

#include "prepare/bin.h"
#include "tree/choose.h"

namespace wald {

enum class Team { All, One };  // who works on a node: all threads, or only the caller

// Gives how many rows went left. `spare` is as long as `rows`. A team of one must not wait for others: whoever waits
// may be given another's work, which needs the same scratch.
std::size_t partition(const Binned&, const Split&, std::span<Row> rows, std::span<Row> spare, Team);

// Where each row goes: 0 left, 1 right, -1 if it misses the column.
void find_ways(const Binned&, const Split&, std::span<const Row> rows, std::span<std::int8_t> way);

// The weight of the rows that go left; empty = each weighs 1.
std::int64_t weight_left(const Binned&, const Split&, std::span<const Row> rows, std::span<const std::int64_t> weight);

}  // namespace wald
