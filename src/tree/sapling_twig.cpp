#include "tree/sapling_twig.h"

#include <algorithm>
#include <bit>

#include "tree/sapling_twig_draw.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_twig.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "tree/sapling_twig_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

using sapling::TwigCut, sapling::TwigDraws;

#if HWY_TARGET == HWY_SCALAR
void choose_twig_here(const sapling::TwigRows&, const sapling::TwigNode&, sapling::TwigRules&, TwigCut&) {}
#else
struct Best {
  std::uint32_t score = 0;             // as in a key; 0: there is none
  std::uint32_t above = 0, below = 1;  // the score of a cut of many rows
  std::size_t slot = 0;                // of all columns asked
  std::uint32_t bin = 0, next = 0, left = 0, left_all = 0, left_squares = 0, cross = 0;
  bool has_missing = false;
  alignas(32) std::array<std::uint8_t, kTwigRows> row_all;  // of a node of many rows: what lies left of each row's cut
};

// What lies between a code and the next one; rows without say nothing.
template <class V>
HWY_INLINE std::uint32_t least_over(V code, std::size_t rows, std::uint32_t bin) {
  const Sixteen d;
  auto over = hn::Sub(code, hn::Set(d, static_cast<std::uint8_t>(bin + 1)));
  over = hn::IfThenElse(hn::FirstN(d, rows), over, hn::Set(d, 255));
  over = hn::Min(over, hn::ShiftRightBytes<8>(d, over)), over = hn::Min(over, hn::ShiftRightBytes<4>(d, over));
  over = hn::Min(over, hn::ShiftRightBytes<2>(d, over)), over = hn::Min(over, hn::ShiftRightBytes<1>(d, over));
  return hn::GetLane(over);
}

// --- nodes of a block's rows or less ---------------------------------------------------------------------------------

// A cut's key: its score in units of 2^-17; then the first column; then the least on the left, which is the first of a
// column's cuts. Scores are quotients by products of the sides: of rows that count for n, two that differ do so by
// 16 / n^4 or more. Up to kMostKeyed that is a unit and the last bit of a float in which they are rounded, and more.
constexpr std::uint32_t kMostKeyed = 34;
constexpr std::uint32_t kMostShared = 32;  // up to which a byte tells the shares of two levels apart
constexpr int kAllBits = 6, kRestBits = kAllBits + 3;
constexpr float kAboveScores = 64;  // with which the last bit of a score is worth a unit
template <std::size_t kLanes>
alignas(64) constexpr std::array<std::uint16_t, kCuts> kSlotKey = [] {
  std::array<std::uint16_t, kCuts> out{};
  for (std::size_t i = 0; i < kCuts; ++i)
    out[i] = static_cast<std::uint16_t>((7 - i / kLanes) << kAllBits | ((1 << kAllBits) - 1));
  return out;
}();
// Where a row lies left of a cut, what lies left of its own cut counts for no more.
template <std::size_t kLanes>
HWY_INLINE void take_keyed(const Scratch& scratch, std::uint32_t key, std::size_t slot, std::uint32_t rows,
                           const Asked& asked, Best& best) {
  const Sixteen d;
  const std::size_t own = 7 - (key >> kAllBits & 7);
  best.left_all = ~key & ((1u << kAllBits) - 1);
  best.score = key >> kRestBits, best.slot = slot + own;
  const auto code = hn::LoadU(d, scratch.code + own * kLanes), all = hn::LoadU(d, scratch.all + own * kLanes),
             here = hn::Set(d, static_cast<std::uint8_t>(best.left_all));
  const std::uint64_t of_node = (1u << rows) - 1;
  best.left = static_cast<std::uint32_t>(bits_of(d, hn::Eq(hn::Max(all, here), here)) & of_node);
  const auto missing = hn::Set(d, asked.missing_right(best.slot) ? 255 : 0);
  best.has_missing = (bits_of(d, hn::Eq(code, missing)) & of_node) != 0;
  const std::size_t lane = own * kLanes + static_cast<std::size_t>(std::countr_zero(bits_of(d, hn::Eq(all, here))));
  best.bin = scratch.code[lane];
  best.next = best.bin + least_over(code, rows, best.bin) + 1;
  best.left_squares = scratch.squares[lane], best.cross = scratch.cross[lane];
}

