#include "tree/sapling_classes.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_classes.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace classes_hn = hwy::HWY_NAMESPACE;

std::size_t add_classes(const sapling::ClassSums& x, std::size_t first, std::size_t codes, std::uint16_t* code,
                        sapling::ClassCut* cut) {
  namespace hn = classes_hn;
  const hn::CappedTag<double, sapling::ClassCells::kAtOnce> d;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  std::size_t used = 0;
  double before = 0;
  for (std::size_t c = first; c < codes; ++c) {
    auto all = hn::Zero(d), squares = all, cross = all;
    for (std::size_t k = 0; k < x.stride; k += hn::Lanes(d)) {
      const std::size_t at = c * x.stride + k;
      const auto left = hn::Add(hn::LoadU(d, x.left + k), hn::PromoteTo(d, hn::LoadU(whole, x.cells + at)));
      hn::StoreU(left, d, x.left + k);
      all = hn::Add(all, left), squares = hn::Add(squares, hn::Mul(left, left));
      cross = hn::Add(cross, hn::Mul(left, hn::LoadU(d, x.total + k)));
    }
    const double sum = hn::GetLane(hn::SumOfLanes(d, all)), own = hn::GetLane(hn::SumOfLanes(d, squares));
    // The sum of (total - left)^2.
    const double rest = x.squares - 2 * hn::GetLane(hn::SumOfLanes(d, cross)) + own;
    code[used] = static_cast<std::uint16_t>(c), cut[used] = {sum, own, rest};
    used += sum > before;
    before = sum;
  }
  return used;
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t kClasses>
void add_products(const sapling::CodeCuts& x, std::size_t first) {
  for (std::size_t k = first; k < first + kClasses; ++k) {
    std::int32_t left = 0;
    for (std::size_t c = 0; c < x.codes; ++c) {
      if (k == 0)
        for (std::int32_t* parts : x.parts) std::fill_n(parts + 4 * c, 4, 0);
      left += x.cells[c * x.stride + k];
      x.parts[0][4 * c] += left, x.parts[1][4 * c] += left * left, x.parts[2][4 * c] += left * x.total[k];
    }
  }
}

#else

// Four sums that add up to those of all lanes.
template <class D, class V>
auto four_of([[maybe_unused]] D d, V v) {
  namespace hn = classes_hn;
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return v;
  } else {
    const hn::Half<decltype(d)> half;
    return four_of(half, hn::Add(hn::UpperHalf(half, v), hn::LowerHalf(half, v)));
  }
}

// What lies left of each cut, its squares and its products with the totals, each in four parts. Classes may change
// places, but so do their totals.
template <std::size_t kClasses>
void add_products(const sapling::CodeCuts& x, std::size_t first) {
  namespace hn = classes_hn;
  const hn::CappedTag<std::int16_t, kClasses> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::CappedTag<std::int32_t, 4> four;
  const auto read = [&](const std::int32_t* from) {
    return hn::ReorderDemote2To(d, hn::LoadU(wide, from), hn::LoadU(wide, from + hn::Lanes(wide)));
  };
  const auto products = [&](auto a, auto b) {
    auto more = hn::Zero(wide);
    const auto sums = hn::ReorderWidenMulAccumulate(wide, a, b, hn::Zero(wide), more);
    return four_of(wide, hn::Add(sums, more));
  };
  for (std::size_t k = first; k < first + kClasses && k < x.stride; k += hn::Lanes(d)) {
    const auto total = read(x.total + k), one = hn::Set(d, 1);
    auto left = hn::Zero(d);
    const auto put = [&](auto sums, std::int32_t* to) {
      hn::StoreU(k == 0 ? sums : hn::Add(sums, hn::LoadU(four, to)), four, to);
    };
    for (std::size_t c = 0; c < x.codes; ++c) {
      left = hn::Add(left, read(x.cells + c * x.stride + k));
      put(products(left, one), x.parts[0] + 4 * c), put(products(left, left), x.parts[1] + 4 * c);
      put(products(left, total), x.parts[2] + 4 * c);
    }
  }
}

#endif

