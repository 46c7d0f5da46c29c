#include "tree/newton_bound.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/newton_bound.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// What cuts are worth, one register of them at a time; below 0 where there is none. Gives the largest.
template <class Worth>
float each_worth(const std::uint64_t* left, std::size_t cuts, float* out, Worth worth) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto none = hn::Set(d, -1.0F);
  auto most = none;
  const auto judge = [&](std::size_t i, auto there) {
    hn::Vec<decltype(whole)> g, h;
    hn::LoadInterleaved2(whole, reinterpret_cast<const std::int32_t*>(left + i), h, g);
    const auto of_cuts = there(worth(g, h));
    hn::StoreU(of_cuts, d, out + i);
    most = hn::Max(most, of_cuts);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= cuts; i += hn::Lanes(d)) judge(i, [](auto all) { return all; });
  if (i < cuts) judge(i, [&](auto all) { return hn::IfThenElse(hn::FirstN(d, cuts - i), all, none); });
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

// By l^2 / L + r^2 / R, for sides of any size.
template <bool kShrink>
float worth_of_any(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto all_g = hn::Set(whole, node.all_g), all_h = hn::Set(whole, node.all_h);
  const auto too_little = hn::Set(whole, node.too_little);
  const auto l2 = hn::Set(d, node.l2), parent = hn::Set(d, node.parent), part = hn::Set(d, node.part);
  const auto first = [&](auto g) {
    const auto x = hn::ConvertTo(d, g);
    if constexpr (!kShrink) return x;
    else {  // what is left of a difference of two rounded numbers is rounded up
      const auto more = hn::Mul(hn::Abs(x), hn::Set(d, 1 + 0x1p-22F));
      return hn::Max(hn::Sub(more, hn::Set(d, node.l1)), hn::Zero(d));
    }
  };
  return each_worth(left, cuts, out, [&](auto g, auto h) {
    const auto others = hn::Sub(all_h, h);
    const auto gl = first(g), gr = first(hn::Sub(all_g, g));
    const auto pl = hn::Add(hn::ConvertTo(d, h), l2), pr = hn::Add(hn::ConvertTo(d, others), l2);
    const auto both = hn::Div(hn::Add(hn::Mul(hn::Mul(gl, gl), pr), hn::Mul(hn::Mul(gr, gr), pl)), hn::Mul(pl, pr));
    const auto more = hn::Sub(hn::Mul(both, hn::Set(d, 1 + 0x1p-19F)), parent);  // 14 roundings, 2^-24 each
    const auto enough = hn::RebindMask(d, hn::Gt(hn::Min(h, others), too_little));
    return hn::IfThenElse(enough, hn::Max(hn::Mul(more, part), hn::Zero(d)), hn::Set(d, -1.0F));
  });
}

// By d^2 / LR, where no side that is enough is a tiny part of the node. kAll: all are enough.
template <bool kAll>
HWY_INLINE float worth_of_parts(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto l2 = hn::Set(d, node.l2), all = hn::Set(d, node.all), mean = hn::Set(d, node.mean);
  const auto inverse = [&](auto x) {
#if HWY_ARCH_X86  // at least 11 bits of it are right
    return hn::ApproximateReciprocal(x);
#else
    return hn::Div(hn::Set(d, 1.0F), x);
#endif
  };
  return each_worth(left, cuts, out, [&](auto g, auto h) {
    const auto pl = hn::Add(hn::ConvertTo(d, h), l2), pr = hn::Sub(all, pl);
    const auto more = hn::NegMulAdd(pl, mean, hn::ConvertTo(d, g));
    const auto worth = hn::Mul(hn::Mul(more, more), inverse(hn::Mul(pl, pr)));
    if constexpr (kAll) return worth;
    else {
      const auto less = hn::Min(h, hn::Sub(hn::Set(whole, node.all_h), h));
      const auto enough = hn::RebindMask(d, hn::Gt(less, hn::Set(whole, node.too_little)));
      return hn::IfThenElse(enough, worth, hn::Set(d, -1.0F));
    }
  });
}

float most_worth_here(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node, float* out) {
  if (node.l1 != 0) return worth_of_any<true>(left, cuts, node, out);
  // Second derivatives are not negative: what the first cut has of them on its left and the last on its right, all
  // have.
  const auto h_of = [&](std::size_t cut) { return static_cast<std::int32_t>(left[cut]); };
  const std::int32_t least = cuts > 0 ? std::min(h_of(0), node.all_h - h_of(cuts - 1)) : 0;
  const auto is_part = [&](std::int32_t h) { return static_cast<float>(h) + node.l2 >= node.all * GainBound::kTiny; };
  if (!is_part(std::max(least, node.too_little))) return worth_of_any<false>(left, cuts, node, out);
  return least > node.too_little ? worth_of_parts<true>(left, cuts, node, out)
                                 : worth_of_parts<false>(left, cuts, node, out);
}

