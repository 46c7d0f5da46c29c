// The cuts of a column laid out so that all of them can be judged at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wald {

constexpr std::size_t kCutPadding = 16;  // so that the last vector may be read and written whole

struct Cuts {
  const std::int64_t* left;  // both sums left of every cut; below 2^53, hence exact as doubles
  std::size_t count;
  std::int64_t all_g, all_h;
};

struct CutSums {
  std::vector<std::int64_t> left;
  std::vector<double> gain;
  void fit(std::size_t cuts) {
    if (gain.size() < cuts + kCutPadding) gain.resize(cuts + kCutPadding), left.resize(2 * gain.size());
  }
};

}  // namespace wald
