#include "tree/sapling_classes.h"

#include <algorithm>

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
      const auto here = hn::Add(hn::LoadU(whole, x.cells + at), hn::LoadU(whole, x.others + at));
      const auto left = hn::Add(hn::LoadU(d, x.left + k), hn::PromoteTo(d, here));
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

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(add_classes);

namespace sapling {

ClassCells::ClassCells(std::size_t classes, int codes)
    : stride_((classes + kAtOnce - 1) / kAtOnce * kAtOnce),
      cells_(stride_ * static_cast<std::size_t>(codes)),
      others_(cells_.size()),
      total_(stride_),
      left_(stride_) {}

void ClassCells::open(std::span<const std::int64_t> total, std::int64_t squares) {
  for (std::size_t k = 0; k < total.size(); ++k) total_[k] = static_cast<double>(total[k]);
  squares_ = static_cast<double>(squares);
}

std::size_t ClassCells::add_up(int first, int codes, std::uint16_t* code, ClassCut* cut) {
  std::ranges::fill(left_, 0.0);
  return HWY_DYNAMIC_DISPATCH(add_classes)(
      {cells_.data(), others_.data(), stride_, total_.data(), left_.data(), squares_}, static_cast<std::size_t>(first),
      static_cast<std::size_t>(codes), code, cut);
}

void ClassCells::clear(int codes) {
  const std::size_t size = stride_ * static_cast<std::size_t>(codes);
  std::fill_n(cells_.data(), size, 0), std::fill_n(others_.data(), size, 0);
}

}  // namespace sapling
}  // namespace wald
#endif
