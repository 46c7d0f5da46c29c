// The gains of all cuts of a column at once. The same operations in the same order as Newton::score, several lanes at a
// time: the bits do not depend on how many.
#include "tree/newton.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/newton_gains.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using I = hn::RebindToSigned<D>;

template <bool kShrink>
V score(const Newton& newton, V g, V h) {
  const D d;
  if constexpr (kShrink) g = hn::CopySign(hn::Max(hn::Sub(hn::Abs(g), hn::Set(d, newton.l1)), hn::Zero(d)), g);
  const V value = hn::Div(hn::Mul(hn::Mul(hn::Set(d, 0.5), g), g), hn::Add(h, hn::Set(d, newton.l2)));
  return hn::IfThenZeroElse(hn::Eq(g, hn::Zero(d)), value);
}

template <bool kShrink>
double gains(const Newton& newton, const Cuts& cuts, double parent, double min_leaf, double* out) {
  const D d;
  const V g_unit = hn::Set(d, newton.gradients->g_unit), h_unit = hn::Set(d, newton.gradients->h_unit);
  const V all_g = hn::Set(d, static_cast<double>(cuts.all_g)), all_h = hn::Set(d, static_cast<double>(cuts.all_h));
  const V least = hn::Set(d, min_leaf), none = hn::Set(d, Newton::kNone), above = hn::Set(d, parent);
  V most = none;
  for (std::size_t i = 0; i < cuts.count; i += hn::Lanes(d)) {  // the arrays are padded
    hn::Vec<I> g, h;
    hn::LoadInterleaved2(I(), cuts.left + 2 * i, g, h);
    const V gl = hn::ConvertTo(d, g), hl = hn::ConvertTo(d, h);
    const V wl = hn::Mul(hl, h_unit), wr = hn::Mul(hn::Sub(all_h, hl), h_unit);
    const V left = score<kShrink>(newton, hn::Mul(gl, g_unit), wl);
    const V right = score<kShrink>(newton, hn::Mul(hn::Sub(all_g, gl), g_unit), wr);
    const auto few =
        hn::Or(hn::Or(hn::Lt(wl, least), hn::Lt(wr, least)), hn::Or(hn::Le(wl, hn::Zero(d)), hn::Le(wr, hn::Zero(d))));
    const V gain = hn::IfThenElse(few, none, hn::Sub(hn::Add(left, right), above));
    hn::StoreU(gain, d, out + i);
    most = hn::Max(most, hn::IfThenElse(hn::FirstN(d, cuts.count - i), gain, none));
  }
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

double gains_here(const Newton& newton, const Cuts& cuts, double parent, double min_leaf, double* out) {
  return newton.l1 == 0 ? gains<false>(newton, cuts, parent, min_leaf, out)
                        : gains<true>(newton, cuts, parent, min_leaf, out);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(gains_here);

double Newton::gains(const Cuts& cuts, double parent, double min_leaf, double* out) const {
  return HWY_DYNAMIC_DISPATCH(gains_here)(*this, cuts, parent, min_leaf, out);
}
}  // namespace wald
#endif
