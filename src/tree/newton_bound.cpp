#include "tree/newton_bound.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/newton_bound.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The largest l^2 / L + r^2 / R; below 0 where there is no cut.
template <bool kShrink>
float most_worth(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node) {
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
  for (std::size_t i = 0; i < cuts; i += hn::Lanes(d)) {
    hn::Vec<decltype(whole)> g, h;
    hn::LoadInterleaved2(whole, reinterpret_cast<const std::int32_t*>(left + i), h, g);
    const auto others = hn::Sub(all_h, h);
    const auto gl = first(g), gr = first(hn::Sub(all_g, g));
    const auto pl = hn::Add(hn::ConvertTo(d, h), l2), pr = hn::Add(hn::ConvertTo(d, others), l2);
    const auto worth = hn::Div(hn::Add(hn::Mul(hn::Mul(gl, gl), pr), hn::Mul(hn::Mul(gr, gr), pl)), hn::Mul(pl, pr));
    const auto is_cut = hn::And(hn::RebindMask(d, hn::Gt(hn::Min(h, others), too_little)), hn::FirstN(d, cuts - i));
    most = hn::Max(most, hn::IfThenElse(is_cut, worth, none));
  }
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

float most_worth_here(const std::uint64_t* left, std::size_t cuts, const GainBound::Node& node) {
  return node.l1 == 0 ? most_worth<false>(left, cuts, node) : most_worth<true>(left, cuts, node);
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

double GainBound::most(const std::uint64_t* left, std::size_t cuts) const {
  // Up to 13 roundings, each by 2^-24 of the result, all terms being positive.
  constexpr double kRounding = 1 + 0x1p-19;
  if (!ordinary_) return std::numeric_limits<double>::infinity();
  const double worth = HWY_DYNAMIC_DISPATCH(most_worth_here)(left, cuts, node_);
  return worth < 0 ? Newton::kNone : worth * kRounding * unit_ - score_;
}
}  // namespace wald
#endif
