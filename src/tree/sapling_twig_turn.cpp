#include <bit>

#include "core/random_many.h"
#include "tree/sapling_twig_draw.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_twig_turn.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

using sapling::TwigRows, sapling::TwigRules, sapling::kTwigRows, sapling::kTwigColumns, sapling::kTwigBlock;

#if HWY_TARGET == HWY_SCALAR
bool twigs_pay_here() { return false; }
void turn_twig_here(TwigRows&, std::size_t, std::size_t) {}
#else
namespace hn = hwy::HWY_NAMESPACE;

bool twigs_pay_here() { return true; }

using Bytes = hn::Full128<std::uint8_t>;

// As in histogram_turn.cpp: each round deals the bytes out as cards are shuffled.
HWY_INLINE void turn_square(const std::uint8_t* const* rows, std::size_t k, std::uint8_t* to) {
  const Bytes d;
  hn::Vec<Bytes> v[kTwigBlock], next[kTwigBlock];
  for (std::size_t i = 0; i < kTwigBlock; ++i) v[i] = hn::LoadU(d, rows[i] + k);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t j = 0; j < kTwigBlock / 2; ++j) {
      next[2 * j] = hn::InterleaveLower(d, v[j], v[j + kTwigBlock / 2]);
      next[2 * j + 1] = hn::InterleaveUpper(d, v[j], v[j + kTwigBlock / 2]);
    }
    for (std::size_t j = 0; j < kTwigBlock; ++j) v[j] = next[j];
  }
  for (std::size_t i = 0; i < kTwigBlock; ++i) hn::Store(v[i], d, to + (k + i) * kTwigRows);
}

template <class D>
HWY_INLINE void compare_columns(D d, TwigRows& x, std::size_t rows, std::size_t columns) {
  x.varied = x.missing = 0;
  for (std::size_t k = 0; k < columns; k += hn::Lanes(d)) {
    const auto first = hn::LoadU(d, x.row[0] + k), none = hn::Zero(d);
    auto differs = none, least = first;
    for (std::size_t j = 1; j < rows; ++j) {
      const auto v = hn::LoadU(d, x.row[j] + k);
      differs = hn::Or(differs, hn::Xor(v, first)), least = hn::Min(least, v);
    }
    std::uint64_t varied = 0, missing = 0;
    hn::StoreMaskBits(d, hn::Ne(differs, none), reinterpret_cast<std::uint8_t*>(&varied));
    hn::StoreMaskBits(d, hn::Eq(least, none), reinterpret_cast<std::uint8_t*>(&missing));
    x.varied |= varied << k, x.missing |= missing << k;
  }
  const std::uint64_t all = columns < 64 ? (std::uint64_t{1} << columns) - 1 : ~std::uint64_t{0};
  x.varied &= all, x.missing &= all;
}

void turn_twig_here(TwigRows& x, std::size_t rows, std::size_t columns) {
  const std::size_t end = rows <= kTwigBlock ? kTwigBlock : kTwigRows;
  for (std::size_t i = rows; i < end; ++i) x.row[i] = x.row[0];
  for (std::size_t i = 0; i < end; i += kTwigBlock)
    for (std::size_t k = 0; k < columns; k += kTwigBlock) turn_square(x.row.data() + i, k, x.code.data() + i);
  if (columns <= 16) compare_columns(Bytes(), x, rows, columns);
  else compare_columns(hn::CappedTag<std::uint8_t, 64>(), x, rows, columns);
  const Bytes d;
  for (std::uint64_t bits = x.missing; bits != 0; bits &= bits - 1) {
    std::uint8_t* const column = x.code.data() + static_cast<std::size_t>(std::countr_zero(bits)) * kTwigRows;
    for (std::size_t i = 0; i < kTwigRows; i += kTwigBlock) {
      const auto v = hn::Load(d, column + i);
      const auto last = hn::IfThenElse(hn::Eq(v, hn::Zero(d)), hn::Set(d, 255), v);
      hn::Store(last, d, column + kTwigColumns * kTwigRows + i);
    }
  }
}
#endif

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(turn_twig_here);
HWY_EXPORT(twigs_pay_here);

void sapling::turn_twig(TwigRows& x, std::size_t rows, std::size_t columns) {
  HWY_DYNAMIC_DISPATCH(turn_twig_here)(x, rows, columns);
}
void sapling::draw_ahead(TwigRules& rules, std::uint32_t node) {
  std::uint64_t pair[2][kTwigAhead];
  for (std::uint64_t page = 0; page < (rules.wanted > 4 ? 2 : 1); ++page) {
    many_blocks(page << 32 | node, kTwigAhead, rules.tree, Purpose::Sapling, rules.seed, pair[0], pair[1]);
    std::uint32_t* to = rules.words[page].data();
    for (std::size_t i = 0; i < kTwigAhead; ++i)
      for (const auto& half : pair)
        *to++ = static_cast<std::uint32_t>(half[i]), *to++ = static_cast<std::uint32_t>(half[i] >> 32);
  }
  rules.ahead = node;
}
bool sapling::twigs_pay() { return HWY_DYNAMIC_DISPATCH(twigs_pay_here)(); }
}  // namespace wald
#endif
