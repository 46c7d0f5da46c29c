// Included once per instruction set (Highway's foreach_target): the marked elements of a register, moved together.
//
// Highway's Compress does that, in one instruction where there is one. For shorter registers it has tables, which GCC
// 12 copies to the stack whenever they are used, a kilobyte for eight elements; so there are tables here, too.
#if defined(WALD_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef WALD_LANES
#undef WALD_LANES
#else
#define WALD_LANES
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>

#ifndef WALD_LANES_ONCE
#define WALD_LANES_ONCE
namespace wald {

// By eight bits: the numbers of those that are set, ascending, then of the others, a byte each.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kSetFirst = [] {
  std::array<std::array<std::uint8_t, 8>, 256> out{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::size_t to = 0;
    for (const unsigned wanted : {1u, 0u})
      for (unsigned k = 0; k < 8; ++k)
        if ((bits >> k & 1) == wanted) out[bits][to++] = static_cast<std::uint8_t>(k);
  }
  return out;
}();
// The same for elements of two bytes, as the places of their bytes.
constexpr std::array<std::array<std::uint8_t, 16>, 256> kSetPairsFirst = [] {
  std::array<std::array<std::uint8_t, 16>, 256> out{};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (std::size_t k = 0; k < 16; ++k) out[bits][k] = static_cast<std::uint8_t>(2 * kSetFirst[bits][k / 2] + k % 2);
  return out;
}();

}  // namespace wald
#endif

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {

template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
  std::uint64_t bits = 0;
  hwy::HWY_NAMESPACE::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

// The marked ones of 32 bits each first, in their order; what follows them means nothing.
template <class D, class V, class M>
HWY_INLINE V marked_first(D d, V v, M mask) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (hn::MaxLanes(d) == 8) {
    const hn::Rebind<std::uint8_t, D> bytes;
    const hn::Rebind<std::uint32_t, D> words;
    const auto order = hn::LoadU(bytes, kSetFirst[bits_of(d, mask)].data());
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::PromoteTo(words, order)));
  } else {
    return hn::Compress(v, mask);
  }
}

}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
