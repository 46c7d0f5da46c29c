#include <bit>

#include "model/deep_layout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/deep_layout_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Without registers as long as a cache line only plain code is worth it: three words a node have to be taken apart.
#if HWY_TARGET <= HWY_AVX3
using Words = hn::CappedTag<std::uint32_t, 16>;
using Halves = hn::CappedTag<std::uint32_t, 8>;
using Longs = hn::CappedTag<std::uint64_t, 8>;
constexpr Words kWords;
constexpr Halves kHalves;
constexpr Longs kLongs;

// Returns how many nodes it has laid out: all but the last few.
std::uint32_t lay_sixteens(const std::uint32_t* nodes, std::size_t count, const std::uint32_t* cells,
                           std::uint32_t* to) {
  constexpr std::uint32_t kNodes = 16;
  const auto one = hn::Set(kWords, NarrowStep::test(0, 0, 0) - NarrowStep::test(0, 0, 1));
  const auto child_one = hn::Set(kWords, NarrowStep::leaf(1, 0)), kind = hn::Set(kWords, 3u << 28);
  auto place = hn::Mul(hn::Iota(kWords, 0), child_one);
  std::uint32_t k = 0;
  for (; k + kNodes <= count; k += kNodes, nodes += 3 * kNodes) {
    hn::Vec<Words> what, child, ref;
    hn::LoadInterleaved3(kWords, nodes, what, child, ref);
    const auto at = hn::And(hn::RotateRight<30>(what), hn::Set(kWords, 0x3FFF'FFFF));
    const auto cell = hn::GatherIndex(kWords, cells, hn::BitCast(hn::RebindToSigned<Words>(), at));
    const auto test = hn::Sub(hn::Add(hn::Mul(child, child_one), cell), hn::Mul(ref, one));
    const auto leaf = hn::Eq(hn::And(what, kind), hn::Zero(kWords));
    hn::StoreU(hn::IfThenElse(leaf, hn::Or(place, ref), test), kWords, to + k);
    place = hn::Add(place, hn::Set(kWords, NarrowStep::leaf(kNodes, 0)));
  }
  return k;
}

std::uint32_t lay_eights(const MaskKinds& kinds, const std::uint32_t* nodes, std::size_t count,
                         const std::uint64_t* cells, std::uint64_t* to) {
  constexpr std::uint32_t kNodes = 8;
  const hn::RebindToSigned<Longs> places;
  std::uint64_t from[8];  // bytes from the first one's
  for (std::size_t k = 0; k < 8; ++k)
    from[k] = reinterpret_cast<std::uintptr_t>(kinds.from[k]) - reinterpret_cast<std::uintptr_t>(kinds.from[0]);
  const auto from_of = hn::LoadU(kLongs, from);
  const auto flip_of = hn::LoadU(kLongs, kinds.flip), all_of = hn::LoadU(kLongs, kinds.all);
  const int turn = kinds.turn, below_child = kinds.below_child, below_set = kinds.below_set;
  auto place = hn::Iota(kLongs, 0);
  std::uint32_t k = 0;
  for (; k + kNodes <= count; k += kNodes, nodes += 3 * kNodes) {
    hn::Vec<Halves> what, child, ref;
    hn::LoadInterleaved3(kHalves, nodes, what, child, ref);
    const auto kind =
        hn::IndicesFromVec(kLongs, hn::PromoteTo(kLongs, hn::And(hn::ShiftRight<28>(what), hn::Set(kHalves, 7))));
    const auto all = hn::TableLookupLanes(all_of, kind), says = hn::PromoteTo(kLongs, ref);
    const auto offset = hn::Add(hn::TableLookupLanes(from_of, kind), hn::ShiftLeft<3>(hn::And(says, all)));
    const auto found = hn::GatherOffset(kLongs, kinds.from[0], hn::BitCast(places, offset));
    const auto turned = hn::Or(hn::ShiftLeftSame(found, turn), hn::ShiftRightSame(found, 64 - turn));
    const auto at = hn::And(hn::RotateRight<30>(what), hn::Set(kHalves, 0x3FFF'FFFF));
    const auto cell = hn::GatherIndex(kLongs, cells, hn::BitCast(places, hn::PromoteTo(kLongs, at)));
    const auto test = hn::Or(hn::Add(hn::Xor(turned, hn::TableLookupLanes(flip_of, kind)), cell),
                             hn::ShiftLeftSame(hn::PromoteTo(kLongs, child), below_child));
    const auto end = hn::Or(hn::ShiftLeftSame(says, below_set), hn::ShiftLeftSame(place, below_child));
    hn::StoreU(hn::Xor(end, hn::And(hn::Xor(end, test), all)), kLongs, to + k);
    place = hn::Add(place, hn::Set(kLongs, kNodes));
  }
  return k;
}
#else
std::uint32_t lay_sixteens(const std::uint32_t*, std::size_t, const std::uint32_t*, std::uint32_t*) { return 0; }
std::uint32_t lay_eights(const MaskKinds&, const std::uint32_t*, std::size_t, const std::uint64_t*, std::uint64_t*) {
  return 0;
}
#endif

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(lay_sixteens);
HWY_EXPORT(lay_eights);

std::uint32_t lay_many(std::span<const Node> nodes, const std::uint32_t* cells, std::uint32_t* to) {
  return HWY_DYNAMIC_DISPATCH(lay_sixteens)(&nodes.data()->what, nodes.size(), cells, to);
}
std::uint32_t lay_many(const MaskKinds& kinds, std::span<const Node> nodes, const std::uint64_t* cells,
                       std::uint64_t* to) {
  return HWY_DYNAMIC_DISPATCH(lay_eights)(kinds, &nodes.data()->what, nodes.size(), cells, to);
}
}  // namespace wald
#endif
