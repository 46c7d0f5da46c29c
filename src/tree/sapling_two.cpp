#include "tree/sapling_classes.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_two.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "core/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace two_hn = hwy::HWY_NAMESPACE;

double judge_two_here(const sapling::TwoCuts& cuts, double parent, double least, double* gain) {
  namespace hn = two_hn;
  const hn::CappedTag<double, sapling::kTwoAtOnce> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const auto low = hn::Set(whole, 0xFFFF'FFFF);
  const auto first = hn::Set(d, static_cast<double>(cuts.all & 0xFFFF'FFFF)),
             second = hn::Set(d, static_cast<double>(cuts.all >> 32));
  const auto none = hn::Set(d, -std::numeric_limits<double>::infinity());
  auto most = none;
  for (std::size_t i = 0; i < cuts.count; i += hn::Lanes(d)) {
    const auto word = hn::LoadU(whole, reinterpret_cast<const std::int64_t*>(cuts.upto) + i);
    const auto a = hn::ConvertTo(d, hn::And(word, low)), b = hn::ConvertTo(d, hn::ShiftRight<32>(word));
    const auto ra = hn::Sub(first, a), rb = hn::Sub(second, b);
    const auto wl = hn::Add(a, b), wr = hn::Add(ra, rb);
    const auto l = hn::Add(hn::Mul(a, a), hn::Mul(b, b)), r = hn::Add(hn::Mul(ra, ra), hn::Mul(rb, rb));
    const auto score = hn::Div(hn::Add(hn::Mul(l, wr), hn::Mul(r, wl)), hn::Mul(wl, wr));
    const auto valid = hn::And(hn::Ge(hn::Min(wl, wr), hn::Set(d, least)), hn::FirstN(d, cuts.count - i));
    const auto here = hn::IfThenElse(valid, hn::Sub(score, hn::Set(d, parent)), none);
    hn::StoreU(here, d, gain + i);
    most = hn::Max(most, here);
  }
  return hn::GetLane(hn::MaxOfLanes(d, most));
}

std::size_t list_occupied_here(std::uint32_t* cells, std::size_t codes, std::uint16_t* code, std::uint32_t* cell) {
  namespace hn = two_hn;
  const hn::CappedTag<std::uint32_t, sapling::kTwoAtOnce> d;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  const hn::Rebind<std::uint16_t, decltype(d)> narrow;
  std::size_t used = 0;
  auto number = hn::Iota(d, 0u);  // made anew it would go through memory
  for (std::size_t c = 0; c < codes; c += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, cells + c);
    const auto occupied = hn::Ne(here, hn::Zero(d));
    hn::StoreU(marked_first(d, here, occupied), d, cell + used);
    const auto listed = marked_first(d, number, occupied);
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, listed)), narrow, code + used);
    hn::StoreU(hn::Zero(d), d, cells + c);
    used += hn::CountTrue(d, occupied), number = hn::Add(number, hn::Set(d, static_cast<std::uint32_t>(hn::Lanes(d))));
  }
  return used;
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(judge_two_here);
HWY_EXPORT(list_occupied_here);

double sapling::judge_two(const TwoCuts& cuts, double parent, double least, double* gain) {
  return HWY_DYNAMIC_DISPATCH(judge_two_here)(cuts, parent, least, gain);
}

std::size_t sapling::list_occupied(std::uint32_t* cells, std::size_t codes, std::uint16_t* code, std::uint32_t* cell) {
  return HWY_DYNAMIC_DISPATCH(list_occupied_here)(cells, codes, code, cell);
}
}  // namespace wald
#endif
