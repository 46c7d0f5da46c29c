#include "core/fixed.h"

#include <algorithm>
#include <bit>

namespace wald {

int grid_bits(double largest, std::uint64_t count) {
  if (!(largest > 0)) return 0;
  int exponent = 0;  // largest < 2^exponent
  std::frexp(largest, &exponent);
  const int sum_bits = exponent + static_cast<int>(std::bit_width(count));  // count < 2^bit_width(count)
  return std::clamp(62 - sum_bits, -1000, 1000);
}

}  // namespace wald
