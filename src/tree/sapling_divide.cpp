#include <bit>

#include "tree/divide_rows.h"
#include "tree/sapling_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_divide.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "core/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint64_t, sapling::kDividedEntries>;

// The words of a register whose bits are set come first. By tables for any length: see core/lanes.h.
template <class W, class V>
HWY_INLINE V set_first(W d, V words, std::uint64_t bits) {
  if constexpr (hn::MaxLanes(W()) == 4) {
    const hn::Repartition<std::uint32_t, W> halves;  // of four words, as kSetPairsFirst numbers the halves of elements
    const hn::Rebind<std::uint8_t, decltype(halves)> bytes;
    const auto order = hn::PromoteTo(halves, hn::LoadU(bytes, kSetPairsFirst[bits].data()));
    return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(halves, words), hn::IndicesFromVec(halves, order)));
  } else {
    const hn::Rebind<std::uint8_t, W> bytes;
    const hn::Rebind<std::uint32_t, W> halves;
    const auto order = hn::PromoteTo(d, hn::PromoteTo(halves, hn::LoadU(bytes, kSetFirst[bits].data())));
    return hn::TableLookupLanes(words, hn::IndicesFromVec(d, order));
  }
}

// As many as fill registers; gives how many. What is written behind those on the left has been read.
template <class W>
HWY_INLINE std::size_t divide_many(W d, const std::uint64_t* words, std::size_t n, const std::uint8_t* marks,
                                   sapling::DividedWords& to) {
  constexpr std::size_t kLanes = hn::MaxLanes(W());
  constexpr std::uint64_t kAll = (1u << kLanes) - 1;
  std::size_t i = 0;
  if constexpr (kLanes >= 4)  // shorter ones are no quicker than plain code
    for (; i + kLanes <= n; i += kLanes) {
      const std::uint64_t bits = eight_bits(marks + i) & kAll;
      const auto here = hn::LoadU(d, words + i);
      hn::StoreU(set_first(d, here, bits), d, to.left);
      hn::StoreU(set_first(d, here, bits ^ kAll), d, to.right);
      const auto count = static_cast<std::size_t>(std::popcount(bits));
      to.left += count, to.right += kLanes - count;
    }
  return i;
}

sapling::DividedWords divide_words_here(const std::uint64_t* words, std::size_t n, const std::uint8_t* marks,
                                        sapling::DividedWords to) {
  for (std::size_t i = divide_many(D(), words, n, marks, to); i < n; ++i) {  // both are written, one moves on
    const std::uint64_t word = words[i];
    *to.left = *to.right = word;
    to.left += marks[i], to.right += 1 - marks[i];
  }
  return to;
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(divide_words_here);

sapling::DividedWords sapling::divide_words(const std::uint64_t* words, std::size_t n, const std::uint8_t* marks,
                                            DividedWords to) {
  return HWY_DYNAMIC_DISPATCH(divide_words_here)(words, n, marks, to);
}
}  // namespace wald
#endif
