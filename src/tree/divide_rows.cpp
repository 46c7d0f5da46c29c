// Places are moved together 32 at a time where there is an instruction for it: Highway has a target for that, which it
// leaves out unless it is asked for.
#define HWY_WANT_AVX3_DL
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
template <class Place>
struct Sides {
  Place *left, *right;
};

#if HWY_TARGET != HWY_SCALAR
// Divides places a register of d at a time: load(from, n) gives n of them, marked(register) which are marked, store
// puts a register. The last ones together, too, unless a whole register would not fit behind the marked ones.
template <WantedSides kWanted, class DD, class Place, class Load, class Marked, class Store>
std::size_t divide_registers(DD d, const Place* places, std::size_t n, Sides<Place>& to, Load load, Marked marked,
                             Store store) {
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto here = load(places + i, lanes);
    const auto left = marked(here);
    if constexpr (kWanted.left) store(hn::Compress(here, left), to.left);
    if constexpr (kWanted.right) store(hn::CompressNot(here, left), to.right);
    const std::size_t count = hn::CountTrue(d, left);
    to.left += count, to.right += lanes - count;
  }
  if (i == n || (kWanted.left && places + n < to.left + lanes)) return i;
  const auto here = load(places + i, n - i);
  const auto there = hn::FirstN(d, n - i), left = hn::And(marked(here), there);
  if constexpr (kWanted.left) store(hn::Compress(here, left), to.left);
  if constexpr (kWanted.right) store(hn::Compress(here, hn::AndNot(left, there)), to.right);
  to.left += hn::CountTrue(d, left);
  return n;
}

#if HWY_TARGET == HWY_AVX3_DL
// All marks are in a register, where they are looked up by words of as many bits as a place has.
template <WantedSides kWanted, std::size_t kLanes>
  requires(kLanes == PlaceMarks::kBits / 32)
std::size_t divide_many(const std::uint16_t* places, std::size_t n, const PlaceMarks& marks, Sides<std::uint16_t>& to) {
  const hn::ScalableTag<std::uint16_t> d;
  const auto words = hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(marks.bits));
  const auto load = [&](const std::uint16_t* from, std::size_t count) {
    return count == hn::Lanes(d) ? hn::LoadU(d, from) : hn::MaskedLoad(hn::FirstN(d, count), d, from);
  };
  const auto marked = [&](auto here) {
    const decltype(here) word{_mm512_permutexvar_epi16(hn::ShiftRight<4>(here).raw, words.raw)};  // Highway has none
    const auto in_word = hn::And(here, hn::Set(d, std::uint16_t{15}));
    return hn::TestBit(hn::Shr(word, in_word), hn::Set(d, std::uint16_t{1}));
  };
  return divide_registers<kWanted>(d, places, n, to, load, marked,
                                   [&](auto some, std::uint16_t* into) { hn::StoreU(some, d, into); });
}
#endif

// The same, by words of 32 bits.
template <WantedSides kWanted, std::size_t kLanes, class Place>
  requires(kLanes == PlaceMarks::kBits / 32)
std::size_t divide_many(const Place* places, std::size_t n, const PlaceMarks& marks, Sides<Place>& to) {
  const hn::Rebind<Place, D> given;
  const D d;
  const auto words = hn::LoadU(d, marks.bits);
  const auto load = [&](const Place* from, std::size_t count) {
    const auto here = count == kLanes ? hn::LoadU(given, from) : hn::MaskedLoad(hn::FirstN(given, count), given, from);
    if constexpr (sizeof(Place) == sizeof(std::uint32_t)) return here;
    else return hn::PromoteTo(d, here);
  };
  const auto marked = [&](auto here) {
    const auto word = hn::TableLookupLanes(words, hn::IndicesFromVec(d, hn::ShiftRight<5>(here)));
    return hn::TestBit(hn::Shr(word, hn::And(here, hn::Set(d, 31))), hn::Set(d, 1));
  };
  const auto store = [&](auto some, Place* into) {
    if constexpr (sizeof(Place) == sizeof(std::uint32_t)) hn::StoreU(some, d, into);
    else hn::StoreU(hn::DemoteTo(given, hn::BitCast(hn::RebindToSigned<D>(), some)), given, into);
  };
  return divide_registers<kWanted>(d, places, n, to, load, marked, store);
}

// All marks are in four registers, each half of which has the same 16 bytes. Sixteen places are looked up, eight are
// moved together at a time.
template <WantedSides kWanted, std::size_t kLanes>
  requires(kLanes == PlaceMarks::kBits / 64)
