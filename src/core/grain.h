#pragma once

#include <cstddef>

namespace wald {

constexpr std::size_t kRowGrain = 1u << 13;  // rows that a task takes on where a row costs little

}  // namespace wald
