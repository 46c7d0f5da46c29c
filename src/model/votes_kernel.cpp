#include <algorithm>

#include "model/votes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/votes_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<std::uint8_t, VoteCounts::kRows>;
constexpr Bytes kBytes;
constexpr std::size_t kMostInByte = 255;

// Of eight vectors from `first` on, of as many rows as a register has bytes; at most kMostInByte trees. The counts are
// in registers, and what a tree says is read once for all eight. Adds to `counts`.
HWY_INLINE void count_eight(const std::uint8_t* found, std::size_t stride, std::size_t trees, std::size_t first,
                            std::size_t vectors, std::uint16_t* counts) {
  using V = hn::Vec<Bytes>;
  const auto vector = [first](std::size_t k) { return hn::Set(kBytes, static_cast<std::uint8_t>(first + k)); };
  const V v0 = vector(0), v1 = vector(1), v2 = vector(2), v3 = vector(3);
  const V v4 = vector(4), v5 = vector(5), v6 = vector(6), v7 = vector(7);
  V n0 = hn::Zero(kBytes), n1 = n0, n2 = n0, n3 = n0, n4 = n0, n5 = n0, n6 = n0, n7 = n0;
  const auto count = [](V& n, V says, V v) { n = hn::Sub(n, hn::VecFromMask(kBytes, hn::Eq(says, v))); };
  for (std::size_t t = 0; t < trees; ++t, found += stride) {
    const V says = hn::LoadU(kBytes, found);
    count(n0, says, v0), count(n1, says, v1), count(n2, says, v2), count(n3, says, v3);
    count(n4, says, v4), count(n5, says, v5), count(n6, says, v6), count(n7, says, v7);
  }
  const std::size_t lanes = hn::Lanes(kBytes);
  HWY_ALIGN std::uint8_t bytes[8 * hn::MaxLanes(kBytes)];
  hn::Store(n0, kBytes, bytes), hn::Store(n1, kBytes, bytes + lanes);
  hn::Store(n2, kBytes, bytes + 2 * lanes), hn::Store(n3, kBytes, bytes + 3 * lanes);
  hn::Store(n4, kBytes, bytes + 4 * lanes), hn::Store(n5, kBytes, bytes + 5 * lanes);
  hn::Store(n6, kBytes, bytes + 6 * lanes), hn::Store(n7, kBytes, bytes + 7 * lanes);
  for (std::size_t k = 0; k < std::min<std::size_t>(8, vectors - first); ++k)
    for (std::size_t row = 0; row < lanes; ++row)
      counts[(first + k) * VoteCounts::kRows + row] =
          static_cast<std::uint16_t>(counts[(first + k) * VoteCounts::kRows + row] + bytes[k * lanes + row]);
}

void count_votes_here(const std::uint8_t* found, std::size_t stride, std::size_t trees, std::size_t vectors,
                      std::uint16_t* counts) {
  std::fill_n(counts, vectors * VoteCounts::kRows, std::uint16_t{0});
  for (std::size_t from = 0; from < trees; from += kMostInByte) {
    const std::size_t some = std::min(kMostInByte, trees - from);
    for (std::size_t first = 0; first < vectors; first += 8)
      for (std::size_t row = 0; row < VoteCounts::kRows; row += hn::Lanes(kBytes))
        count_eight(found + from * stride + row, stride, some, first, vectors, counts + row);
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(count_votes_here);

void count_votes(const std::uint8_t* found, std::size_t stride, std::size_t trees, std::size_t vectors,
                 std::uint16_t* counts) {
  HWY_DYNAMIC_DISPATCH(count_votes_here)(found, stride, trees, vectors, counts);
}
}  // namespace wald
#endif
