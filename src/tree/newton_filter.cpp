#include "tree/newton_filter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/newton_filter.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kShrink>
bool any_reaches(const std::uint64_t* left, std::size_t cuts, const GainFilter::Bound& bound) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto all_g = hn::Set(d, bound.all_g), all_h = hn::Set(d, bound.all_h), l2 = hn::Set(d, bound.l2);
  const auto least = hn::Set(d, bound.least_h), twice = hn::Set(d, bound.twice);
  const auto shrunk = [&](auto g) {
    if constexpr (kShrink) return hn::Max(hn::Sub(hn::Abs(g), hn::Set(d, bound.l1)), hn::Zero(d));
    else return g;
  };
  for (std::size_t i = 0; i < cuts; i += hn::Lanes(d)) {
    const auto word = hn::LoadU(whole, reinterpret_cast<const std::int64_t*>(left) + i);
    const auto g = hn::ConvertTo(d, hn::ShiftRight<32>(word));
    const auto hl = hn::ConvertTo(d, hn::And(word, hn::Set(whole, 0xFFFF'FFFF))), hr = hn::Sub(all_h, hl);
    const auto gl = shrunk(g), gr = shrunk(hn::Sub(all_g, g)), pl = hn::Add(hl, l2), pr = hn::Add(hr, l2);
    const auto worth = hn::Add(hn::Mul(hn::Mul(gl, gl), pr), hn::Mul(hn::Mul(gr, gr), pl));
    const auto reaches = hn::And(hn::Ge(hn::Min(hl, hr), least), hn::Gt(worth, hn::Mul(twice, hn::Mul(pl, pr))));
    if (!hn::AllFalse(d, hn::And(reaches, hn::FirstN(d, cuts - i)))) return true;
  }
  return false;
}

bool any_reaches_here(const std::uint64_t* left, std::size_t cuts, const GainFilter::Bound& bound) {
  return bound.l1 == 0 ? any_reaches<false>(left, cuts, bound) : any_reaches<true>(left, cuts, bound);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
namespace {
constexpr double kLeast = 1e-60, kMost = 1e60;
bool is_ordinary(double x) { return x > kLeast && x < kMost; }
}  // namespace

HWY_EXPORT(any_reaches_here);

void GainFilter::open(const Newton& newton, Sums total, double score, double min_leaf) {
  const double g_unit = newton.gradients->g_unit, h_unit = newton.gradients->h_unit;
  ordinary_ = is_ordinary(g_unit) && is_ordinary(h_unit) && newton.l1 < kMost && newton.l2 < kMost;
  score_ = score, unit_ = 2 * h_unit / (g_unit * g_unit) * (1 - 0x1p-40);
  bound_ = {.all_g = static_cast<double>(total[0]),
            .all_h = static_cast<double>(total[1]),
            .l1 = newton.l1 / g_unit,
            .l2 = newton.l2 / h_unit,
            .least_h = std::fmax(1, min_leaf / h_unit),  // a side of none is none
            .twice = 0};
}

bool GainFilter::passes(const std::uint64_t* left, std::size_t cuts, double least) const {
  const double worth = score_ + least;
  if (!ordinary_ || !is_ordinary(worth)) return true;
  Bound bound = bound_;
  bound.twice = worth * unit_;
  return HWY_DYNAMIC_DISPATCH(any_reaches_here)(left, cuts, bound);
}
}  // namespace wald
#endif
