// Included once per instruction set (Highway's foreach_target): the rows of a twig's node, columns side by side, and
// what lies left of each cut. A cut is behind the code of a row, and has the row's lane.
#if defined(WALD_TWIG_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef WALD_TWIG_LANES
#undef WALD_TWIG_LANES
#else
#define WALD_TWIG_LANES
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "core/lanes.h"
#include "tree/sapling_twig.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

using sapling::TwigNode, sapling::TwigRows, sapling::TwigRules, sapling::kTwigBlock, sapling::kTwigColumns,
    sapling::kTwigRows;
namespace hn = hwy::HWY_NAMESPACE;

using Sixteen = hn::Full128<std::uint8_t>;
constexpr std::size_t kMostBytes = HWY_HAVE_SCALABLE ? 16 : std::min<std::size_t>(HWY_MAX_BYTES, 64);  // of a register
template <std::size_t kBytes>
using BytesOf = hn::CappedTag<std::uint8_t, std::min(kBytes, kMostBytes)>;

// --- what a node's rows are ------------------------------------------------------------------------------------------

struct Seen {
  alignas(64) std::array<std::uint8_t, kTwigRows> low = {}, high = {};  // where they are in either half of a column
  alignas(64) std::array<std::uint8_t, kTwigRows> count, upto;
  std::uint32_t ends = 0;  // bits of the last rows of the classes
  std::uint32_t all = 0, squares = 0;
};

template <class V>
HWY_INLINE V look_up(V lower, V upper, V low, V high) {
  return hn::Or(hn::TableLookupBytesOr0(lower, low), hn::TableLookupBytesOr0(upper, high));
}

HWY_INLINE void see_block(const TwigRows& x, const TwigNode& node, std::size_t first, Seen& out) {
  const Sixteen d;
  const hn::Repartition<std::uint16_t, Sixteen> pairs;
  const auto upper = hn::Set(d, kTwigBlock), nowhere = hn::Set(d, 0x80);
  const auto place = [&](auto at) {  // 16 becomes 128
    return hn::Or(at, hn::And(hn::BitCast(d, hn::ShiftLeft<3>(hn::BitCast(pairs, at))), nowhere));
  };
  const auto at = hn::Load(d, node.at.data() + first), low = place(at), high = place(hn::Xor(at, upper));
  hn::Store(low, d, out.low.data() + first), hn::Store(high, d, out.high.data() + first);
  const auto of = [&](const std::array<std::uint8_t, kTwigRows>& from) {
    return look_up(hn::Load(d, from.data()), hn::Load(d, from.data() + kTwigBlock), low, high);
  };
  const std::size_t rows = std::min<std::size_t>(node.rows - first, kTwigBlock);
  const auto count = hn::IfThenElseZero(hn::FirstN(d, rows), of(x.count)), label = of(x.label);
  auto upto = count;
  upto = hn::Add(upto, hn::ShiftLeftBytes<1>(d, upto)), upto = hn::Add(upto, hn::ShiftLeftBytes<2>(d, upto));
  upto = hn::Add(upto, hn::ShiftLeftBytes<4>(d, upto)), upto = hn::Add(upto, hn::ShiftLeftBytes<8>(d, upto));
  upto = hn::Add(upto, hn::Set(d, static_cast<std::uint8_t>(out.all)));
  hn::Store(count, d, out.count.data() + first), hn::Store(upto, d, out.upto.data() + first);
  const auto ends = static_cast<std::uint32_t>(bits_of(d, hn::Ne(label, hn::ShiftRightBytes<1>(d, label))));
  out.ends |= (ends & ((1u << (rows - 1)) - 1)) << first;
  out.all = out.upto[first + kTwigBlock - 1];
}
HWY_INLINE void see(const TwigRows& x, const TwigNode& node, Seen& out) {
  see_block(x, node, 0, out);
  if (node.rows > kTwigBlock) {
    see_block(x, node, kTwigBlock, out);
    const bool changes = x.label[node.at[kTwigBlock - 1]] != x.label[node.at[kTwigBlock]];
    out.ends |= std::uint32_t{changes} << (kTwigBlock - 1);
  }
  out.ends |= 1u << (node.rows - 1);
}

