// Random numbers of many counters at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/random.h"

namespace wald {

// All four words of philox for n counters from `first` on, of one upper half: the first two of each, the later one in
// the upper half, and the other two.
void many_blocks(std::uint64_t first, std::size_t n, std::uint32_t stream, Purpose, std::uint64_t seed,
                 std::uint64_t* out, std::uint64_t* more);

}  // namespace wald