// A register of columns, from the given one on.
template <std::size_t kLanes, class D>
HWY_INLINE void judge(D d, const TwigRows& x, const TwigRules& rules, Seen& seen, std::uint32_t rows,
                      const Asked& asked, std::size_t slot, Best& best) {
  Scratch scratch;
  const auto code = load_node<kLanes>(d, x.code.data(), asked.at.data() + slot, seen);
  const auto all = count_left<kLanes>(d, rules, seen, asked, slot, code, scratch);
  hn::Store(code, d, scratch.code), hn::Store(all, d, scratch.all);
  keep_valid<kLanes>(d, 0, rows, scratch);
  using Key = hn::CappedTag<std::uint32_t, std::min(hn::MaxLanes(D()) / 2, kMostBytes / 4)>;
  const Key keys;
  auto most = hn::Zero(keys);
  add_up(d, 0, rules, seen, scratch, [&](std::size_t h, auto above, auto below, auto left) {
    const hn::DFromV<decltype(above)> wide;
    const hn::Half<decltype(wide)> half;
    const auto rest = hn::Sub(hn::Load(wide, kSlotKey<kLanes>.data() + h * hn::Lanes(wide)), left);
    each_score(above, below, [&](auto upper, auto score) {
      const hn::DFromV<decltype(score)> df;
      const auto whole = hn::BitCast(keys, hn::Add(score, hn::Set(df, kAboveScores)));
      hn::VFromD<decltype(half)> own;
      if constexpr (decltype(upper)::value) own = hn::UpperHalf(half, rest);
      else own = hn::LowerHalf(half, rest);
      most = hn::Max(most, hn::Or(hn::ShiftLeft<kRestBits>(whole), hn::PromoteTo(keys, own)));
    });
  });
  const std::uint32_t key = hn::GetLane(hn::MaxOfLanes(keys, most));
  if (key >> kRestBits > best.score) take_keyed<kLanes>(scratch, key, slot, rows, asked, best);
}

// --- nodes of more rows ----------------------------------------------------------------------------------------------

// Of cuts whose scores are one float the greatest, and of equal ones the first.
HWY_INLINE void take_exactly(const Scratch& scratch, std::uint64_t bits, std::size_t slot, Best& best) {
  for (; bits != 0; bits &= bits - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
    const std::size_t own = slot + lane / kTwigRows;
    const std::uint32_t above = scratch.above[lane], below = scratch.below[lane], all = scratch.all[lane];
    const std::uint32_t here = above * best.below, there = best.above * below;
    if (here < there || (here == there && !(own == best.slot && all < best.left_all))) continue;
    best.above = above, best.below = below, best.slot = own, best.left_all = all;
    best.bin = scratch.code[lane], best.left_squares = scratch.squares[lane], best.cross = scratch.cross[lane];
    std::copy_n(scratch.all + lane / kTwigRows * kTwigRows, kTwigRows, best.row_all.begin());
  }
}

// Two columns, from the given one on.
template <class D>
HWY_INLINE void judge_two(D d, const TwigRows& x, const TwigRules& rules, Seen& seen, std::uint32_t rows,
                          const Asked& asked, std::size_t slot, float& most, Best& best) {
  Scratch scratch;
  alignas(64) float scores[kCuts];
  const auto each = [&](auto body) {
    for (std::size_t at = 0; at < kCuts; at += hn::Lanes(d)) body(at);
  };
  const std::uint16_t* const columns = asked.at.data() + slot;
  each([&](std::size_t at) {
    const auto half_of = [](const std::array<std::uint8_t, kTwigRows>& from) {
      return [&from](std::size_t k) { return from.data() + k % 2 * kTwigBlock; };
    };
    const auto lower = [&](std::size_t k) { return x.code.data() + columns[k / 2]; };
    const auto upper = [&](std::size_t k) { return lower(k) + kTwigBlock; };
    const std::size_t first = at / kTwigBlock;
    const auto code = look_up(load_blocks(d, first, lower), load_blocks(d, first, upper),
                              load_blocks(d, first, half_of(seen.low)), load_blocks(d, first, half_of(seen.high)));
    hn::Store(code, d, scratch.code + at), hn::Store(code, d, scratch.minor + at);
  });
  if (asked.levels)
    each([&](std::size_t at) { place_levels(d, rules, seen, rows, columns, at / kTwigBlock, scratch); });
  each([&](std::size_t at) {
    count_many(d, seen, rows, asked.levels, at / kTwigBlock, scratch);
    keep_valid<kTwigRows>(d, at, rows, scratch);
    add_up(d, at, rules, seen, scratch, [&](std::size_t h, auto above, auto below, auto) {
      const hn::DFromV<decltype(above)> wide;
      const std::size_t to = at + h * hn::Lanes(wide);
      hn::Store(above, wide, scratch.above + to), hn::Store(below, wide, scratch.below + to);
      each_score(above, below, [&](auto is_upper, auto score) {
        const hn::DFromV<decltype(score)> df;
        hn::Store(score, df, scores + to + (is_upper ? hn::Lanes(df) : 0));
      });
    });
  });
  const hn::CappedTag<float, kMostBytes / 4> df;
  auto greatest = hn::Zero(df);
  for (std::size_t i = 0; i < kCuts; i += hn::Lanes(df)) greatest = hn::Max(greatest, hn::Load(df, scores + i));
  greatest = hn::MaxOfLanes(df, greatest);
  const float here = hn::GetLane(greatest);
  if (here == 0 || here < most) return;
  most = here;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kCuts; i += hn::Lanes(df))
    bits |= bits_of(df, hn::Eq(hn::Load(df, scores + i), greatest)) << i;
  take_exactly(scratch, bits, slot, best);
}
// What the rows of a node have in the column of the best cut.
HWY_INLINE void take_column(const TwigRows& x, const Seen& seen, std::uint32_t rows, const Asked& asked, Best& best) {
  const Sixteen d;
  const std::uint8_t* const column = x.code.data() + asked.at[best.slot];
  const auto lower = hn::Load(d, column), upper = hn::Load(d, column + kTwigBlock),
             missing = hn::Set(d, asked.missing_right(best.slot) ? 255 : 0),
             here = hn::Set(d, static_cast<std::uint8_t>(best.left_all));
  std::uint64_t left = 0, none = 0;
  std::uint32_t over = 255;
  for (std::size_t at = 0; at < rows; at += kTwigBlock) {
    const auto code = look_up(lower, upper, hn::Load(d, seen.low.data() + at), hn::Load(d, seen.high.data() + at));
    const auto all = hn::Load(d, best.row_all.data() + at);
    left |= bits_of(d, hn::Eq(hn::Max(all, here), here)) << at, none |= bits_of(d, hn::Eq(code, missing)) << at;
    over = std::min(over, least_over(code, std::min<std::size_t>(rows - at, kTwigBlock), best.bin));
  }
  const std::uint64_t of_node = (std::uint64_t{1} << rows) - 1;
  best.left = static_cast<std::uint32_t>(left & of_node), best.has_missing = (none & of_node) != 0;
  best.next = best.bin + over + 1, best.score = 1;
}

