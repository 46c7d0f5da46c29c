// XXH3 with 128 bits (Collet's xxHash): against accidents and for telling data apart, not against an adversary.
#pragma once
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace wald {

class Hash {
 public:
  Hash() { XXH3_128bits_reset(state_.get()); }
  void add(std::span<const std::byte> bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }
  // Most significant byte first, as xxHash's canonical form has it.
  std::array<unsigned char, 16> digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    return std::to_array(canonical.digest);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_{XXH3_createState()};
};

}  // namespace wald