// --- columns side by side --------------------------------------------------------------------------------------------

struct Asked {  // columns to be judged: where their codes are
  static constexpr std::size_t kAtOnce = 8;
  std::size_t count = 0;
  bool levels = false;  // whether some are of levels
  std::array<std::uint16_t, 2 * kTwigColumns + kAtOnce> at;
  void put(std::size_t column, bool counts) {
    at[count] = static_cast<std::uint16_t>(column * kTwigRows), count += counts;
  }
  void pad() {
    for (std::size_t i = 0; i < kAtOnce; ++i) at[count + i] = 2 * kTwigColumns * kTwigRows;
  }
  bool missing_right(std::size_t i) const { return at[i] >= kTwigColumns * kTwigRows; }
};

// Blocks from the given one on: at(k) is where the k-th is.
template <class D, class At>
HWY_INLINE hn::Vec<D> load_blocks(D d, std::size_t first, At at) {
  if constexpr (hn::MaxLanes(D()) <= kTwigBlock) {
    return hn::LoadU(d, at(first));
  } else {
    const hn::Half<D> half;
    const std::size_t blocks = hn::MaxLanes(half) / kTwigBlock;
    return hn::Combine(d, load_blocks(half, first + blocks, at), load_blocks(half, first, at));
  }
}

// The codes of the node's rows, kLanes of each column.
template <std::size_t kLanes, class D>
HWY_INLINE hn::Vec<D> load_node(D d, const std::uint8_t* code, const std::uint16_t* at, const Seen& seen) {
  const auto low = hn::LoadDup128(d, seen.low.data()), high = hn::LoadDup128(d, seen.high.data());
  const auto rows_of = [&](std::size_t first, std::size_t step) {
    const auto lower = [=](std::size_t k) { return code + at[first + step * k]; };
    const auto upper = [=](std::size_t k) { return lower(k) + kTwigBlock; };
    return look_up(load_blocks(d, 0, lower), load_blocks(d, 0, upper), low, high);
  };
  if constexpr (kLanes == 16) {
    return rows_of(0, 1);
  } else {
    const hn::Repartition<std::uint64_t, D> words;
    return hn::BitCast(
        d, hn::InterleaveLower(words, hn::BitCast(words, rows_of(0, 2)), hn::BitCast(words, rows_of(1, 2))));
  }
}
// The same for what all lanes of a column have in common.
template <std::size_t kLanes, class D>
HWY_INLINE hn::Vec<D> load_common(D d, const std::uint8_t* code, const std::uint16_t* at) {
  const auto blocks_of = [&](std::size_t first, std::size_t step) {
    return load_blocks(d, 0, [=](std::size_t k) { return code + at[first + step * k]; });
  };
  if constexpr (kLanes == 16) {
    return blocks_of(0, 1);
  } else {
    const hn::Repartition<std::uint64_t, D> words;
    return hn::BitCast(
        d, hn::InterleaveLower(words, hn::BitCast(words, blocks_of(0, 2)), hn::BitCast(words, blocks_of(1, 2))));
  }
}

