// The most that a column of a node can gain, quickly and never too little, so that only columns that may be the
// favourite are judged.
//
// With l = the sum of first derivatives on the left, L = that of second derivatives and l2, and r and R likewise, a cut
// is worth (l^2 R + r^2 L) / 2LR. Narrow floats do for that: their rounding is allowed for, and a bound that is a
// little too high costs time only.
#pragma once
#include <cstdint>

#include "tree/newton.h"

namespace wald {

class GainBound {
 public:
  // The cuts of a node with these sums and this score.
  void open(const Newton&, Sums total, double score, double min_leaf);
  bool tells() const { return ordinary_; }
  // No cut gains more, sides below min_leaf left out; left: the packed sums left of each. Reads up to kCutPadding words
  // behind the last, whatever they are. worth: what each is worth, below 0 where it is left out; so many floats more
  // are overwritten. Nothing is written where nothing is told.
  double most(const std::uint64_t* left, std::size_t cuts, float* worth) const;
  // No cut worth less gains as much.
  float least_worth(double gain) const;

  // In units of the whole numbers summed up.
  struct Node {
    std::int32_t all_g, all_h, too_little;  // for a side
    float l1, l2;
  };

 private:
  Node node_{};
  double score_ = 0, unit_ = 0;
  bool ordinary_ = false;  // nothing comes near the ends of the range of floats
};

// The first of the cuts that are worth most; there must be one. Both read what most() has written.
std::size_t first_of_most(const float* worth, std::size_t cuts);
// Those worth no less than this, in their order; how many there are, or, if more than room, room + 1.
std::size_t list_worth(const float* worth, std::size_t cuts, float least, std::uint16_t* into, std::size_t room);

}  // namespace wald
