#include "explain/intervene.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "explain/intervene_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

void add_fails_here(const PlanSplit& s, bool left, const CellRows& rows, const std::uint64_t* from,
                    std::uint64_t* into) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> u;
  const auto cut = hn::Set(d, s.cut);
  const auto bit = hn::Set(u, std::uint64_t{1} << s.slot);
  const double* cell = rows.cell + s.cells * rows.stride;
  const std::size_t n = hn::Lanes(d);
  std::size_t row = 0;
  for (; row + n <= rows.rows; row += n) {
    const auto x = hn::LoadU(d, cell + row);
    auto goes = hn::Le(x, cut);
    if (s.missing == Missing::Left) goes = hn::Or(goes, hn::IsNaN(x));
    const auto passes = hn::RebindMask(u, goes);
    const auto added = left ? hn::IfThenZeroElse(passes, bit) : hn::IfThenElseZero(passes, bit);
    hn::StoreU(hn::Or(hn::LoadU(u, from + row), added), u, into + row);
  }
  for (; row < rows.rows; ++row)
    into[row] = from[row] | (goes_left(s, nullptr, cell[row]) == left ? 0 : std::uint64_t{1} << s.slot);
}

// A line's sums are few: vectors of four at most waste little.
void look_up_here(const double* table, std::size_t width, const std::uint64_t* fails, std::size_t rows,
                  std::size_t stride, double* sums) {
  const hn::CappedTag<double, 4> d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t row = 0; row < rows; ++row, sums += stride) {
    const double* line = table + fails[row] * width;
    for (std::size_t i = 0; i < width; i += n)
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, line + i)), d, sums + i);
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(add_fails_here);
HWY_EXPORT(look_up_here);

void add_fails(const PlanSplit& s, bool left, const std::uint64_t* sets, const CellRows& rows,
               const std::uint64_t* from, std::uint64_t* into) {
  if (s.set < 0) return HWY_DYNAMIC_DISPATCH(add_fails_here)(s, left, rows, from, into);
  for (std::size_t row = 0; row < rows.rows; ++row)
    into[row] = from[row] | (goes_left(s, sets, rows.at(s.cells, row)) == left ? 0 : std::uint64_t{1} << s.slot);
}

void look_up(const LeafTable& table, const std::uint64_t* fails, std::size_t rows, std::size_t stride, double* sums) {
  HWY_DYNAMIC_DISPATCH(look_up_here)(table.value.data(), table.width, fails, rows, stride, sums);
}
}  // namespace wald
#endif
