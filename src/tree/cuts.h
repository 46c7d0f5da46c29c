// The cuts of a column laid out so that all of them can be judged at once.
#pragma once
#include <cstddef>
#include <vector>

namespace wald {

constexpr std::size_t kCutPadding = 16;  // so that the last vector may be read and written whole

// The sums left of every cut as doubles: whole numbers below 2^53, hence exact.
struct Cuts {
  const double *left_g, *left_h;
  std::size_t count;
  double all_g, all_h;
};

struct CutSums {
  std::vector<double> g, h, gain;
  void fit(std::size_t size) {
    if (g.size() < size) g.resize(size), h.resize(size), gain.resize(size);
  }
};

}  // namespace wald
