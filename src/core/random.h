// Counter-based randomness: Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy
// as 1, 2, 3"). A draw is a function of (seed, purpose, stream, counter), never of who asks first, so that it does
// not depend on threads or on the order of work.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace wald {

// One number a use, never reused for another: changing one changes models.
enum class Purpose : std::uint32_t {
  Holdout = 1,
  Columns = 2,
  Folds = 3,
  Sample = 4,
  Shapley = 20,
  Shuffle = 21,
  Stopping = 30,  // rows kept aside to find the best round of boosting
  Rounds = 31,    // rows of a round
  Dropped = 32,   // trees of a round of DART
  TreeColumns = 33,
  LevelColumns = 34,
  Tune = 41,       // which options are tried
  Prune = 40,      // folds and shares of pruning
  Bootstrap = 50,  // rows of a tree of a forest
  Sapling = 51,    // columns and cuts of its nodes
  Honest = 52,     // which half of the rows a tree's leaves are filled by
  Permute = 53,    // cells of rows out of bag
  SplitSize = 54,  // rows asked which least size of a split node is best
  Impute = 60,     // what missing cells are filled with
  Encode = 61,     // folds of encoding levels by the target
  Balance = 62,    // rows of classes made even
  Resample = 63,   // rows of a bootstrap of measures
};

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint32_t stream = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        purpose_(static_cast<std::uint32_t>(purpose)),
        stream_(stream) {}

  std::uint64_t bits(std::uint64_t counter) const {
    const auto r = philox(
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), stream_, purpose_}, key_);
    return r[0] | static_cast<std::uint64_t>(r[1]) << 32;
  }
  // Uniform in 0 .. n - 1; the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n, std::uint64_t counter) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits(counter)) * n >> 64);
  }
  // Uniform in [0, 1), a multiple of 2^-53.
  double unit(std::uint64_t counter) const { return static_cast<double>(bits(counter) >> 11) * 0x1p-53; }
  void units(std::span<const std::uint32_t> counters, double* out) const;  // of each; several at a time

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t purpose_, stream_;
};

// Draws in the order asked for, which are functions of (seed, purpose, stream, substream).
class RandomSeries {
 public:
  RandomSeries(std::uint64_t seed, Purpose purpose, std::uint32_t stream, std::uint32_t substream)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        purpose_(static_cast<std::uint32_t>(purpose)),
        stream_(stream),
        substream_(substream) {}
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(std::uint64_t{word()} * n >> 32); }
  double unit() {
    const std::uint64_t high = word();
    return static_cast<double>((high << 32 | word()) >> 11) * 0x1p-53;
  }

 private:
  std::uint32_t word() {
    if (at_ == block_.size()) {
      block_ = philox({substream_, blocks_++, stream_, purpose_}, key_);
      at_ = 0;
    }
    return block_[at_++];
  }
  std::array<std::uint32_t, 2> key_;
  std::uint32_t purpose_, stream_, substream_, blocks_ = 0;
  std::array<std::uint32_t, 4> block_{};
  std::size_t at_ = 4;
};

}  // namespace wald
