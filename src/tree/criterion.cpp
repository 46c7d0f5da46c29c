#include "tree/criterion.h"

#include <algorithm>

namespace wald {

FixedTarget fix_target(std::span<const double> y, std::span<const std::int64_t> weight) {
  FixedTarget out;
  double largest = 0;
  for (const double v : y) largest = std::max(largest, std::fabs(v));
  std::frexp(largest, &out.shift);
  const auto scaled = [&](std::size_t i) { return times_power(y[i], -out.shift); };
  // The mean from a sum of whole numbers, so that it does not depend on the order of the rows.
  const int coarse = grid_bits(1, y.size());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += to_fixed(scaled(i), coarse);
  out.centre = from_fixed(to_fixed(from_fixed(sum, coarse) / static_cast<double>(y.size()), 20), 20);
  const auto weighted = [&](std::size_t i) {
    const double centred = scaled(i) - out.centre;
    return weight.empty() ? centred : centred * (static_cast<double>(weight[i]) * 0x1p-30);
  };
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) most = std::max(most, std::fabs(weighted(i)));
  // Where nothing spreads, the centre is all there is to say, as exactly as it was found.
  out.bits = most > 0 ? grid_bits(most, y.size()) : 60;
  out.value.resize(y.size());
  // Unweighted targets are centred after they are on the grid, where nothing is lost; a grid so fine that the targets
  // themselves would overflow it means that they hardly spread, and then the difference of doubles is exact enough.
  const bool centre_later = weight.empty() && out.bits <= 60;
  const std::int64_t centre = centre_later ? to_fixed(out.centre, out.bits) : 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    out.value[i] = centre_later ? to_fixed(scaled(i), out.bits) - centre : to_fixed(weighted(i), out.bits);
  return out;
}

}  // namespace wald
