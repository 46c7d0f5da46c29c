#include "model/circuit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/circuit_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<std::uint64_t, kBlockWords>;
using Bytes = hn::ScalableTag<std::uint8_t>;
using Doubles = hn::CappedTag<double, 8>;
using V = hn::Vec<Words>;
constexpr Words kWords;
constexpr Bytes kBytes;
constexpr Doubles kDoubles;

// Bit by bit. Highway's own choice looks at whole bytes where there is no instruction for three operands.
HWY_INLINE V choose(V bits, V yes, V no) {
#if HWY_TARGET <= HWY_AVX3
  return hn::IfVecThenElse(bits, yes, no);
#else
  return hn::Or(hn::And(bits, yes), hn::AndNot(bits, no));
#endif
}

// The answers that rows get at the depth of the nodes from `question` on, 2^kLeft of them, picked by those of the kLeft
// depths above.
template <int kLeft>
HWY_INLINE V pick(const std::uint16_t* question, const std::uint64_t* answers, const V* above) {
  if constexpr (kLeft == 0) {
    return hn::Load(kWords, answers + std::size_t{*question} * kBlockWords);
  } else {
    const V left = pick<kLeft - 1>(question, answers, above + 1);
    const V right = pick<kLeft - 1>(question + (1 << (kLeft - 1)), answers, above + 1);
    return choose(*above, right, left);
  }
}

template <int kDepth>
HWY_INLINE void walk(const std::uint16_t* question, const std::uint64_t* answers, V* taken) {
  if constexpr (kDepth > 0) {
    walk<kDepth - 1>(question, answers, taken);
    taken[kDepth - 1] = pick<kDepth - 1>(question + (1 << (kDepth - 1)) - 1, answers, taken);
  }
}

// Without vectors of bytes.
template <int kDepth>
void to_bytes_plainly(const std::uint64_t* bits, std::uint8_t* slot) {
  for (std::size_t row = 0; row < kBlockRows; ++row) {
    unsigned byte = 0;
    for (int d = 0; d < kDepth; ++d)
      byte = byte << 1 | static_cast<unsigned>(bits[d * kBlockWords + row / 64] >> (row % 64) & 1);
    slot[row] = static_cast<std::uint8_t>(byte);
  }
}

// Bits of a row, one from each depth, become its byte.
template <int kDepth>
HWY_INLINE void to_bytes(const std::uint64_t* bits, std::uint8_t* slot) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(bits);
  const std::size_t lanes = hn::Lanes(kBytes);
  if (lanes < 8) return to_bytes_plainly<kDepth>(bits, slot);
  for (std::size_t row = 0; row < kBlockRows; row += lanes) {
    auto out = hn::Zero(kBytes);
    for (int d = 0; d < kDepth; ++d) {
      const auto taken = hn::LoadMaskBits(kBytes, from + d * kBlockRows / 8 + row / 8);
      out = hn::Or(out, hn::IfThenElseZero(taken, hn::Set(kBytes, static_cast<std::uint8_t>(1 << (kDepth - 1 - d)))));
    }
    hn::StoreU(out, kBytes, slot + row);
  }
}

template <int kDepth>
void slots_of(const std::uint16_t* question, const std::uint64_t* answers, std::uint8_t* slot) {
  alignas(64) std::uint64_t bits[kDepth * kBlockWords + kBlockWords];
  const std::size_t lanes = hn::Lanes(kWords);
  for (std::size_t w = 0; w < kBlockWords; w += lanes) {
    V taken[kDepth + 1];
    walk<kDepth>(question, answers + w, taken);
    for (int d = 0; d < kDepth; ++d) hn::Store(taken[d], kWords, bits + d * kBlockWords + w);
  }
  to_bytes<kDepth>(bits, slot);
}

void find_slots_here(const Circuit& circuit, const std::uint16_t* question, const std::uint64_t* answers,
                     std::uint8_t* slot) {
  switch (circuit.depth) {
    case 0:
      return slots_of<0>(question, answers, slot);
    case 1:
      return slots_of<1>(question, answers, slot);
    case 2:
      return slots_of<2>(question, answers, slot);
    case 3:
      return slots_of<3>(question, answers, slot);
    case 4:
      return slots_of<4>(question, answers, slot);
    case 5:
      return slots_of<5>(question, answers, slot);
    case 6:
      return slots_of<6>(question, answers, slot);
    case 7:
      return slots_of<7>(question, answers, slot);
    default:
      return slots_of<8>(question, answers, slot);
  }
}