constexpr std::size_t kCuts = 64;  // room for them: one a lane
// Which row a lane is.
template <std::size_t kLanes>
alignas(64) constexpr std::array<std::uint8_t, kCuts> kLaneRow = [] {
  std::array<std::uint8_t, kCuts> out{};
  for (std::size_t i = 0; i < kCuts; ++i) out[i] = static_cast<std::uint8_t>(i % kLanes);
  return out;
}();
// For each row, where it is found in the columns of a register.
template <std::size_t kLanes>
alignas(64) constexpr auto kRowAt = [] {
  std::array<std::array<std::uint8_t, 64>, kLanes> out{};
  for (std::size_t j = 0; j < kLanes; ++j)
    for (std::size_t i = 0; i < 64; ++i) out[j][i] = static_cast<std::uint8_t>(i / kLanes * kLanes % kTwigBlock + j);
  return out;
}();
template <std::size_t kLanes, class D, class V>
HWY_INLINE V row_of(D d, V v, std::size_t j) {
  return hn::TableLookupBytes(v, hn::BitCast(hn::DFromV<V>(), hn::Load(d, kRowAt<kLanes>[j].data())));
}
// Registers compare signed numbers.
template <class D>
HWY_INLINE auto turned_about(D d, hn::Vec<D> v) {
  return hn::BitCast(hn::RebindToSigned<D>(), hn::Xor(v, hn::Set(d, 0x80)));
}

// --- what lies left of each cut, which is behind a row's code --------------------------------------------------------

struct Scratch {
  alignas(64) std::uint8_t upto[kTwigRows * kCuts];  // what the rows up to each count for there
  alignas(64) std::uint8_t code[kCuts + kTwigBlock], all[kCuts + kTwigBlock], valid[kCuts];
  alignas(64) std::uint8_t major[kCuts], minor[kCuts];  // of many rows: what they are compared by
  alignas(64) std::uint16_t squares[kCuts], cross[kCuts], above[kCuts], below[kCuts];
};

// Calls body with m / n as floats, a quarter of the lanes at a time, and puts together the bytes it gives.
template <class D, class Body>
HWY_INLINE hn::Vec<D> each_share(D d, hn::Vec<D> m, hn::Vec<D> n, hn::Vec<D> other, Body body) {
  const hn::Half<D> half;
  const hn::Half<decltype(half)> quarter;
  const hn::Rebind<std::int32_t, decltype(quarter)> di;
  const hn::RebindToFloat<decltype(di)> df;
  n = hn::Max(n, hn::Set(d, 1));  // what only fills up counts for nothing
  const auto one = [&](auto a, auto b, auto c) {
    const auto share = hn::Div(hn::ConvertTo(df, hn::PromoteTo(di, a)), hn::ConvertTo(df, hn::PromoteTo(di, b)));
    return hn::DemoteTo(quarter, body(df, share, hn::PromoteTo(di, c)));
  };
  const auto two = [&](auto a, auto b, auto c) {
    return hn::Combine(half, one(hn::UpperHalf(quarter, a), hn::UpperHalf(quarter, b), hn::UpperHalf(quarter, c)),
                       one(hn::LowerHalf(quarter, a), hn::LowerHalf(quarter, b), hn::LowerHalf(quarter, c)));
  };
  return hn::Combine(d, two(hn::UpperHalf(half, m), hn::UpperHalf(half, n), hn::UpperHalf(half, other)),
                     two(hn::LowerHalf(half, m), hn::LowerHalf(half, n), hn::LowerHalf(half, other)));
}
// In whole units, of which there is room for: with it the last bit of a float is worth one.
template <class D, class V>
HWY_INLINE auto units_of(D df, V share, float room) {
  const hn::RebindToSigned<D> di;
  const auto with = hn::Set(df, room);
  return hn::Sub(hn::BitCast(di, hn::Add(share, with)), hn::BitCast(di, with));
}
// Of two classes the second begins where the first ends.
template <class D>
HWY_INLINE hn::Vec<D> of_second(D d, const Seen& seen, hn::Vec<D> row, hn::Vec<D> count) {
  const auto last = hn::Set(d, static_cast<std::uint8_t>(std::countr_zero(seen.ends)));
  return hn::IfThenElseZero(hn::Ne(hn::Max(row, last), last), count);
}

