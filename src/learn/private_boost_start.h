// Where private boosting of numbers begins, and where it cuts residuals off: from a noisy histogram of the target.
// Post-processing of a release.
#pragma once
#include <optional>
#include <span>
#include <vector>

namespace wald {

inline constexpr int kTargetCells = 48;

struct NoisyCells {
  std::span<const double> count;  // of cells of equal width from `low` on
  double deviation = 0;           // of the noise in each
  double rows = 1;                // about how many there are
  double low = 0, width = 1;
};

struct NumberStart {
  double mean = 0, clip = 1;
  std::vector<double> bias;  // of the mean, in clips, if residuals are cut off at the clip, at twice it, ...
};
NumberStart start_of(const NoisyCells&);

// Bounds within which all rows lie as far as can be told through the noise, where that is a small part of the range:
// noise goes by the range, so whoever declared it should know. Not given where a tail is seen or may be hidden.
struct Crowd {
  double low = 0, high = 0;
};
std::optional<Crowd> crowd_of(const NoisyCells&);

// How the mean alone is asked for after the last tree.
struct MeanQuery {
  int doublings = 0;  // of the clip
  double share = 0;   // of mu^2
};
inline constexpr double kLeastForMean = 0.002;  // of what is left for trees and mean
// noise: in clips, that of a mean of residuals cut off at the clip for which all of mu is spent. left: of mu^2.
MeanQuery mean_query(const NumberStart&, double noise, double left);

}  // namespace wald
