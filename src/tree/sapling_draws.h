// What the nodes of a sapling draw.
#pragma once
#include <array>
#include <cstdint>

#include "core/random.h"

namespace wald::sapling {

// Functions of (seed, tree, node), in the order asked for.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t tree, std::uint32_t node)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, tree_(tree), node_(node) {}
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(std::uint64_t{word()} * n >> 32); }
  double unit() {
    const std::uint64_t high = word();
    return static_cast<double>((high << 32 | word()) >> 11) * 0x1p-53;
  }

 private:
  std::uint32_t word() {
    if (at_ == block_.size()) {
      block_ = philox({node_, blocks_++, tree_, static_cast<std::uint32_t>(Purpose::Sapling)}, key_);
      at_ = 0;
    }
    return block_[at_++];
  }
  std::array<std::uint32_t, 2> key_;
  std::uint32_t tree_, node_, blocks_ = 0;
  std::array<std::uint32_t, 4> block_{};
  std::size_t at_ = 4;
};

}  // namespace wald::sapling