// The share of the second class in each row's level, in 256 parts, one whole being 255.
template <std::size_t kLanes, class D>
HWY_INLINE hn::Vec<D> level_shares(D d, const Seen& seen, hn::Vec<D> code) {
  using V = hn::Vec<D>;
  V all = hn::Zero(d), second = all;
  const V count = hn::LoadDup128(d, seen.count.data()),
          seconds = of_second(d, seen, hn::Load(d, kLaneRow<16>.data()), count);
  for (std::size_t j = 0; j < kLanes; ++j) {
    const auto same = hn::Eq(row_of<kLanes>(d, code, j), code);
    all = hn::IfThenElse(same, hn::Add(all, row_of<16>(d, count, j)), all);
    second = hn::IfThenElse(same, hn::Add(second, row_of<16>(d, seconds, j)), second);
  }
  return each_share(d, second, all, all, [](auto df, auto share, auto) { return units_of(df, share, 0x1p15F); });
}

template <std::size_t kLanes, class D>
HWY_INLINE hn::Vec<D> count_left(D d, const TwigRules& rules, const Seen& seen, const Asked& asked, std::size_t slot,
                                 hn::Vec<D> code, Scratch& scratch) {
  using V = hn::Vec<D>;
  const auto turned = turned_about(d, code);
  const V count = hn::LoadDup128(d, seen.count.data());
  V upto = hn::Zero(d);
  const auto add = [&](auto right, std::size_t j) {
    upto = hn::IfThenElse(hn::RebindMask(d, right), upto, hn::Add(upto, row_of<16>(d, count, j)));
    hn::Store(upto, d, scratch.upto + j * kCuts);
  };
  if (!asked.levels) {
    for (std::size_t j = 0; j < kLanes; ++j) add(hn::Gt(row_of<kLanes>(d, turned, j), turned), j);
    return upto;
  }
  // Levels by share, then by code. Missing values are the least still, or, where they go right, the greatest.
  const V is_level = load_common<kLanes>(d, rules.level.data(), asked.at.data() + slot);
  V share = hn::And(is_level, level_shares<kLanes>(d, seen, code));
  share = hn::IfThenZeroElse(hn::Eq(code, hn::Zero(d)), share);
  share = hn::Or(share, hn::And(is_level, hn::VecFromMask(d, hn::Eq(code, hn::Set(d, 255)))));
  const auto turned_share = turned_about(d, share);
  for (std::size_t j = 0; j < kLanes; ++j) {
    const auto one = row_of<kLanes>(d, turned_share, j);
    const auto behind = hn::And(hn::Eq(one, turned_share), hn::Gt(row_of<kLanes>(d, turned, j), turned));
    add(hn::Or(hn::Gt(one, turned_share), behind), j);
  }
  return upto;
}

// --- the same for two columns of a twig's many rows, as many cuts at a time as a register holds ----------------------

// Where the rows from the given one on are, of the columns whose cuts are in the blocks of a register.
HWY_INLINE auto rows_from(const std::uint8_t* column, std::size_t row) {
  return [=](std::size_t k) { return column + k / 2 * kTwigRows + row; };
}

