// The most that a column of a node can gain, quickly and never too little, so that only columns that may be the
// favourite are judged.
//
// With l = the sum of first derivatives on the left, L = that of second derivatives and l2, r and R likewise, G = l + r
// and H = L + R, a cut scores l^2 / 2L + r^2 / 2R. That is G^2 / 2H, the same for all cuts, and d^2 H / 2LR, d = l - L
// G / H being what the left side has more than its share. Narrow floats and an inverse of few digits do for the latter:
// what they are off is allowed for, and a bound that is a little too high costs time only.
#pragma once
#include <cstdint>

#include "tree/newton.h"

namespace wald {

class GainBound {
 public:
  // The cuts of a node of so many rows, with these sums and this score.
  void open(const Newton&, std::size_t rows, Sums total, double score, double min_leaf);
  bool tells() const { return ordinary_; }
  // No cut gains more, sides below min_leaf left out; left: the packed sums left of each. Reads up to kCutPadding words
  // behind the last, whatever they are. worth: what each is worth, below 0 where it is left out; so many floats more
  // are overwritten. Nothing is written where nothing is told.
  // top: the most that one is worth.
  double most(const std::uint64_t* left, std::size_t cuts, float* worth, float& top) const;
  // No cut worth less gains as much.
  float least_worth(double gain) const;

  // In units of the whole numbers summed up.
  struct Node {
    std::int32_t all_g, all_h, too_little;  // for a side
    float l1, l2;
    float all, mean;     // H, G / H
    float parent, part;  // no more than G^2 / H; 1 / H
  };
  static constexpr float kTiny = 0x1p-8F;  // part of a node's second derivatives

 private:
  Node node_{};
  float (*most_worth_)(const std::uint64_t*, std::size_t, const Node&, float*) = nullptr;  // for this processor
  double base_ = 0, scale_ = 0;  // a cut gains no more than base + scale * worth
  bool ordinary_ = false;        // nothing comes near the ends of the range of floats
};

// The first of the cuts that are worth most; there must be one. Both read what most() has written.
std::size_t first_of_most(const float* worth, std::size_t cuts);
// Those worth no less than this, in their order; how many there are, or, if more than room, room + 1.
std::size_t list_worth(const float* worth, std::size_t cuts, float least, std::uint16_t* into, std::size_t room);

}  // namespace wald
