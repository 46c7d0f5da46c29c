// What trees say where each names one class, as pure leaves do: votes are counted as whole numbers.
//
// Scores are sums in the order of trees, in double precision. An output to which every tree adds either nothing or the
// same number has a sum that depends on how often only: these sums are made once, by the same additions, and counting
// bytes costs a tenth of adding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wald/model.h"

namespace wald {

class VoteCounts {
 public:
  static constexpr std::size_t kRows = 64;  // that are counted at once
  VoteCounts() = default;
  explicit VoteCounts(const Forest&);
  // Whether the forest is such; if not, there is nothing to count.
  bool exact() const { return !sum_.empty(); }
  // Of at most kRows rows; score: row x output. found: tree x row, of each the number of a vector, `stride` bytes from
  // one tree to the next, kRows of which can be read.
  void score(const std::uint8_t* found, std::size_t stride, std::size_t rows, double* score) const;

 private:
  static constexpr std::size_t kMostVectors = 64;  // more would cost more to count than to add
  bool find_outputs(const Forest&);

  std::size_t trees_ = 0, outputs_ = 0;
  std::vector<std::uint32_t> output_;  // that each vector names
  std::vector<double> base_;           // of each output, as the sum of no votes
  std::vector<double> sum_;            // vector x number of votes
};

// counts: vector x row, set to how many of the trees say the vector in each of VoteCounts::kRows rows.
void count_votes(const std::uint8_t* found, std::size_t stride, std::size_t trees, std::size_t vectors,
                 std::uint16_t* counts);

}  // namespace wald