// Levels by share and then by the number of rows of lesser codes: 11 bits and 5.
template <class D>
HWY_INLINE void place_levels(D d, const TwigRules& rules, const Seen& seen, std::size_t rows,
                             const std::uint16_t* asked, std::size_t first, Scratch& scratch) {
  using V = hn::Vec<D>;
  const V code = hn::Load(d, scratch.code + first * kTwigBlock), none = hn::Zero(d);
  const auto turned = turned_about(d, code);
  V all = none, second = none, before = none;
  for (std::size_t at = 0; at < rows; at += kTwigBlock) {
    const V here = load_blocks(d, first, rows_from(scratch.code, at)),
            count = hn::LoadDup128(d, seen.count.data() + at),
            seconds = of_second(d, seen, hn::LoadDup128(d, kLaneRow<kTwigRows>.data() + at), count);
    const auto turned_here = turned_about(d, here);
    for (std::size_t j = 0; j < kTwigBlock; ++j) {
      const auto same = hn::Eq(row_of<16>(d, here, j), code);
      all = hn::IfThenElse(same, hn::Add(all, row_of<16>(d, count, j)), all);
      second = hn::IfThenElse(same, hn::Add(second, row_of<16>(d, seconds, j)), second);
      before = hn::Sub(before, hn::VecFromMask(d, hn::RebindMask(d, hn::Lt(row_of<16>(d, turned_here, j), turned))));
    }
  }
  const auto key = [](auto df, auto share, auto other) {
    const hn::RebindToSigned<decltype(df)> di;
    return hn::Or(hn::ShiftLeft<5>(hn::Min(units_of(df, share, 0x1p12F), hn::Set(di, 2047))), other);
  };
  V major = each_share(d, second, all, before,
                       [&](auto df, auto share, auto other) { return hn::ShiftRight<8>(key(df, share, other)); });
  V minor = each_share(d, second, all, before, [&](auto df, auto share, auto other) {
    return hn::And(key(df, share, other), hn::Set(hn::RebindToSigned<decltype(df)>(), 255));
  });
  const V is_level = load_blocks(d, first, [&](std::size_t k) { return rules.level.data() + asked[k / 2]; });
  const auto missing = hn::Or(hn::Eq(code, none), hn::Eq(code, hn::Set(d, 255)));
  const auto known = hn::And(hn::Ne(is_level, none), hn::Not(missing));
  major = hn::IfThenElse(known, major, hn::And(is_level, code)), minor = hn::IfThenElse(known, minor, code);
  hn::Store(major, d, scratch.major + first * kTwigBlock), hn::Store(minor, d, scratch.minor + first * kTwigBlock);
}

template <class D>
HWY_INLINE void count_many(D d, const Seen& seen, std::size_t rows, bool levels, std::size_t first, Scratch& scratch) {
  const std::size_t lane = first * kTwigBlock;
  const auto minor = turned_about(d, hn::Load(d, scratch.minor + lane));
  auto all = hn::Zero(d);
  for (std::size_t at = 0; at < rows; at += kTwigBlock) {
    const auto rows_minor = turned_about(d, load_blocks(d, first, rows_from(scratch.minor, at)));
    const auto count = hn::LoadDup128(d, seen.count.data() + at);
    const auto add = [&](auto right, std::size_t j) {
      all = hn::IfThenElse(hn::RebindMask(d, right), all, hn::Add(all, row_of<16>(d, count, j)));
      hn::Store(all, d, scratch.upto + (at + j) * kCuts + lane);
    };
    if (!levels) {
      for (std::size_t j = 0; j < kTwigBlock; ++j) add(hn::Gt(row_of<16>(d, rows_minor, j), minor), j);
      continue;
    }
    const auto major = turned_about(d, hn::Load(d, scratch.major + lane)),
               rows_major = turned_about(d, load_blocks(d, first, rows_from(scratch.major, at)));
    for (std::size_t j = 0; j < kTwigBlock; ++j) {
      const auto one = row_of<16>(d, rows_major, j);
      add(hn::Or(hn::Gt(one, major), hn::And(hn::Eq(one, major), hn::Gt(row_of<16>(d, rows_minor, j), minor))), j);
    }
  }
  hn::Store(all, d, scratch.all + lane);
}