void add_says_here(const double* says, const std::uint8_t* slot, double* score) {
  using Places = hn::RebindToSigned<Doubles>;
  const Places places;
  const hn::Rebind<std::uint8_t, Doubles> few;
  const std::size_t lanes = hn::Lanes(kDoubles);
  for (std::size_t row = 0; row < kBlockRows; row += lanes) {
    const auto at = hn::PromoteTo(hn::Rebind<std::int32_t, Doubles>(), hn::LoadU(few, slot + row));
    const auto value = hn::GatherIndex(kDoubles, says, hn::PromoteTo(places, at));
    hn::StoreU(hn::Add(hn::LoadU(kDoubles, score + row), value), kDoubles, score + row);
  }
}

bool any_missing_here(const double* cell, std::size_t rows) {
  const std::size_t lanes = hn::Lanes(kDoubles);
  auto any = hn::Zero(kDoubles);  // all bits set where one was
  std::size_t row = 0;
  for (; row + lanes <= rows; row += lanes)
    any = hn::Or(any, hn::VecFromMask(kDoubles, hn::IsNaN(hn::LoadU(kDoubles, cell + row))));
  bool missing = !hn::AllFalse(kDoubles, hn::IsNaN(any));
  for (; row < rows; ++row) missing = missing || cell[row] != cell[row];
  return missing;
}

void places_of_one_here(double cut, const double* cell, std::size_t rows, std::uint32_t* place) {
  const hn::Rebind<std::uint64_t, Doubles> wide;
  const hn::Rebind<std::uint32_t, Doubles> narrow;
  const auto one = hn::Set(wide, 1);
  const std::size_t lanes = hn::Lanes(kDoubles);
  const auto least = hn::Set(kDoubles, cut);
  std::size_t row = 0;
  for (; row + lanes <= rows; row += lanes) {
    const auto above = hn::VecFromMask(wide, hn::RebindMask(wide, hn::Lt(least, hn::LoadU(kDoubles, cell + row))));
    hn::StoreU(hn::TruncateTo(narrow, hn::And(above, one)), narrow, place + row);
  }
  for (; row < rows; ++row) place[row] = cut < cell[row];
}

void rows_beyond_here(std::uint64_t* sets, std::size_t count, const std::uint64_t* rows) {
  const std::size_t lanes = hn::Lanes(kWords);
  for (std::size_t w = 0; w < kBlockWords; w += lanes) {
    V now = hn::Load(kWords, rows + w);
    for (std::size_t k = 0; k < count; ++k) {
      now = hn::Xor(now, hn::Load(kWords, sets + k * kBlockWords + w));
      hn::Store(now, kWords, sets + k * kBlockWords + w);
    }
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(find_slots_here);
HWY_EXPORT(add_says_here);
HWY_EXPORT(rows_beyond_here);
HWY_EXPORT(any_missing_here);
HWY_EXPORT(places_of_one_here);

void find_slots(const Circuit& circuit, const std::uint16_t* question, const RowSet* answers, std::uint8_t* slot) {
  HWY_DYNAMIC_DISPATCH(find_slots_here)(circuit, question, answers->word, slot);
}
void add_says(const double* says, const std::uint8_t* slot, double* score) {
  HWY_DYNAMIC_DISPATCH(add_says_here)(says, slot, score);
}
void rows_beyond(RowSet* sets, std::size_t count, const RowSet& rows) {
  HWY_DYNAMIC_DISPATCH(rows_beyond_here)(sets->word, count, rows.word);
}
bool any_missing(const double* cell, std::size_t rows) { return HWY_DYNAMIC_DISPATCH(any_missing_here)(cell, rows); }
void find_places(double cut, const double* cell, std::size_t rows, std::uint32_t* place) {
  HWY_DYNAMIC_DISPATCH(places_of_one_here)(cut, cell, rows, place);
}
}  // namespace wald
#endif
