#include "tree/sapling_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_rank.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace rank_hn = hwy::HWY_NAMESPACE;

void rank_keys_here(std::uint32_t* key, std::size_t n, std::uint32_t* out) {
  const rank_hn::CappedTag<std::uint32_t, sapling::kRankedAtOnce> d;
  const std::size_t lanes = rank_hn::Lanes(d), room = (n + lanes - 1) / lanes * lanes;
  for (std::size_t i = n; i < room; ++i) key[i] = 0xFFFF'FFFF;
  for (std::size_t i = 0; i < n; ++i) {
    const auto one = rank_hn::Set(d, key[i]);
    std::size_t rank = 0;
    for (std::size_t at = 0; at < room; at += lanes)
      rank += rank_hn::CountTrue(d, rank_hn::Lt(rank_hn::LoadU(d, key + at), one));
    out[rank] = key[i];
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(rank_keys_here);

void sapling::rank_keys(std::uint32_t* key, std::size_t n, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(rank_keys_here)(key, n, out);
}
}  // namespace wald
#endif
