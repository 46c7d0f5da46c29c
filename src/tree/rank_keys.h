#pragma once
#include <cstddef>
#include <cstdint>

namespace wald {

constexpr std::size_t kRankedAtOnce = 16;  // room is asked for in multiples of this

// Writes n different keys in ascending order to `out`. `key` has room up to the next multiple of kRankedAtOnce, which
// is overwritten. Each key's place is the number of lesser ones: more comparisons than sorting takes, but none of them
// is a branch, and for some dozens of keys that is what counts.
void rank_keys(std::uint32_t* key, std::size_t n, std::uint32_t* out);

}  // namespace wald
