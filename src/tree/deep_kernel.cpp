#include "tree/deep_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/deep_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace deep_hn = hwy::HWY_NAMESPACE;

using Lanes = deep_hn::ScalableTag<std::uint32_t>;
using V = deep_hn::Vec<Lanes>;
struct Steps {
  V child, asks;
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Steps steps_at(const DeepStep* steps, V node) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(steps);
  const auto at = deep_hn::BitCast(deep_hn::RebindToSigned<Lanes>(), deep_hn::ShiftLeft<1>(node));
  return {deep_hn::GatherIndex(Lanes(), words, at), deep_hn::GatherIndex(Lanes(), words + 1, at)};
}
#else
template <class HalfV>
HWY_INLINE V some_steps(const DeepStep* steps, HalfV node) {
  const deep_hn::ScalableTag<std::uint64_t> d;
  const auto at = deep_hn::BitCast(deep_hn::RebindToSigned<decltype(d)>(), deep_hn::PromoteTo(d, node));
  return deep_hn::BitCast(Lanes(), deep_hn::GatherIndex(d, reinterpret_cast<const std::uint64_t*>(steps), at));
}

// A gather costs by its lanes: a step is fetched as one number.
HWY_INLINE Steps steps_at(const DeepStep* steps, V node) {
  const V low = some_steps(steps, deep_hn::LowerHalf(node));
  const V high = some_steps(steps, deep_hn::UpperHalf(deep_hn::Half<Lanes>(), node));
  return {deep_hn::ConcatEven(Lanes(), high, low), deep_hn::ConcatOdd(Lanes(), high, low)};
}
#endif

// Four bytes from the cells on; what belongs to others is masked away.
template <class Code>
HWY_INLINE V codes_at(const Code* code, V cell) {
  const deep_hn::RebindToSigned<Lanes> places;
  const auto* words = reinterpret_cast<const std::uint32_t*>(code);
  if constexpr (sizeof(Code) == 1) {
    const V word = deep_hn::GatherOffset(Lanes(), words, deep_hn::BitCast(places, cell));
    return deep_hn::And(deep_hn::Sub(word, deep_hn::Set(Lanes(), 1)), deep_hn::Set(Lanes(), 0xFF));
  } else {
    const V word = deep_hn::GatherOffset(Lanes(), words, deep_hn::BitCast(places, deep_hn::ShiftLeft<1>(cell)));
    return deep_hn::And(word, deep_hn::Set(Lanes(), 0xFFFF));
  }
}

template <bool kSets, class Code>
void walk_deep(const DeepTree& tree, std::size_t rows, const DeepRows<Code>& by) {
  const Lanes d;
  const deep_hn::RebindToSigned<decltype(d)> places;
  const std::size_t lanes = deep_hn::Lanes(d);
  const auto* sets = reinterpret_cast<const std::uint32_t*>(tree.sets);
  const V half = deep_hn::Set(d, 0xFFFF), missing = deep_hn::Set(d, Code(~Code{0})), one = deep_hn::Set(d, 1),
          columns = deep_hn::Set(d, by.columns);
  const V left_leaf = deep_hn::Set(d, DeepStep::kLeftLeaf), right_leaf = deep_hn::Set(d, 2 * DeepStep::kLeftLeaf);
  std::size_t ended = 0;
  for (std::size_t left = rows; left > 0;) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; i += lanes) {
      const auto valid = deep_hn::FirstN(d, left - i);
      // Beyond the last row: row 0 at the root, whatever stands there.
      const V r = deep_hn::IfThenElseZero(valid, deep_hn::LoadU(d, by.row + i));
      const auto [child, asks] = steps_at(tree.steps, deep_hn::IfThenElseZero(valid, deep_hn::LoadU(d, by.at + i)));
      const V ref = deep_hn::ShiftRight<16>(asks),
              cell = deep_hn::Add(deep_hn::Mul(r, columns), deep_hn::And(asks, half));
      const V code = codes_at(by.code, cell);
      const auto none = deep_hn::Eq(code, missing);
      auto right = deep_hn::Gt(code, ref);
      if constexpr (kSets) {
        const auto set = deep_hn::AndNot(none, deep_hn::TestBit(child, deep_hn::Set(d, DeepStep::kSet)));
        const V word = deep_hn::Add(deep_hn::ShiftLeft<1>(ref), deep_hn::ShiftRight<5>(code));
        const V bits = deep_hn::GatherIndex(d, sets, deep_hn::BitCast(places, deep_hn::IfThenElseZero(set, word)));
        const auto in = deep_hn::TestBit(bits, deep_hn::Shl(one, deep_hn::And(code, deep_hn::Set(d, 31))));
        right = deep_hn::Or(deep_hn::AndNot(set, right), deep_hn::AndNot(in, set));
      }
      const auto missing_right = deep_hn::TestBit(child, deep_hn::Set(d, DeepStep::kMissingRight));
      right = deep_hn::Or(deep_hn::AndNot(none, right), deep_hn::And(none, missing_right));
      const V next =
          deep_hn::Add(deep_hn::And(child, deep_hn::Set(d, DeepStep::kChild)), deep_hn::IfThenElseZero(right, one));
      const auto leaf = deep_hn::TestBit(child, deep_hn::IfThenElse(right, right_leaf, left_leaf));
      const auto goes_on = deep_hn::AndNot(leaf, valid), ends = deep_hn::And(leaf, valid);
      // What is written behind those of this step has been read, or is padding. As in divide_rows.cpp, nothing is
      // compressed into memory.
      deep_hn::StoreU(deep_hn::Compress(next, goes_on), d, by.at + kept);
      deep_hn::StoreU(deep_hn::Compress(r, goes_on), d, by.row + kept);
      deep_hn::StoreU(deep_hn::Compress(next, ends), d, by.leaf + ended);
      deep_hn::StoreU(deep_hn::Compress(r, ends), d, by.ended + ended);
      kept += deep_hn::CountTrue(d, goes_on), ended += deep_hn::CountTrue(d, ends);
    }
    left = kept;
  }
}

template <class Code>
void walk_deep_here(const DeepTree& tree, std::size_t rows, const DeepRows<Code>& by) {
  if (tree.sets == nullptr) walk_deep<false>(tree, rows, by);
  else walk_deep<true>(tree, rows, by);
}

void walk_words_here(const DeepTree& tree, std::size_t rows, const DeepRows<std::uint16_t>& by) {
  walk_deep_here(tree, rows, by);
}
void walk_bytes_here(const DeepTree& tree, std::size_t rows, const DeepRows<std::uint8_t>& by) {
  walk_deep_here(tree, rows, by);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(walk_words_here);
HWY_EXPORT(walk_bytes_here);

void walk_down(const DeepTree& tree, std::size_t rows, const DeepRows<std::uint16_t>& by) {
  HWY_DYNAMIC_DISPATCH(walk_words_here)(tree, rows, by);
}
void walk_down(const DeepTree& tree, std::size_t rows, const DeepRows<std::uint8_t>& by) {
  HWY_DYNAMIC_DISPATCH(walk_bytes_here)(tree, rows, by);
}
}  // namespace wald
#endif
