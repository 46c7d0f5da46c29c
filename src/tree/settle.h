// A split once it is taken: made to hold for rows that the node has not seen, so that bins and values decide alike for
// every row, whoever asks.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/choose.h"

namespace wald {

// A cut lies between bins that the node's own rows are in, perhaps far apart, and the middle of the gap may fall among
// the values of a bin between them; the threshold then moves to the nearest gap below that bin.
Split settled(const Binned&, Split);

// The set of levels on the left, a bit each. Those that no row of the node has follow the missing values.
std::vector<std::uint64_t> left_levels(const BinnedColumn&, const Split&, std::span<const Row> rows);

}  // namespace wald