// --- choosing --------------------------------------------------------------------------------------------------------

HWY_INLINE void judge_all(const TwigRows& x, const TwigRules& rules, Seen& seen, std::uint32_t rows, Asked& asked,
                          Best& best) {
  asked.pad();
  if (rows > kTwigBlock || seen.all > (asked.levels ? kMostShared : kMostKeyed)) {
    float most = 0;
    for (std::size_t slot = 0; slot < asked.count; slot += 2)
      judge_two(BytesOf<64>(), x, rules, seen, rows, asked, slot, most, best);
    if (best.above > 0) take_column(x, seen, rows, asked, best);
    return;
  }
  const auto each = [&](auto lanes, auto d) {
    for (std::size_t slot = 0; slot < asked.count; slot += hn::Lanes(d) / lanes)
      judge<lanes>(d, x, rules, seen, rows, asked, slot, best);
  };
  constexpr std::integral_constant<std::size_t, 8> kEight;
  constexpr std::integral_constant<std::size_t, 16> kSixteen;
  if (rows > kEight) each(kSixteen, BytesOf<64>());
  else if (asked.count > 4) each(kEight, BytesOf<64>());
  else each(kEight, BytesOf<32>());
}

// For each eight bits, the places of those set, a byte each.
constexpr std::array<std::uint64_t, 256> kPlaces = [] {
  std::array<std::uint64_t, 256> out{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    int at = 0;
    for (std::uint64_t i = 0; i < 8; ++i)
      if (bits >> i & 1) out[bits] |= i << 8 * at++;
  }
  return out;
}();
// The rows whose bits are set, in their order, and after them any; gives how many.
HWY_INLINE std::uint32_t pick_rows(const TwigNode& node, std::uint32_t bits, std::uint8_t* to) {
  const hn::CappedTag<std::uint8_t, 8> d;
  const hn::Repartition<std::uint64_t, decltype(d)> word;
  std::uint32_t picked = 0;
  for (std::size_t at = 0; at < node.rows; at += 8) {
    const std::uint32_t here = bits >> at & 255;
    const auto places = hn::BitCast(d, hn::Set(word, kPlaces[here]));
    hn::StoreU(hn::TableLookupBytes(hn::Load(d, node.at.data() + at), places), d, to + picked);
    picked += static_cast<std::uint32_t>(std::popcount(here));
  }
  return picked;
}
HWY_INLINE void divide_rows(const TwigNode& node, TwigCut& cut) {
  cut.left_rows = pick_rows(node, cut.left, cut.left_at.data());
  pick_rows(node, ~cut.left & static_cast<std::uint32_t>((std::uint64_t{1} << node.rows) - 1), cut.right_at.data());
}

constexpr std::size_t kAskedFirst = 8;  // rows

