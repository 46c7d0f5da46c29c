#include "tree/sapling_compare.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_compare.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace compare_hn = hwy::HWY_NAMESPACE;

// What lies left of each cut: first what the rows up to each count for there, so that a class is the difference of two
// of these, whose place nobody need foresee. The right side's squares follow from (t - n)^2 = t^2 - 2 t n + n^2; what
// does not fit on the way cancels.
template <std::size_t kCuts>
void count_left(const sapling::ComparedRows& x, const sapling::ComparedCuts& cuts) {
  namespace hn = compare_hn;
  const hn::CappedTag<std::uint16_t, kCuts> d;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d), rows = x.rows;
  const std::uint8_t *const code = x.code, *const count = x.count;
  for (std::size_t at = 0; at < cuts.count; at += lanes) {
    const auto cut = hn::LoadU(narrow, cuts.code + at);
    auto upto = hn::Zero(narrow);
    std::uint8_t* to = x.upto;
    for (std::size_t j = 0; j < rows; ++j, to += lanes) {
      const auto right = hn::Gt(hn::Set(narrow, code[j]), cut);
      upto = hn::Add(upto, hn::IfThenZeroElse(right, hn::Set(narrow, count[j])));  // one addition waits for another
      hn::StoreU(upto, narrow, to);
    }
    auto before = hn::Zero(narrow);
    auto squares = hn::Zero(d), cross = squares;
    std::uint16_t total_before = 0;
    for (std::size_t k = 0; k < x.classes; ++k) {
      const auto here = hn::LoadU(narrow, x.upto + (x.runs[k].end - 1u) * lanes);
      const auto left = hn::PromoteTo(d, hn::Sub(here, before));
      const auto total = hn::Set(d, static_cast<std::uint16_t>(x.runs[k].upto - total_before));
      before = here, total_before = x.runs[k].upto;
      squares = hn::Add(squares, hn::Mul(left, left)), cross = hn::Add(cross, hn::Mul(left, total));
    }
    hn::StoreU(hn::PromoteTo(d, upto), d, cuts.all + at), hn::StoreU(squares, d, cuts.squares + at);
    hn::StoreU(hn::Sub(hn::Add(hn::Set(d, x.squares), squares), hn::Add(cross, cross)), d, cuts.right_squares + at);
  }
}

// The same for two classes.
template <std::size_t kCuts>
void count_two(const sapling::ComparedRows& x, const sapling::ComparedCuts& cuts) {
  namespace hn = compare_hn;
  const hn::CappedTag<std::uint16_t, kCuts> d;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const auto second = hn::Set(d, x.second), first = hn::Set(d, static_cast<std::uint16_t>(x.all - x.second));
  for (std::size_t at = 0; at < cuts.count; at += hn::Lanes(d)) {
    const auto cut = hn::LoadU(narrow, cuts.code + at);
    auto all = hn::Zero(narrow), ones = all;
    for (std::size_t j = 0; j < x.rows; ++j) {
      const auto right = hn::Gt(hn::Set(narrow, x.code[j]), cut);
      all = hn::Add(all, hn::IfThenZeroElse(right, hn::Set(narrow, x.count[j])));
      ones = hn::Add(ones, hn::IfThenZeroElse(right, hn::Set(narrow, x.ones[j])));
    }
    const auto a = hn::PromoteTo(d, hn::Sub(all, ones)), b = hn::PromoteTo(d, ones);
    const auto ra = hn::Sub(first, a), rb = hn::Sub(second, b);
    hn::StoreU(hn::Add(a, b), d, cuts.all + at);
    hn::StoreU(hn::Add(hn::Mul(a, a), hn::Mul(b, b)), d, cuts.squares + at);
    hn::StoreU(hn::Add(hn::Mul(ra, ra), hn::Mul(rb, rb)), d, cuts.right_squares + at);
  }
}

float compare_rows_here(const sapling::ComparedRows& x, const sapling::ComparedCuts& cuts) {
  namespace hn = compare_hn;
  const bool few = cuts.count <= 16;
  if (x.ones != nullptr) few ? count_two<16>(x, cuts) : count_two<sapling::kComparedAtOnce>(x, cuts);
  else few ? count_left<16>(x, cuts) : count_left<sapling::kComparedAtOnce>(x, cuts);
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const hn::Rebind<std::uint16_t, decltype(d)> narrow;
  const auto read = [&](const std::uint16_t* from) {
    return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(narrow, from)));
  };
  const auto least = hn::Set(d, static_cast<float>(x.least)), node = hn::Set(d, x.all);
  auto most = hn::Set(d, -1.0F);
  for (std::size_t i = 0; i < cuts.count; i += hn::Lanes(d)) {
    const auto wl = read(cuts.all + i), wr = hn::Sub(node, wl);
    // Whole numbers below 2^24, so that only the quotient is rounded.
    const auto above = hn::Add(hn::Mul(read(cuts.squares + i), wr), hn::Mul(read(cuts.right_squares + i), wl));
    const auto score = hn::Div(above, hn::Mul(wl, wr));
    const auto valid = hn::And(hn::Ge(hn::Min(wl, wr), least), hn::FirstN(d, cuts.count - i));
    const auto here = hn::IfThenElse(valid, score, hn::Set(d, -1.0F));
    hn::StoreU(here, d, cuts.score + i);
    most = hn::Max(most, here);
  }
  most = hn::MaxOfLanes(d, most);
  std::fill_n(cuts.best, (cuts.count + 63) / 64, 0);
  for (std::size_t i = 0; i < cuts.count; i += hn::Lanes(d)) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, cuts.score + i), most), reinterpret_cast<std::uint8_t*>(&bits));
    cuts.best[i / 64] |= bits << (i % 64);
  }
  return hn::GetLane(most);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(compare_rows_here);

float sapling::compare_rows(const ComparedRows& x, const ComparedCuts& cuts) {
  return HWY_DYNAMIC_DISPATCH(compare_rows_here)(x, cuts);
}
}  // namespace wald
#endif
