#include "model/votes.h"

#include <algorithm>
#include <array>

namespace wald {

VoteCounts::VoteCounts(const Forest& forest)
    : trees_(forest.trees()), outputs_(static_cast<std::size_t>(forest.outputs)), base_(forest.base) {
  constexpr std::size_t kMostTrees = 4096;  // whose sums stay in the cache, and whose votes in two bytes
  if (!forest.output.empty() || trees_ > kMostTrees || !find_outputs(forest)) return;
  for (double& base : base_) base += 0.0;  // as an added 0 does to -0
  const std::size_t width = forest.width();
  for (std::size_t v = 0; v < output_.size(); ++v) {
    double sum = base_[output_[v]];
    for (std::size_t votes = 0; votes <= trees_; ++votes, sum += forest.values[v * width + output_[v]])
      sum_.push_back(sum);
  }
}

// Each vector must name one output, and no two the same.
bool VoteCounts::find_outputs(const Forest& forest) {
  const std::size_t width = forest.width(), vectors = forest.values.size() / width;
  if (vectors > kMostVectors) return false;
  std::vector<bool> named(width);
  for (std::size_t v = 0; v < vectors; ++v) {
    const double* says = forest.values.data() + v * width;
    const double* names = std::find_if(says, says + width, [](double x) { return x != 0; });
    const auto output = static_cast<std::size_t>(names - says);
    if (output == width || named[output]) return false;
    if (std::any_of(names + 1, says + width, [](double x) { return x != 0; })) return false;
    named[output] = true;
    output_.push_back(static_cast<std::uint32_t>(output));
  }
  return true;
}

void VoteCounts::score(const std::uint8_t* found, std::size_t stride, std::size_t rows, double* score) const {
  std::array<std::uint16_t, kMostVectors * kRows> counts;
  count_votes(found, stride, trees_, output_.size(), counts.data());
  for (std::size_t row = 0; row < rows; ++row) std::ranges::copy(base_, score + row * outputs_);
  for (std::size_t v = 0; v < output_.size(); ++v) {
    const double* sum = sum_.data() + v * (trees_ + 1);
    const std::uint16_t* count = counts.data() + v * kRows;
    for (std::size_t row = 0; row < rows; ++row) score[row * outputs_ + output_[v]] = sum[count[row]];
  }
}

}  // namespace wald
