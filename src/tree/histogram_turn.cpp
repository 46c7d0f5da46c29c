#include "tree/histogram.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/histogram_turn.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

constexpr std::size_t kSide = 16;  // of a square of bytes, turned in registers

void turn_plainly(const RowBytes& x, std::span<const Row> rows, std::size_t first, std::size_t last, std::uint8_t* to,
                  std::size_t spacing) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint8_t* from = x.of(rows[i]);
    for (std::size_t k = first; k < last; ++k) to[k * spacing + i] = from[k];
  }
}

#if HWY_TARGET == HWY_SCALAR
void turn_square(const RowBytes& x, const Row* rows, std::size_t k, std::uint8_t* to, std::size_t spacing) {
  turn_plainly(x, {rows, kSide}, k, k + kSide, to, spacing);
}
#else
namespace turn_hn = hwy::HWY_NAMESPACE;

using Bytes = turn_hn::Full128<std::uint8_t>;

// Each round deals the bytes out as cards are shuffled, what stands half a square apart side by side: after four of
// them rows and columns have changed places.
HWY_INLINE void turn_square(const RowBytes& x, const Row* rows, std::size_t k, std::uint8_t* to, std::size_t spacing) {
  const Bytes d;
  turn_hn::Vec<Bytes> v[kSide], next[kSide];
  for (std::size_t i = 0; i < kSide; ++i) v[i] = turn_hn::LoadU(d, x.of(rows[i]) + k);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t j = 0; j < kSide / 2; ++j) {
      next[2 * j] = turn_hn::InterleaveLower(d, v[j], v[j + kSide / 2]);
      next[2 * j + 1] = turn_hn::InterleaveUpper(d, v[j], v[j + kSide / 2]);
    }
    for (std::size_t j = 0; j < kSide; ++j) v[j] = next[j];
  }
  for (std::size_t i = 0; i < kSide; ++i) turn_hn::StoreU(v[i], d, to + (k + i) * spacing);
}
#endif

void turn_here(const RowBytes& x, std::span<const Row> rows, std::uint8_t* to, std::size_t spacing) {
  const std::size_t squares = x.width / kSide * kSide;
  std::size_t i = 0;
  for (; i + kSide <= rows.size(); i += kSide) {
    for (std::size_t k = 0; k < squares; k += kSide) turn_square(x, rows.data() + i, k, to + i, spacing);
    turn_plainly(x, rows.subspan(i, kSide), squares, x.width, to + i, spacing);
  }
  turn_plainly(x, rows.subspan(i), 0, x.width, to + i, spacing);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(turn_here);

void turn(const RowBytes& x, std::span<const Row> rows, std::uint8_t* to, std::size_t spacing) {
  HWY_DYNAMIC_DISPATCH(turn_here)(x, rows, to, spacing);
}
}  // namespace wald
#endif
