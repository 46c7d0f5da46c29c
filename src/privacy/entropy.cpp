#include "privacy/entropy.h"

#include <sodium.h>

#include <bit>

#include "core/check.h"

namespace wald {

void system_entropy(std::span<std::byte> into) {
  static const bool ready = sodium_init() >= 0;
  WALD_CHECK(ready);
  randombytes_buf(into.data(), into.size());
}

Entropy::Entropy() : source_(system_entropy) {}

Entropy::~Entropy() { sodium_memzero(held_.data(), sizeof(held_)); }

std::uint64_t Entropy::bits() {
  if (used_ == held_.size()) {
    source_(std::as_writable_bytes(std::span(held_)));
    used_ = 0;
  }
  const std::uint64_t out = held_[used_];
  held_[used_++] = 0;  // what was used stays nowhere
  return out;
}

// By rejection from the smallest power of two that holds the bound: no draw is favoured.
std::uint64_t Entropy::below(std::uint64_t bound) {
  WALD_CHECK(bound > 0);
  if (bound == 1) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(bound - 1);
  for (;;)
    if (const std::uint64_t draw = bits() & mask; draw < bound) return draw;
}

Wide Entropy::below(Wide bound) {
  if (bound >> 64 == 0) return below(static_cast<std::uint64_t>(bound));
  const auto top = static_cast<std::uint64_t>((bound - 1) >> 64);
  const std::uint64_t mask = top == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(top);
  for (;;) {
    const Wide draw = static_cast<Wide>(bits() & mask) << 64 | bits();
    if (draw < bound) return draw;
  }
}

}  // namespace wald
