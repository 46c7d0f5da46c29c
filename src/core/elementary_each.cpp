// exp and log of many numbers: the operations of exp_exact and log_exact in their order, several lanes at a time, so
// that the bits do not depend on how many.
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

// Of numbers that are neither denormal nor infinite.
V log_within(V x) {
  const D d;
  const hn::RebindToSigned<D> whole;
  const auto bits = hn::BitCast(whole, x);
  const auto one = hn::Set(whole, 0x3FF0'0000'0000'0000);
  V m = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(whole, 0x000F'FFFF'FFFF'FFFF)), one));
  V e = hn::Sub(hn::ConvertTo(d, hn::ShiftRight<52>(bits)), hn::Set(d, 1023.0));
  const auto large = hn::Ge(m, hn::Set(d, elementary::kRootOf2));
  m = hn::IfThenElse(large, hn::Mul(m, hn::Set(d, 0.5)), m);
  e = hn::IfThenElse(large, hn::Add(e, hn::Set(d, 1.0)), e);
  const V f = hn::Sub(m, hn::Set(d, 1.0)), s = hn::Div(f, hn::Add(m, hn::Set(d, 1.0))), z = hn::Mul(s, s);
  V tail = hn::Set(d, elementary::kLogTerms[0]);
  for (std::size_t i = 1; i < elementary::kLogTermCount; ++i)
    tail = hn::Add(hn::Mul(tail, z), hn::Set(d, elementary::kLogTerms[i]));
  const V log_m = hn::Sub(f, hn::Mul(s, hn::Sub(f, hn::Mul(hn::Mul(hn::Set(d, 2.0), z), tail))));
  const V low = hn::Add(log_m, hn::Mul(e, hn::Set(d, elementary::kLn2Low)));
  return hn::Add(hn::Mul(e, hn::Set(d, elementary::kLn2High)), low);
}

// one(x) of each number, together(v) where all of v are ordinary.
template <class Ordinary, class Together, class One>
void each(double* x, std::size_t n, Ordinary ordinary, Together together, One one) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V here = hn::LoadU(d, x + i);
    if (hn::AllTrue(d, ordinary(here))) hn::StoreU(together(here), d, x + i);
    else
      for (std::size_t k = i; k < i + lanes; ++k) x[k] = one(x[k]);
  }
  for (; i < n; ++i) x[i] = one(x[i]);
}

void exp_each_here(double* x, std::size_t n) {
  const auto ordinary = [](V v) { return hn::Le(hn::Abs(v), hn::Set(D(), elementary::kExpOrdinary)); };
  each(x, n, ordinary, exp_within, exp_exact);
}

void log_each_here(double* x, std::size_t n) {
  const auto ordinary = [](V v) {
    const D d;
    return hn::And(hn::Ge(v, hn::Set(d, 0x1p-1022)), hn::Le(v, hn::Set(d, 0x1.fffffffffffffp1023)));
  };
  each(x, n, ordinary, log_within, log_exact);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(exp_each_here);
HWY_EXPORT(log_each_here);

void exp_each(std::span<double> x) { HWY_DYNAMIC_DISPATCH(exp_each_here)(x.data(), x.size()); }
void log_each(std::span<double> x) { HWY_DYNAMIC_DISPATCH(log_each_here)(x.data(), x.size()); }
}  // namespace wald
#endif
