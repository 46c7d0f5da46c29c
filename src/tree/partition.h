// A split once it is taken: it is settled, so that bins and values decide alike for every row, whoever asks, and
// divides the rows of its node between the children. Stable: rows keep their order on both sides, so that what a child
// reads runs upwards through memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

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

// A cut lies between bins that the node's own rows are in, perhaps far apart, and the middle of the gap may fall among
// the values of a bin between them; the threshold then moves to the nearest gap below that bin.
void settle(const Binned&, Split&);
inline Split settled(const Binned& x, Split split) {
  settle(x, split);
  return split;
}

// By code: whether some row has it.
using CodesSeen = std::vector<std::uint8_t>;
CodesSeen codes_seen(const Binned&, std::uint32_t column, std::span<const Row> rows);
CodesSeen codes_seen(const std::int64_t* sums, int codes, std::size_t width);  // if none is zero that has a row

// Appends the set of levels on the left, a bit each; gives where. Those that no row of the node has follow the missing
// values, so it must be known which were seen if these go left.
std::uint32_t add_left_levels(const Split&, int codes, const CodesSeen&, std::vector<std::uint64_t>& sets);

}  // namespace wald