// Adds up the classes on either side of each cut. cut(h, above, below, all): of the h-th part of the cuts, from the
// given lane on, the scores, above / below, which fit 16 bits since a score is no more than what all rows count for;
// and what lies left.
template <class D, class Cut>
HWY_INLINE void add_up(D d, std::size_t lane, const TwigRules& rules, Seen& seen, Scratch& scratch, Cut cut) {
  constexpr std::size_t kAll = hn::MaxLanes(D()), kPart = std::min(kAll, kMostBytes / 2), kParts = kAll / kPart;
  static_assert(kAll <= kCuts);
  const hn::CappedTag<std::uint16_t, kPart> wide;
  const hn::Rebind<std::uint8_t, decltype(wide)> narrow;
  using W = hn::Vec<decltype(wide)>;
  (void)d;
  W squares[kParts], cross[kParts], before[kParts];
  for (std::size_t h = 0; h < kParts; ++h) squares[h] = cross[h] = before[h] = hn::Zero(wide);
  std::uint32_t total_before = 0, total_squares = 0, ends = seen.ends;
  do {  // a class is the difference of what rows up to its last count for, and up to the last of those before
    const auto end = static_cast<std::size_t>(std::countr_zero(ends));
    ends &= ends - 1;
    const std::uint32_t total = seen.upto[end] - total_before;
    total_before = seen.upto[end], total_squares += total * total;
    const W of_class = hn::Set(wide, static_cast<std::uint16_t>(total));
    for (std::size_t h = 0; h < kParts; ++h) {
      const W here = hn::PromoteTo(wide, hn::Load(narrow, scratch.upto + end * kCuts + lane + h * kPart));
      const W own = hn::Sub(here, before[h]);
      before[h] = here;
      squares[h] = hn::Add(squares[h], hn::Mul(own, own)), cross[h] = hn::Add(cross[h], hn::Mul(own, of_class));
    }
  } while (ends != 0);
  seen.squares = total_squares;
  const W node = hn::Set(wide, static_cast<std::uint16_t>(seen.all)),
          of_node = hn::Set(wide, static_cast<std::uint16_t>(total_squares)),
          least = hn::Set(wide, static_cast<std::uint16_t>(rules.least));
  for (std::size_t h = 0; h < kParts; ++h) {
    const std::size_t at = lane + h * kPart;
    hn::Store(squares[h], wide, scratch.squares + at), hn::Store(cross[h], wide, scratch.cross + at);
    const W all = hn::PromoteTo(wide, hn::Load(narrow, scratch.valid + at)), right = hn::Sub(node, all);
    // (t - n)^2 = t^2 - 2 t n + n^2; what does not fit on the way cancels.
    const W right_less_left = hn::Sub(of_node, hn::Add(cross[h], cross[h]));
    const W above = hn::Add(hn::Mul(squares[h], node), hn::Mul(right_less_left, all));
    const auto enough = hn::Eq(hn::Min(hn::Min(all, right), least), least);
    cut(h, hn::IfThenElseZero(enough, above), hn::Max(hn::Mul(all, right), hn::Set(wide, 1)), all);
  }
}
// Calls body(whether they are the upper half, scores) for either half.
template <class W, class Body>
HWY_INLINE void each_score(W above, W below, Body body) {
  const hn::DFromV<W> wide;
  const hn::RepartitionToWide<decltype(wide)> du;
  const hn::RebindToSigned<decltype(du)> di;
  const hn::RebindToFloat<decltype(du)> df;
  const hn::Half<decltype(wide)> half;
  const auto score = [&](auto p, auto q) {
    return hn::Div(hn::ConvertTo(df, hn::PromoteTo(di, p)), hn::ConvertTo(df, hn::PromoteTo(di, q)));
  };
  body(std::false_type(), score(hn::LowerHalf(half, above), hn::LowerHalf(half, below)));
  body(std::true_type(), score(hn::UpperHalf(half, above), hn::UpperHalf(half, below)));
}
// No cut is behind a missing value, nor behind what only fills up.
template <std::size_t kLanes, class D>
HWY_INLINE void keep_valid(D d, std::size_t lane, std::uint32_t rows, Scratch& scratch) {
  const auto last = hn::Set(d, static_cast<std::uint8_t>(rows - 1)), row = hn::Load(d, kLaneRow<kLanes>.data() + lane);
  const auto missing = hn::Eq(hn::Load(d, scratch.code + lane), hn::Zero(d));
  const auto none = hn::Or(missing, hn::Ne(hn::Max(row, last), last));
  hn::Store(hn::IfThenZeroElse(none, hn::Load(d, scratch.all + lane)), d, scratch.valid + lane);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
