#include "tree/divide_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/divide_rows.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "core/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint32_t, 16>;

void divide_rows_here(const Row* rows, std::size_t n, const std::uint64_t* bits, std::size_t lefts, Row* left,
                      Row* right) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const Row *const left_end = left + lefts, *const right_end = right + (n - lefts);
  // Put together in a register, then all of it is written where there is room: there are processors on which
  // compressing into memory, and writing a part of a register, takes many times as long.
  const auto put = [&](auto some, std::size_t count, Row* to, const Row* end) {
    if (end - to >= static_cast<std::ptrdiff_t>(lanes)) hn::StoreU(some, d, to);
    else hn::BlendedStore(some, hn::FirstN(d, count), d, to);
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const std::uint64_t word = bits[i / 64] >> (i % 64);  // lanes divide 64
    const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&word));
    const auto here = hn::LoadU(d, rows + i);
    const std::size_t count = hn::CountTrue(d, mask);
    put(marked_first(d, here, mask), count, left, left_end);
    put(marked_first(d, here, hn::Not(mask)), lanes - count, right, right_end);
    left += count, right += lanes - count;
  }
  for (; i < n; ++i)
    if ((bits[i / 64] >> (i % 64) & 1) != 0) *left++ = rows[i];
    else *right++ = rows[i];
}

// Where the places divided so far are written.
struct Sides {
  std::uint16_t *left, *right;
};

#if HWY_TARGET != HWY_SCALAR
// All marks are in a register, where they are looked up for as many places as it has words.
template <std::size_t kLanes>
  requires(kLanes == PlaceMarks::kBits / 32)
std::size_t divide_many(const std::uint16_t* places, std::size_t n, const PlaceMarks& marks, Sides& to) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const D d;
  const hn::RebindToSigned<D> whole;
  const auto bits = hn::LoadU(d, marks.bits);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto here = hn::PromoteTo(d, hn::LoadU(narrow, places + i));
    const auto word = hn::TableLookupLanes(bits, hn::IndicesFromVec(d, hn::ShiftRight<5>(here)));
    const auto marked = hn::TestBit(hn::Shr(word, hn::And(here, hn::Set(d, 31))), hn::Set(d, 1));
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, hn::Compress(here, marked))), narrow, to.left);
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, hn::CompressNot(here, marked))), narrow, to.right);
    const std::size_t count = hn::CountTrue(d, marked);
    to.left += count, to.right += kLanes - count;
  }
  return i;
}

// All marks are in four registers, each half of which has the same 16 bytes. Sixteen places are looked up, eight are
// moved together at a time.
template <std::size_t kLanes>
  requires(kLanes == PlaceMarks::kBits / 64)
std::size_t divide_many(const std::uint16_t* places, std::size_t n, const PlaceMarks& marks, Sides& to) {
  const hn::CappedTag<std::uint16_t, 2 * kLanes> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const hn::Half<decltype(d)> half;
  const hn::Full128<std::uint8_t> half_bytes;
  alignas(16) static constexpr std::uint8_t kBit[16] = {1, 2, 4, 8, 16, 32, 64, 128};
  const auto* const table = reinterpret_cast<const std::uint8_t*>(marks.bits);
  const auto first = hn::LoadDup128(bytes, table), second = hn::LoadDup128(bytes, table + 16),
             third = hn::LoadDup128(bytes, table + 32), fourth = hn::LoadDup128(bytes, table + 48),
             bit_of = hn::LoadDup128(bytes, kBit);
  const auto either = [&](auto by_sign, auto yes, auto no) {
    const hn::RebindToSigned<decltype(bytes)> sign;
    const auto chosen =
        hn::IfNegativeThenElse(hn::BitCast(sign, by_sign), hn::BitCast(sign, yes), hn::BitCast(sign, no));
    return hn::BitCast(bytes, chosen);
  };
  const auto put = [&](auto eight, std::uint64_t others) {
    const auto move = [&](std::uint64_t wanted) {
      return hn::TableLookupBytes(eight, hn::BitCast(half, hn::LoadU(half_bytes, kSetPairsFirst[wanted].data())));
    };
    hn::StoreU(move(others ^ 0xFF), half, to.left);
    hn::StoreU(move(others), half, to.right);
    const auto count = static_cast<std::size_t>(hwy::PopCount(others));
    to.left += 8 - count, to.right += count;
  };
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const auto here = hn::LoadU(d, places + i);
    // Of a byte's number the lower four bits tell where it is in a register; the upper two, the eighth and the ninth of
    // the place, tell in which.
    const auto number = hn::And(hn::BitCast(bytes, hn::ShiftRight<3>(here)), hn::Set(bytes, std::uint8_t{15}));
    const auto in = [&](auto table) { return hn::TableLookupBytes(table, number); };
    const auto found =
        either(hn::ShiftRight<1>(here), either(here, in(fourth), in(third)), either(here, in(second), in(first)));
    const auto in_byte = hn::Or(hn::And(here, hn::Set(d, std::uint16_t{7})), hn::Set(d, std::uint16_t{0x8000}));
    const auto bit = hn::TableLookupBytesOr0(bit_of, hn::BitCast(bytes, in_byte));
    const std::uint64_t others = bits_of(d, hn::Eq(hn::BitCast(d, hn::And(found, bit)), hn::Zero(d)));
    put(hn::LowerHalf(half, here), others & 0xFF);
    put(hn::UpperHalf(half, here), others >> 8 & 0xFF);
  }
  return i;
}
#endif

// A register of marks is looked up in one step; gathering them from memory takes a step for each. So where registers
// are too short for that, plain code is faster.
template <std::size_t kLanes>
std::size_t divide_many(const std::uint16_t*, std::size_t, const PlaceMarks&, Sides&) {
  return 0;
}

std::size_t divide_places_here(std::uint16_t* places, std::size_t n, const PlaceMarks& marks, std::uint16_t* right,
                               std::uint16_t* spare) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const std::size_t lanes = hn::Lanes(narrow);
  Sides to{places, spare};  // what is written behind the marked ones has been read
  std::size_t i = marks.has_bits ? divide_many<hn::MaxLanes(D())>(places, n, marks, to) : 0;
  std::uint16_t* left = to.left;
  for (; i < n; ++i) {  // both are written, one moves on
    const std::uint16_t place = places[i];
    spare[places + i - left] = place, *left = place;
    left += marks.byte[place];
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

void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, std::size_t lefts, Row* left, Row* right) {
  HWY_DYNAMIC_DISPATCH(divide_rows_here)(rows.data(), rows.size(), bits, lefts, left, right);
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
