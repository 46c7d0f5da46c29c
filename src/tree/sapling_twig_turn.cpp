#include <bit>

#include "core/random.h"
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
void draw_ahead_here(TwigRules&, std::uint32_t) {}
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

// philox() of random.h, several nodes at a time. A word is the lower half of a lane; the upper one is of no account.
HWY_INLINE void draw_words(const TwigRules& rules, std::uint32_t node, std::uint32_t page, std::uint32_t* to) {
  const hn::CappedTag<std::uint64_t, sapling::kTwigAhead> d;
  const hn::Repartition<std::uint32_t, decltype(d)> halves;
  using V = hn::Vec<decltype(d)>;
  const auto multiply = [&](V v, std::uint32_t by) { return hn::MulEven(hn::BitCast(halves, v), hn::Set(halves, by)); };
  for (std::size_t at = 0; at < sapling::kTwigAhead; at += hn::Lanes(d)) {
    V c0 = hn::Iota(d, node + at), c1 = hn::Set(d, page), c2 = hn::Set(d, rules.tree),
      c3 = hn::Set(d, static_cast<std::uint64_t>(Purpose::Sapling));
    auto k0 = static_cast<std::uint32_t>(rules.seed), k1 = static_cast<std::uint32_t>(rules.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const V a = multiply(c0, 0xD2511F53), b = multiply(c2, 0xCD9E8D57);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), c1), hn::Set(d, k0)), c1 = b;
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), c3), hn::Set(d, k1)), c3 = a;
      k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    const V lower = hn::Set(d, 0xFFFF'FFFF);
    const V first = hn::Or(hn::And(c0, lower), hn::ShiftLeft<32>(c1)),
            second = hn::Or(hn::And(c2, lower), hn::ShiftLeft<32>(c3));
    alignas(64) std::uint64_t words[2][sapling::kTwigAhead];
    hn::Store(first, d, words[0]), hn::Store(second, d, words[1]);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        std::uint32_t* const pair = to + 4 * (at + i) + 2 * k;
        pair[0] = static_cast<std::uint32_t>(words[k][i]), pair[1] = static_cast<std::uint32_t>(words[k][i] >> 32);
      }
  }
}
void draw_ahead_here(TwigRules& rules, std::uint32_t node) {
  draw_words(rules, node, 0, rules.words[0].data());
  if (rules.wanted > 4) draw_words(rules, node, 1, rules.words[1].data());
  rules.ahead = node;
}
#endif

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(turn_twig_here);
HWY_EXPORT(draw_ahead_here);
HWY_EXPORT(twigs_pay_here);

void sapling::turn_twig(TwigRows& x, std::size_t rows, std::size_t columns) {
  HWY_DYNAMIC_DISPATCH(turn_twig_here)(x, rows, columns);
}
void sapling::draw_ahead(TwigRules& rules, std::uint32_t node) { HWY_DYNAMIC_DISPATCH(draw_ahead_here)(rules, node); }
bool sapling::twigs_pay() { return HWY_DYNAMIC_DISPATCH(twigs_pay_here)(); }
}  // namespace wald
#endif
