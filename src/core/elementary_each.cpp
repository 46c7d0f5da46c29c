// exp of many numbers: the operations of exp_exact in its order, several lanes at a time, so that the bits do not
// depend on how many.
#include <cstddef>
#include <span>

#include "core/elementary.h"
#include "core/elementary_terms.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/elementary_each.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// Where 2^k is an ordinary double.
V exp_within(V x) {
  const D d;
  const hn::RebindToSigned<D> whole;
  const V round = hn::Set(d, elementary::kRound);
  const V k = hn::Sub(hn::Add(hn::Mul(x, hn::Set(d, elementary::kLog2e)), round), round);
  const V high = hn::Sub(x, hn::Mul(k, hn::Set(d, elementary::kLn2High)));
  const V low = hn::Mul(k, hn::Set(d, elementary::kLn2Low));
  const V r = hn::Sub(high, low);
  V tail = hn::Set(d, elementary::kExpTerms[0]);
  for (std::size_t i = 1; i < elementary::kExpTermCount; ++i)
    tail = hn::Add(hn::Mul(tail, r), hn::Set(d, elementary::kExpTerms[i]));
  const V y = hn::Add(hn::Set(d, 1.0), hn::Sub(high, hn::Sub(low, hn::Mul(hn::Mul(r, r), tail))));
  const auto exponent = hn::ShiftLeft<52>(hn::Add(hn::ConvertTo(whole, k), hn::Set(whole, 1023)));
  return hn::Mul(y, hn::BitCast(d, exponent));
}

void exp_each_here(double* x, std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V here = hn::LoadU(d, x + i);
    if (hn::AllTrue(d, hn::Le(hn::Abs(here), hn::Set(d, elementary::kExpOrdinary))))
      hn::StoreU(exp_within(here), d, x + i);
    else
      for (std::size_t k = i; k < i + lanes; ++k) x[k] = exp_exact(x[k]);
  }
  for (; i < n; ++i) x[i] = exp_exact(x[i]);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(exp_each_here);

void exp_each(std::span<double> x) { HWY_DYNAMIC_DISPATCH(exp_each_here)(x.data(), x.size()); }
}  // namespace wald
#endif
