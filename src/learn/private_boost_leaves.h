// From noisy sums to leaf values. The values of a tree's nodes are taken as a Gaussian tree: a child's is its parent's
// and a normal step whose variance falls with depth. Given the noisy sums of the leaves, whose noise is known exactly,
// their posterior mean is had in one pass up and one down; a leaf of few rows says what its neighbours say. How large
// the steps are is chosen by the likelihood of all sums released so far (empirical Bayes). All of it is
// post-processing.
#pragma once
#include <vector>

#include "learn/private_boost_grid.h"

namespace wald {

struct LeafSums {
  std::vector<double> g, h;         // of each leaf of the grid, with noise
  double noise_g = 0, noise_h = 0;  // deviations of it
  double scatter = 1;               // variance that g has without noise, per unit of h
};

class LeafPrior {
 public:
  // doubt: log prior odds against steps of twice the length.
  LeafPrior(double largest_step, double doubt) : largest_(largest_step), doubt_(doubt) {}
  // The values of the leaves, a Newton step each.
  std::vector<double> values(const std::vector<Branch>&, const LeafSums&);

 private:
  double largest_, doubt_;
  std::vector<double> evidence_ = std::vector<double>(kSteps, 0.0);  // for each size of the steps, fading
  static constexpr std::size_t kSteps = 14;
};

}  // namespace wald
