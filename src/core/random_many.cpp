#include "core/random_many.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/random_many.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
void many_bits_here(const std::uint32_t* counter, std::uint32_t high, std::size_t n, std::uint32_t stream,
                    std::uint32_t purpose, const std::uint32_t* key, std::uint64_t* out, std::uint64_t* more) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = philox({counter[i], high, stream, purpose}, {key[0], key[1]});
    out[i] = r[0] | static_cast<std::uint64_t>(r[1]) << 32;
    if (more != nullptr) more[i] = r[2] | static_cast<std::uint64_t>(r[3]) << 32;
  }
}
#else
namespace random_hn = hwy::HWY_NAMESPACE;

// Philox as in random.cpp, a counter a lane of 64 bits: its four words are lanes of their own, in the lower halves.
void many_bits_here(const std::uint32_t* counter, std::uint32_t high, std::size_t n, std::uint32_t stream,
                    std::uint32_t purpose, const std::uint32_t* key, std::uint64_t* out, std::uint64_t* more) {
  const random_hn::ScalableTag<std::uint64_t> d;
  const random_hn::Rebind<std::uint32_t, decltype(d)> half;
  const random_hn::RepartitionToNarrow<decltype(d)> words;
  const auto product = [&](std::uint64_t by, auto v) {  // of the lower halves
    return random_hn::MulEven(random_hn::BitCast(words, random_hn::Set(d, by)), random_hn::BitCast(words, v));
  };
  const std::size_t lanes = random_hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::size_t some = n - i < lanes ? n - i : lanes;
    auto c0 = random_hn::Zero(d), c1 = random_hn::Set(d, high), c2 = random_hn::Set(d, stream),
         c3 = random_hn::Set(d, purpose);
    if (some == lanes) {
      c0 = random_hn::PromoteTo(d, random_hn::LoadU(half, counter + i));
    } else {
      std::uint32_t last[HWY_MAX_BYTES / sizeof(std::uint32_t)] = {};
      for (std::size_t k = 0; k < some; ++k) last[k] = counter[i + k];
      c0 = random_hn::PromoteTo(d, random_hn::LoadU(half, last));
    }
    std::uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const auto a = product(0xD2511F53, c0), b = product(0xCD9E8D57, c2);
      const auto low = random_hn::Set(d, 0xFFFF'FFFF);
      c0 = random_hn::Xor(random_hn::Xor(random_hn::ShiftRight<32>(b), c1), random_hn::Set(d, k0));
      c2 = random_hn::Xor(random_hn::Xor(random_hn::ShiftRight<32>(a), c3), random_hn::Set(d, k1));
      c1 = random_hn::And(b, low), c3 = random_hn::And(a, low);
      k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    const auto store = [&](auto low, auto high, std::uint64_t* to) {
      const auto bits = random_hn::Or(low, random_hn::ShiftLeft<32>(high));
      if (some == lanes) return random_hn::StoreU(bits, d, to + i);
      std::uint64_t last[HWY_MAX_BYTES / sizeof(std::uint64_t)];
      random_hn::StoreU(bits, d, last);
      for (std::size_t k = 0; k < some; ++k) to[i + k] = last[k];
    };
    store(c0, c1, out);
    if (more != nullptr) store(c2, c3, more);
  }
}
#endif

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(many_bits_here);

void Random::units(std::span<const std::uint32_t> counters, double* out) const {
  static_assert(sizeof(double) == sizeof(std::uint64_t));
  std::uint64_t bits[64];
  for (; !counters.empty(); counters = counters.subspan(std::min<std::size_t>(counters.size(), 64))) {
    const std::size_t some = std::min<std::size_t>(counters.size(), 64);
    HWY_DYNAMIC_DISPATCH(many_bits_here)(counters.data(), 0, some, stream_, purpose_, key_.data(), bits, nullptr);
    for (std::size_t i = 0; i < some; ++i) *out++ = static_cast<double>(bits[i] >> 11) * 0x1p-53;
  }
}

void many_blocks(std::uint64_t first, std::size_t n, std::uint32_t stream, Purpose purpose, std::uint64_t seed,
                 std::uint64_t* out, std::uint64_t* more) {
  std::uint32_t counter[64];
  const std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (std::size_t at = 0; at < n; at += std::size(counter)) {
    const std::size_t some = std::min(n - at, std::size(counter));
    for (std::size_t k = 0; k < some; ++k) counter[k] = static_cast<std::uint32_t>(first + at + k);
    HWY_DYNAMIC_DISPATCH(many_bits_here)(counter, static_cast<std::uint32_t>(first >> 32), some, stream,
                                         static_cast<std::uint32_t>(purpose), key, out + at, more + at);
  }
}
}  // namespace wald
#endif
