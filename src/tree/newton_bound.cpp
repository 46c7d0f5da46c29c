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

// l^2 / L + r^2 / R of each; below 0 where there is no cut. Gives the largest. kAll: no side is too little.
template <bool kShrink, bool kAll>
float most_worth(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto all_g = hn::Set(whole, node.all_g), all_h = hn::Set(whole, node.all_h);
  const auto too_little = hn::Set(whole, node.too_little);
  const auto l2 = hn::Set(d, node.l2), none = hn::Set(d, -1.0F);
  const auto first = [&](auto g) {
    const auto x = hn::ConvertTo(d, g);
    if constexpr (!kShrink) return x;
    else {  // what is left of a difference of two rounded numbers is rounded up
      const auto more = hn::Mul(hn::Abs(x), hn::Set(d, 1 + 0x1p-22F));
      return hn::Max(hn::Sub(more, hn::Set(d, node.l1)), hn::Zero(d));
    }
  };
  auto most = none;
  const auto judge = [&](std::size_t i, auto there) {
    hn::Vec<decltype(whole)> g, h;
    hn::LoadInterleaved2(whole, reinterpret_cast<const std::int32_t*>(left + i), h, g);
    const auto others = hn::Sub(all_h, h);
    const auto gl = first(g), gr = first(hn::Sub(all_g, g));
    const auto pl = hn::Add(hn::ConvertTo(d, h), l2), pr = hn::Add(hn::ConvertTo(d, others), l2);
    const auto worth = hn::Div(hn::Add(hn::Mul(hn::Mul(gl, gl), pr), hn::Mul(hn::Mul(gr, gr), pl)), hn::Mul(pl, pr));
    const auto enough = [&] {
      if constexpr (kAll) return worth;
      else return hn::IfThenElse(hn::RebindMask(d, hn::Gt(hn::Min(h, others), too_little)), worth, none);
    };
    const auto of_cuts = there(enough());
    hn::StoreU(of_cuts, d, out + i);
    most = hn::Max(most, of_cuts);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= cuts; i += hn::Lanes(d)) judge(i, [](auto all) { return all; });
  if (i < cuts) judge(i, [&](auto all) { return hn::IfThenElse(hn::FirstN(d, cuts - i), all, none); });
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

float most_worth_here(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node, float* out) {
  if (node.l1 != 0) return most_worth<true, false>(left, cuts, node, out);
  // Second derivatives are not negative: if the first cut has enough of them on its left and the last on its right, all
  // have.
  const auto h_of = [&](std::size_t cut) { return static_cast<std::int32_t>(left[cut]); };
  const bool all = cuts > 0 && h_of(0) > node.too_little && node.all_h - h_of(cuts - 1) > node.too_little;
  return all ? most_worth<false, true>(left, cuts, node, out) : most_worth<false, false>(left, cuts, node, out);
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
// Up to 14 roundings, each by 2^-24 of the result, all terms being positive; and those of doubles, far less.
constexpr double kRounding = 1 + 0x1p-19;
}  // namespace

HWY_EXPORT(most_worth_here);
HWY_EXPORT(first_of_most_here);
HWY_EXPORT(list_worth_here);

void GainBound::open(const Newton& newton, Sums total, double score, double min_leaf) {
  const double g_unit = newton.gradients->g_unit, h_unit = newton.gradients->h_unit;
  const double l1 = newton.l1 / g_unit, l2 = newton.l2 / h_unit, least = std::ceil(min_leaf / h_unit);
  score_ = score, unit_ = 0.5 * g_unit / h_unit * g_unit;
  ordinary_ = l1 < kMost && l2 < kMost && unit_ > 1e-300 && unit_ < 1e300;
  node_ = {.all_g = static_cast<std::int32_t>(total[0]),
           .all_h = static_cast<std::int32_t>(total[1]),
           .too_little = static_cast<std::int32_t>(std::clamp<double>(least, 1, 0x7FFF'FFFF)) - 1,
           .l1 = static_cast<float>(l1 * (1 - 0x1p-22)),
           .l2 = static_cast<float>(l2)};
}

double GainBound::most(const std::uint64_t* left, std::size_t cuts, float* worth) const {
  if (!ordinary_) return std::numeric_limits<double>::infinity();
  const double most = HWY_DYNAMIC_DISPATCH(most_worth_here)(left, cuts, node_, worth);
  return most < 0 ? Newton::kNone : most * kRounding * unit_ - score_;
}
float GainBound::least_worth(double gain) const {
  return static_cast<float>(std::max(0.0, (gain + score_) / (kRounding * unit_)));
}

std::size_t first_of_most(const float* worth, std::size_t cuts) {
  return HWY_DYNAMIC_DISPATCH(first_of_most_here)(worth, cuts);
}
std::size_t list_worth(const float* worth, std::size_t cuts, float least, std::uint16_t* into, std::size_t room) {
  return HWY_DYNAMIC_DISPATCH(list_worth_here)(worth, cuts, least, into, room);
}
}  // namespace wald
#endif
