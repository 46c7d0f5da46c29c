#include "learn/private_boost_leaves.h"

#include <algorithm>
#include <cmath>

#include "core/elementary.h"

namespace wald {
namespace {

constexpr double kFalling = 0.7;  // variance of a step, relative to that of the level above
constexpr double kFading = 0.97;  // of evidence, from tree to tree

// A Gaussian potential exp(-precision x^2 / 2 + pull x).
struct Potential {
  double precision = 0, pull = 0;
};

double step_variance(double at_root, int depth) {
  double out = at_root;
  for (int d = 0; d < depth; ++d) out *= kFalling;
  return out;
}

Potential seen(const LeafSums& sums, int leaf, double step) {
  const double h = sums.h[static_cast<std::size_t>(leaf)], g = sums.g[static_cast<std::size_t>(leaf)];
  if (h <= sums.noise_h) return {};
  const double noise = sums.noise_g * sums.noise_g + sums.scatter * h + step * sums.noise_h * sums.noise_h;
  return {h * h / noise, -g * h / noise};
}

// What each node's own leaves say of it; returns the log likelihood of all of them.
double gather(const std::vector<Branch>& tree, const LeafSums& sums, double at_root, std::vector<Potential>& own) {
  own.assign(tree.size(), {});
  double likelihood = 0;
  for (std::size_t n = tree.size(); n-- > 0;) {
    const Branch& node = tree[n];
    if (node.axis < 0) own[n] = seen(sums, node.leaf, at_root);
    else
      for (const std::size_t child : {std::size_t{node.child}, std::size_t{node.child} + 1}) {
        const double blur = 1 + own[child].precision * step_variance(at_root, node.depth + 1);
        own[n].precision += own[child].precision / blur;
        own[n].pull += own[child].pull / blur;
      }
    const double step = step_variance(at_root, node.depth), blur = 1 + own[n].precision * step;
    likelihood += (own[n].pull * own[n].pull * step / blur - log_exact(blur)) / 2;
  }
  return likelihood;
}

}  // namespace

std::vector<double> LeafPrior::values(const std::vector<Branch>& tree, const LeafSums& sums) {
  std::vector<Potential> own;
  double variance = largest_;
  for (std::size_t k = 0; k < kSteps; ++k, variance /= 4)
    evidence_[k] = kFading * evidence_[k] + gather(tree, sums, variance, own);
  std::size_t best = kSteps - 1;  // long steps must have more to speak for them than chance
  const auto judged = [&](std::size_t k) { return evidence_[k] - doubt_ * static_cast<double>(kSteps - 1 - k); };
  for (std::size_t k = kSteps - 1; k-- > 0;)
    if (judged(k) > judged(best)) best = k;
  variance = largest_ * std::ldexp(1.0, -2 * static_cast<int>(best));
  gather(tree, sums, variance, own);
  std::vector<double> mean(tree.size()), out(sums.g.size());
  for (std::size_t n = 0; n < tree.size(); ++n) {
    const double step = step_variance(variance, tree[n].depth);
    if (n == 0) mean[n] = own[n].pull * step / (own[n].precision * step + 1);
    if (tree[n].axis < 0) out[static_cast<std::size_t>(tree[n].leaf)] = mean[n];
    else
      for (const std::size_t child : {std::size_t{tree[n].child}, std::size_t{tree[n].child} + 1}) {
        const double below = step_variance(variance, tree[n].depth + 1);
        mean[child] = (own[child].pull * below + mean[n]) / (own[child].precision * below + 1);
      }
  }
  return out;
}

}  // namespace wald