// Adds the four parts up, and judges.
sapling::CodesJudged judge_codes(const sapling::CodeCuts& x) {
  namespace hn = classes_hn;
  std::size_t k = 0;
  for (; k + 32 <= x.stride; k += 32) add_products<32>(x, k);
  if (x.stride - k >= 16) add_products<16>(x, k), k += 16;
  if (x.stride - k >= 8) add_products<8>(x, k);
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto add_up = [&](const std::int32_t* parts) {
    auto a = hn::Zero(whole), b = a, c = a, e = a;
    hn::LoadInterleaved4(whole, parts, a, b, c, e);
    return hn::Add(hn::Add(a, b), hn::Add(c, e));
  };
  const auto least = hn::Set(d, static_cast<float>(x.least)), node = hn::Set(d, static_cast<float>(x.node));
  auto most = hn::Set(d, -1.0F);
  bool differ = false;
  for (std::size_t c = 0; c < x.codes; c += hn::Lanes(d)) {
    const auto all = add_up(x.parts[0] + 4 * c), left = add_up(x.parts[1] + 4 * c);
    const auto cross = add_up(x.parts[2] + 4 * c);
    // The sum of (total - left)^2.
    const auto right = hn::Sub(hn::Add(hn::Set(whole, x.squares), left), hn::Add(cross, cross));
    hn::StoreU(all, whole, x.all + c), hn::StoreU(left, whole, x.left_squares + c);
    hn::StoreU(right, whole, x.right_squares + c);
    const auto wl = hn::ConvertTo(d, all), wr = hn::Sub(node, wl);
    const auto above = hn::Add(hn::Mul(hn::ConvertTo(d, left), wr), hn::Mul(hn::ConvertTo(d, right), wl));
    const auto less = hn::Min(wl, wr);
    const auto inside = hn::FirstN(d, x.codes - c);
    differ |= !hn::AllFalse(d, hn::And(hn::Gt(less, hn::Zero(d)), inside));
    const auto valid = hn::And(hn::Ge(less, least), inside);
    const auto score = hn::IfThenElse(valid, hn::Div(above, hn::Mul(wl, wr)), hn::Set(d, -1.0F));
    hn::StoreU(score, d, x.score + c);
    most = hn::Max(most, score);
  }
  most = hn::MaxOfLanes(d, most);
  const auto nearly = hn::Mul(most, hn::Set(d, 1 - 0x1p-18F));
  std::fill_n(x.near, (x.codes + 63) / 64, 0);
  for (std::size_t c = 0; c < x.codes; c += hn::Lanes(d)) {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Ge(hn::LoadU(d, x.score + c), nearly), reinterpret_cast<std::uint8_t*>(&bits));
    x.near[c / 64] |= bits << (c % 64);
  }
  return {hn::GetLane(most), differ};
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(add_classes);
HWY_EXPORT(judge_codes);

namespace sapling {

ClassCells::ClassCells(std::size_t classes, int codes)
    : stride_(std::max(kAtOnce, std::bit_ceil(classes))),
      cells_(stride_ * static_cast<std::size_t>(codes)),
      whole_(stride_),
      total_(stride_),
      left_(stride_) {
  const std::size_t room = (static_cast<std::size_t>(codes) + 15) / 16 * 16;
  room_.resize(15 * room), score_.resize(room), near_.resize(room / 64 + 1);
}

void ClassCells::open(std::span<const std::int64_t> total, std::int64_t squares) {
  for (std::size_t k = 0; k < total.size(); ++k)
    total_[k] = static_cast<double>(total[k]), whole_[k] = static_cast<std::int32_t>(total[k]);
  squares_ = static_cast<double>(squares);
}

std::size_t ClassCells::add_up(int first, int codes, std::uint16_t* code, ClassCut* cut) {
  std::ranges::fill(left_, 0.0);
  return HWY_DYNAMIC_DISPATCH(add_classes)({now_, stride_, total_.data(), left_.data(), squares_},
                                           static_cast<std::size_t>(first), static_cast<std::size_t>(codes), code, cut);
}

CodesJudged ClassCells::judge(int codes, std::int64_t node, double least) {
  const std::size_t room = score_.size();
  std::int32_t* const all = room_.data() + 12 * room;
  judged_ = {now_,
             stride_,
             static_cast<std::size_t>(codes),
             whole_.data(),
             static_cast<std::int32_t>(node),
             static_cast<std::int32_t>(squares_),
             least,
             {room_.data(), room_.data() + 4 * room, room_.data() + 8 * room},
             all,
             all + room,
             all + 2 * room,
             score_.data(),
             near_.data()};
  return HWY_DYNAMIC_DISPATCH(judge_codes)(judged_);
}

void ClassCells::clear(int codes) { std::fill_n(now_, size(codes), 0); }

}  // namespace sapling
}  // namespace wald
#endif