std::size_t divide_many(const std::uint16_t* places, std::size_t n, const PlaceMarks& marks, Sides<std::uint16_t>& to) {
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
    if constexpr (kWanted.left) hn::StoreU(move(others ^ 0xFF), half, to.left);
    if constexpr (kWanted.right) hn::StoreU(move(others), half, to.right);
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
template <WantedSides, std::size_t kLanes, class Place>
std::size_t divide_many(const Place*, std::size_t, const PlaceMarks&, Sides<Place>&) {
  return 0;
}

// Those that are marked come first; the others are put to `spare`. Gives how many are marked.
template <WantedSides kWanted, class Place>
std::size_t marked_first(Place* places, std::size_t n, const PlaceMarks& marks, Place* spare) {
  Sides<Place> to{places, spare};  // what is written behind the marked ones has been read
  std::size_t i = marks.has_bits ? divide_many<kWanted, hn::MaxLanes(D())>(places, n, marks, to) : 0;
  Place* left = to.left;
  for (; i < n; ++i) {  // both are written, one moves on
    const Place place = places[i];
    spare[places + i - left] = place, *left = place;
    left += marks.byte[place];
  }
  return static_cast<std::size_t>(left - places);
}

std::size_t divide_places_here(std::uint16_t* places, std::size_t n, const PlaceMarks& marks, std::uint16_t* right,
                               std::uint16_t* spare, WantedSides wanted) {
  if (!wanted.right) return marked_first<WantedSides{true, false}>(places, n, marks, spare);
  const std::size_t marked = wanted.left ? marked_first<WantedSides{true, true}>(places, n, marks, spare)
                                         : marked_first<WantedSides{false, true}>(places, n, marks, spare);
  std::copy_n(spare, n - marked, right);
  return marked;
}

std::size_t divide_wide_here(std::uint32_t* places, std::size_t n, const PlaceMarks& marks, std::uint32_t* spare) {
  const std::size_t marked = marked_first<WantedSides{true, true}>(places, n, marks, spare);
  std::copy_n(spare, n - marked, places + marked);
  return marked;
}

void mark_places_here(const std::uint8_t* code, std::size_t places, std::uint8_t last, std::uint8_t less,
                      std::uint8_t* mark, std::uint32_t* bits) {
  const hn::CappedTag<std::uint8_t, PlaceMarks::kMarkedAtOnce> d;
  const auto one = hn::Set(d, std::uint8_t{1}), most = hn::Set(d, last), off = hn::Set(d, less);
  auto* to = reinterpret_cast<std::uint8_t*>(bits);
  for (std::size_t i = 0; i < places; i += hn::Lanes(d)) {
    const auto here = hn::Sub(hn::LoadU(d, code + i), off);
    const auto goes = hn::Eq(hn::Min(here, most), here);
    hn::StoreU(hn::IfThenElseZero(goes, one), d, mark + i);
    if constexpr (hn::MaxLanes(d) >= 8) hn::StoreMaskBits(d, goes, to + i / 8);
  }
  if constexpr (hn::MaxLanes(d) < 8)
    for (std::size_t i = 0; i < places; i += 8) to[i / 8] = static_cast<std::uint8_t>(eight_bits(mark + i));
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(divide_rows_here);
HWY_EXPORT(divide_places_here);
HWY_EXPORT(divide_wide_here);
HWY_EXPORT(mark_places_here);

void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, std::size_t lefts, Row* left, Row* right) {
  HWY_DYNAMIC_DISPATCH(divide_rows_here)(rows.data(), rows.size(), bits, lefts, left, right);
}
DividePlaces divide_places() { return &HWY_DYNAMIC_DISPATCH(divide_places_here); }
std::size_t divide_places(std::uint32_t* places, std::size_t n, const PlaceMarks& marks, std::uint32_t* spare) {
  return HWY_DYNAMIC_DISPATCH(divide_wide_here)(places, n, marks, spare);
}

PlaceMarks::PlaceMarks(const std::uint8_t* code, std::size_t places, std::uint32_t last, bool missing_left,
                       std::uint8_t* mark)
    : byte(mark), has_bits(true) {
  const std::uint8_t less = missing_left ? 0 : 1;  // 0 becomes the greatest
  const auto most = static_cast<std::uint8_t>(last - less);
  HWY_DYNAMIC_DISPATCH(mark_places_here)(code, places, most, less, mark, bits);
}
PlaceMarks::PlaceMarks(const std::uint8_t* mark, std::size_t places, std::size_t divided)
    : byte(mark), has_bits(places <= kBits && divided >= kDividedAtOnce) {
  if (!has_bits) return;
  std::ranges::fill(bits, 0u);
  auto* to = reinterpret_cast<std::uint8_t*>(bits);
  for (std::size_t i = 0; i < places; i += 8) to[i / 8] = static_cast<std::uint8_t>(eight_bits(mark + i));
}
}  // namespace wald
#endif
