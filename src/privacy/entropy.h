// Randomness that nobody can repeat: from the operating system's entropy, through libsodium. There is no seed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace wald {

__extension__ typedef unsigned __int128 Wide;  // sums and products that do not fit 64 bits

void system_entropy(std::span<std::byte>);

class Entropy {
 public:
  using Source = std::function<void(std::span<std::byte>)>;
  Entropy();  // the system's
  // From elsewhere: for tests of the samplers, and for the mutants that an audit must catch.
  explicit Entropy(Source source) : source_(std::move(source)) {}
  Entropy(const Entropy&) = delete;
  Entropy& operator=(const Entropy&) = delete;
  ~Entropy();

  std::uint64_t bits();
  bool coin() { return (bits() & 1) != 0; }
  std::uint64_t below(std::uint64_t bound);  // uniform in 0 .. bound - 1, exactly; bound > 0
  Wide below(Wide bound);

 private:
  Source source_;
  std::array<std::uint64_t, 512> held_{};
  std::size_t used_ = 512;
};

}  // namespace wald
