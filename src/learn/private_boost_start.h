// Where private boosting of numbers begins, and where it cuts residuals off: from a noisy histogram of the target.
// Post-processing of a release.
#pragma once
#include <span>

namespace wald {

struct NoisyCells {
  std::span<const double> count;  // of cells of equal width from `low` on
  double deviation = 0;           // of the noise in each
  double rows = 1;                // about how many there are
  double low = 0, width = 1;
  bool weak = false;  // so few rows that trees will hardly say more than the mean: it must be right
};

struct NumberStart {
  double mean = 0, clip = 1;
};
NumberStart start_of(const NoisyCells&);

}  // namespace wald
