// The rows of a forest's bag and those out of it, many at a time.
#include "learn/forest_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "learn/forest_divide.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "core/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Those that stay are moved together within a register, then all of it is written: what is too much is written over.
DividedBag divide_bag_here(const Row* row, const std::uint32_t* count, std::size_t n, Drawn* in, Row* out) {
  const Drawn* const first_in = in;
  const Row* const first_out = out;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint32_t> d;
  for (const std::size_t lanes = hn::Lanes(d); i + lanes <= n; i += lanes) {
    const auto rows = hn::LoadU(d, row + i), counts = hn::LoadU(d, count + i);
    const auto outside = hn::Eq(counts, hn::Zero(d));
    const auto inside = hn::Not(hn::Or(outside, hn::Eq(counts, hn::Set(d, kFillsLeaves))));
    hn::StoreU(marked_first(d, rows, outside), d, out);
    hn::StoreInterleaved2(marked_first(d, rows, inside), marked_first(d, counts, inside), d,
                          reinterpret_cast<std::uint32_t*>(in));
    out += hn::CountTrue(d, outside), in += hn::CountTrue(d, inside);
  }
#endif
  for (; i < n; ++i) {  // both are written and one moves on: which it is nobody foresees
    *in = {row[i], count[i]}, *out = row[i];
    in += count[i] - 1 < kFillsLeaves - 1, out += count[i] == 0;
  }
  return {static_cast<std::size_t>(in - first_in), static_cast<std::size_t>(out - first_out)};
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(divide_bag_here);

DividedBag divide_bag(std::span<const Row> rows, const std::uint32_t* count, Drawn* in, Row* out) {
  return HWY_DYNAMIC_DISPATCH(divide_bag_here)(rows.data(), count, rows.size(), in, out);
}
}  // namespace wald
#endif
