#include "tree/divide_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/divide_rows.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<std::uint32_t, 16>;

void divide_rows_here(const Row* rows, std::size_t n, const std::uint64_t* bits, Row* left, Row* right) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const std::uint64_t word = bits[i / 64] >> (i % 64);  // lanes divide 64
    const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&word));
    const auto here = hn::LoadU(d, rows + i);
    left += hn::CompressBlendedStore(here, mask, d, left);
    right += hn::CompressBlendedStore(here, hn::Not(mask), d, right);
  }
  for (; i < n; ++i)
    if ((bits[i / 64] >> (i % 64) & 1) != 0) *left++ = rows[i];
    else *right++ = rows[i];
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(divide_rows_here);

void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, Row* left, Row* right) {
  HWY_DYNAMIC_DISPATCH(divide_rows_here)(rows.data(), rows.size(), bits, left, right);
}
}  // namespace wald
#endif
