#include "tree/divide_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/divide_rows.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint32_t, 16>;

void divide_rows_here(const Row* rows, std::size_t n, const std::uint64_t* bits, Row* left, Row* right) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const std::uint64_t word = bits[i / 64] >> (i % 64);  // lanes divide 64
    const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&word));
    const auto here = hn::LoadU(d, rows + i);
    // Put together in a register: there are processors on which compressing into memory takes fifty times as long.
    const std::size_t count = hn::CountTrue(d, mask);
    hn::BlendedStore(hn::Compress(here, mask), hn::FirstN(d, count), d, left);
    hn::BlendedStore(hn::CompressNot(here, mask), hn::FirstN(d, lanes - count), d, right);
    left += count, right += lanes - count;
  }
  for (; i < n; ++i)
    if ((bits[i / 64] >> (i % 64) & 1) != 0) *left++ = rows[i];
    else *right++ = rows[i];
}

// A register of marks is looked up in one step; gathering them from memory takes a step for each. So where registers
// are too short for that, plain code is faster.
std::size_t divide_places_here(std::uint16_t* places, std::size_t n, const PlaceMarks& marks, std::uint16_t* right,
                               std::uint16_t* spare) {
  const D d;
  const hn::Rebind<std::uint16_t, D> narrow;
  const std::size_t lanes = hn::Lanes(d);
  std::uint16_t *left = places, *other = spare;
  std::size_t i = 0;
  if constexpr (hn::MaxLanes(D()) == PlaceMarks::kBits / 32) {
    const hn::RebindToSigned<D> whole;
    const auto bits = marks.has_bits ? hn::LoadU(d, marks.bits) : hn::Zero(d);
    for (; marks.has_bits && i + lanes <= n; i += lanes) {  // what is written behind the marked ones has been read
      const auto here = hn::PromoteTo(d, hn::LoadU(narrow, places + i));
      const auto word = hn::TableLookupLanes(bits, hn::IndicesFromVec(d, hn::ShiftRight<5>(here)));
      const auto marked = hn::TestBit(hn::Shr(word, hn::And(here, hn::Set(d, 31))), hn::Set(d, 1));
      hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, hn::Compress(here, marked))), narrow, left);
      hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, hn::CompressNot(here, marked))), narrow, other);
      const std::size_t count = hn::CountTrue(d, marked);
      left += count, other += lanes - count;
    }
  }
  for (; i < n; ++i) {  // both are written, one moves on
    const std::uint16_t place = places[i];
    *left = place, *other = place;
    left += marks.byte[place], other += 1 - marks.byte[place];
  }
  const std::size_t marked = static_cast<std::size_t>(left - places), others = n - marked;
  for (i = 0; i + lanes <= others; i += lanes) hn::StoreU(hn::LoadU(narrow, spare + i), narrow, right + i);
  for (; i < others; ++i) right[i] = spare[i];
  return marked;
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(divide_rows_here);
HWY_EXPORT(divide_places_here);

void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, Row* left, Row* right) {
  HWY_DYNAMIC_DISPATCH(divide_rows_here)(rows.data(), rows.size(), bits, left, right);
}
DividePlaces divide_places() { return &HWY_DYNAMIC_DISPATCH(divide_places_here); }

PlaceMarks::PlaceMarks(const std::uint8_t* mark, std::size_t places, std::size_t divided)
    : byte(mark), has_bits(places <= kBits && divided >= kDividedAtOnce) {
  if (!has_bits) return;
  std::ranges::fill(bits, 0u);
  auto* to = reinterpret_cast<std::uint8_t*>(bits);
  for (std::size_t i = 0; i < places; i += 8) to[i / 8] = static_cast<std::uint8_t>(eight_bits(mark + i));
}
}  // namespace wald
#endif