HWY_INLINE bool has(std::uint64_t bits, std::size_t column) { return bits >> column & 1; }

// Bits of the columns in which the node's rows are not all alike.
template <class D>
HWY_INLINE std::uint64_t differing(D d, const TwigRows& x, const TwigNode& node, std::size_t columns) {
  std::uint64_t out = 0;
  for (std::size_t k = 0; k < columns; k += hn::Lanes(d)) {
    const auto first = hn::LoadU(d, x.row[node.at[0]] + k);
    auto differ = hn::Zero(d);
    for (std::size_t i = 1; i < node.rows; ++i)
      differ = hn::Or(differ, hn::Xor(first, hn::LoadU(d, x.row[node.at[i]] + k)));
    out |= bits_of(d, hn::Ne(differ, hn::Zero(d))) << k;
  }
  return columns < 64 ? out & ((std::uint64_t{1} << columns) - 1) : out;
}
HWY_INLINE std::uint64_t differing(const TwigRows& x, const TwigNode& node, std::size_t columns) {
  return columns <= 16 ? differing(Sixteen(), x, node, columns) : differing(BytesOf<64>(), x, node, columns);
}

// Two rows are divided alike by any column that tells them apart.
HWY_INLINE void choose_of_two(const TwigRows& x, const TwigNode& node, TwigRules& rules, TwigCut& out) {
  const std::size_t a = node.at[0], b = node.at[1];
  const std::uint32_t first = x.count[a], second = x.count[b];
  const std::uint64_t differ = differing(x, node, rules.columns);
  if (differ == 0 || std::min(first, second) < rules.least) return;
  TwigDraws draws(rules, node.node);
  std::size_t column = draws.next();
  while (!has(differ, column)) column = draws.next();
  const std::uint32_t code_a = x.row[a][column], code_b = x.row[b][column];
  const std::uint32_t less = std::min(code_a, code_b), more = std::max(code_a, code_b);
  out.any = true, out.column = static_cast<std::uint32_t>(column);
  out.has_missing = out.missing_right = less == 0;
  out.bin = less == 0 ? more : less, out.next = less == 0 ? 0 : more;
  // Of levels that of the first class comes first.
  const bool a_left = less == 0 ? code_b == 0 : has(rules.categories, column) || code_a < code_b;
  out.left = a_left ? 1 : 2, out.left_rows = 1;
  out.left_at[0] = node.at[!a_left], out.right_at[0] = node.at[a_left];
  out.all = first + second, out.left_all = a_left ? first : second;
  out.squares = first * first + second * second, out.left_squares = out.left_all * out.left_all;
  out.right_squares = out.squares - out.left_squares;
}

// As in Grower: where the columns drawn offer nothing, further ones are drawn.
void choose_twig_here(const TwigRows& x, const TwigNode& node, TwigRules& rules, TwigCut& out) {
  out.any = false;
  if (node.rows == 2) return choose_of_two(x, node, rules, out);
  // Of few rows it is soon found out which columns need not be judged; of more nearly all differ.
  const std::uint64_t varied = node.rows <= kAskedFirst ? differing(x, node, rules.columns) : x.varied;
  Seen seen;
  see(x, node, seen);
  Asked asked;
  Best best;
  TwigDraws draws(rules, node.node);
  const auto ask = [&] {
    const std::size_t column = draws.next();
    const bool differs = has(varied, column);
    asked.put(column, differs);
    if (x.missing != 0) asked.put(column + kTwigColumns, differs && has(x.missing, column));
    asked.levels |= differs && has(rules.categories, column);
  };
  while (draws.drawn() < rules.wanted) ask();
  for (;;) {
    while (asked.count == 0 && draws.any()) ask();
    if (asked.count == 0) return;
    judge_all(x, rules, seen, node.rows, asked, best);
    if (best.score > 0) break;
    asked.count = 0;
  }
  const std::size_t column = asked.at[best.slot] / kTwigRows;
  out.any = true, out.missing_right = column >= kTwigColumns, out.has_missing = best.has_missing;
  out.column = static_cast<std::uint32_t>(column % kTwigColumns);
  out.bin = best.bin, out.next = out.missing_right && best.next == 255 ? 0 : best.next;
  out.left = best.left, out.all = seen.all, out.left_all = best.left_all;
  out.squares = seen.squares, out.left_squares = best.left_squares;
  out.right_squares = out.squares + best.left_squares - 2 * best.cross;
  divide_rows(node, out);
}
#endif

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(choose_twig_here);

void sapling::choose_twig(const TwigRows& x, const TwigNode& node, TwigRules& rules, TwigCut& out) {
  HWY_DYNAMIC_DISPATCH(choose_twig_here)(x, node, rules, out);
}
}  // namespace wald
#endif
