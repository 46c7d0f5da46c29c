// Tells most columns of a node that none of their cuts can be the favourite, without a division.
//
// With l = the sum of first derivatives on the left, L = that of second derivatives and l2, and r and R likewise, a cut
// is worth l^2 / 2L + r^2 / 2R. It reaches a worth w only if l^2 R + r^2 L >= 2 w L R. Both sides are rounded; a margin
// far above that lets pass whatever might be mistaken, and passing costs time only.
#pragma once
#include <cstdint>

#include "tree/newton.h"

namespace wald {

class GainFilter {
 public:
  // The cuts of a node with these sums and this score.
  void open(const Newton&, Sums total, double score, double min_leaf);
  // Whether one of the cuts may gain more than `least`, sides below min_leaf left out; left: the packed sums left of
  // each. Reads up to kCutPadding words behind the last, whatever they are.
  bool passes(const std::uint64_t* left, std::size_t cuts, double least) const;

  // In units of the whole numbers summed up.
  struct Bound {
    double all_g, all_h, l1, l2, least_h;
    double twice;  // w above
  };

 private:
  Bound bound_{};
  double score_ = 0, unit_ = 0;
  bool ordinary_ = false;  // nothing comes near the ends of the range of doubles
};

}  // namespace wald