std::size_t first_of_most_here(const float* worth, std::size_t cuts) {
  const hn::ScalableTag<float> d;
  auto most = hn::LoadU(d, worth);
  for (std::size_t i = hn::Lanes(d); i < cuts; i += hn::Lanes(d)) most = hn::Max(most, hn::LoadU(d, worth + i));
  most = hn::MaxOfLanes(d, most);
  for (std::size_t i = 0;; i += hn::Lanes(d))
    if (const auto same = hn::Eq(hn::LoadU(d, worth + i), most); !hn::AllFalse(d, same))
      return i + hn::FindKnownFirstTrue(d, same);
}

std::size_t list_worth_here(const float* worth, std::size_t cuts, float least, std::uint16_t* into, std::size_t room) {
  const hn::ScalableTag<float> d;
  std::size_t count = 0;
  for (std::size_t i = 0; i < cuts; i += hn::Lanes(d)) {
    if (hn::AllFalse(d, hn::Ge(hn::LoadU(d, worth + i), hn::Set(d, least)))) continue;  // nearly always
    for (std::size_t k = i; k < std::min(i + hn::Lanes(d), cuts); ++k) {
      if (!(worth[k] >= least)) continue;
      if (count == room) return room + 1;
      into[count++] = static_cast<std::uint16_t>(k);
    }
  }
  return count;
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
namespace {
constexpr double kMost = 0x1p40;  // the square of a sum of 31 bits times this stays far within a float
}  // namespace

HWY_EXPORT(most_worth_here);
HWY_EXPORT(first_of_most_here);
HWY_EXPORT(list_worth_here);

// Rounded by 2^-24 each: of d the first derivatives and L G / H, which is d less them, so that the error is below
// 2^-20 (|d| + B), B being the most that |l| can be; and (x + y)^2 <= x^2 (1 + t) + y^2 (1 + 1 / t), here with t =
// 2^-12. The inverse is off by 1.5 2^-12 at most; R, of the part kTiny or more, by 2^-14 of itself.
void GainBound::open(const Newton& newton, std::size_t rows, Sums total, double score, double min_leaf) {
  const double g_unit = newton.gradients->g_unit, h_unit = newton.gradients->h_unit;
  const double l1 = newton.l1 / g_unit, l2 = newton.l2 / h_unit, least = std::ceil(min_leaf / h_unit);
  const auto g = static_cast<double>(total[0]);
  const double all = std::max(1.0, static_cast<double>(total[1]) + 2 * l2);  // of less nothing is cut off
  const double unit = 0.5 * g_unit / h_unit * g_unit, parent = g / all * g;
  const double noise = std::ldexp(static_cast<double>(rows), newton.gradients->bits - 14);
  most_worth_ = &HWY_DYNAMIC_DISPATCH(most_worth_here);
  ordinary_ = l1 < kMost && l2 < kMost && unit > 1e-300 && unit < 1e300;
  scale_ = unit * all * (1 + 0x1p-10);
  base_ = unit * (parent * (1 + 0x1p-40) + noise * noise / (kTiny * (1 - kTiny) * all)) - score;
  node_ = {.all_g = static_cast<std::int32_t>(total[0]),
           .all_h = static_cast<std::int32_t>(total[1]),
           .too_little = static_cast<std::int32_t>(std::clamp<double>(least, 1, 0x7FFF'FFFF)) - 1,
           .l1 = static_cast<float>(l1 * (1 - 0x1p-22)),
           .l2 = static_cast<float>(l2),
           .all = static_cast<float>(all),
           .mean = static_cast<float>(g / all),
           .parent = static_cast<float>(parent * (1 - 0x1p-22)),
           .part = static_cast<float>(1 / all)};
}

double GainBound::most(const std::uint64_t* left, std::size_t cuts, float* worth, float& top) const {
  if (!ordinary_) return std::numeric_limits<double>::infinity();
  const double most = top = most_worth_(left, cuts, node_, worth);
  return most < 0 ? Newton::kNone : most * scale_ + base_;
}
float GainBound::least_worth(double gain) const {
  return static_cast<float>(std::max(0.0, (gain - base_) / scale_ * (1 - 0x1p-20)));
}

std::size_t first_of_most(const float* worth, std::size_t cuts) {
  return HWY_DYNAMIC_DISPATCH(first_of_most_here)(worth, cuts);
}
std::size_t list_worth(const float* worth, std::size_t cuts, float least, std::uint16_t* into, std::size_t room) {
  return HWY_DYNAMIC_DISPATCH(list_worth_here)(worth, cuts, least, into, room);
}
}  // namespace wald
#endif
