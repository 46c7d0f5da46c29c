#include "tree/prune.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <tuple>
#include <utility>

#include "core/elementary.h"
#include "core/statistics.h"

namespace wald {
namespace {

// Alphas of neighbouring subtrees come from sums in different orders; closer than this they are one.
constexpr double kSameAlpha = 1e-11;

// Each node knows the weakest link at or below it, so that finding and cutting one costs a walk up the tree.
class Weakest {
 public:
  Weakest(const Parents& parent, std::span<const double> risk)
      : parent_(parent),
        risk_(risk),
        below_(risk.size()),
        leaves_(risk.size()),
        first_(risk.size() + 1),
        child_(risk.size()),
        best_(risk.size()) {
    for (std::size_t n = 1; n < risk.size(); ++n) ++first_[parent[n] + 1];
    for (std::size_t n = 0; n < risk.size(); ++n) first_[n + 1] += first_[n];
    std::vector<std::uint32_t> next = first_;
    for (std::uint32_t n = 1; n < risk.size(); ++n) child_[next[parent[n]]++] = n;
    for (auto n = static_cast<std::uint32_t>(risk.size()); n-- > 0;) {
      if (first_[n] == first_[n + 1]) below_[n] = risk[n], leaves_[n] = 1;
      best_[n] = best_below(n);
      if (n > 0) below_[parent[n]] += below_[n], leaves_[parent[n]] += leaves_[n];
    }
  }
  double risk() const { return below_[0]; }
  std::uint32_t leaves() const { return leaves_[0]; }

  // Takes the inner node whose subtree gains least a leaf, if that is at most `alpha`; below none are left.
  bool take(double alpha, std::uint32_t& node, double& at) {
    if (best_[0].second == kNone || best_[0].first > alpha) return false;
    std::tie(at, node) = best_[0];
    collapse(node);
    return true;
  }

 private:
  using Link = std::pair<double, std::uint32_t>;  // what a leaf gains, and the node; equal ones in the nodes' order
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  Link best_below(std::uint32_t n) const {
    Link best{std::numeric_limits<double>::infinity(), kNone};
    if (leaves_[n] < 2) return best;
    best = {(risk_[n] - below_[n]) / (leaves_[n] - 1), n};
    for (std::uint32_t i = first_[n]; i < first_[n + 1]; ++i) best = std::min(best, best_[child_[i]]);
    return best;
  }
  void collapse(std::uint32_t n) {
    const double more = risk_[n] - below_[n];
    const std::uint32_t fewer = leaves_[n] - 1;
    for (std::uint32_t up = n;; up = parent_[up]) {
      below_[up] += more, leaves_[up] -= fewer;
      best_[up] = best_below(up);
      if (up == 0) return;
    }
  }

  const Parents& parent_;
  std::span<const double> risk_;
  std::vector<double> below_;  // risk of the leaves below
  std::vector<std::uint32_t> leaves_;
  std::vector<std::uint32_t> first_, child_;  // the children of n are child_[first_[n]] up to child_[first_[n + 1]]
  std::vector<Link> best_;                    // among a node and all below
};

void take_terms(const Tree& tree, std::uint32_t node, std::uint32_t as, std::vector<LeafTerm>& out) {
  for (LeafTerm term : std::ranges::equal_range(tree.terms, node, {}, &LeafTerm::node)) {
    term.node = as;
    out.push_back(term);
  }
}

}  // namespace

Parents parents_of(const Tree& tree) {
  Parents parent(tree.nodes.size(), 0);
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n)
    for (std::uint32_t k = 0; k < tree.nodes[n].ways(); ++k) parent[tree.nodes[n].child + k] = n;
  return parent;
}

PrunePath cost_complexity(const Parents& parent, std::span<const double> risk) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Weakest weakest(parent, risk);
  PrunePath path{.collapse = std::vector<double>(risk.size(), kInfinity), .steps = {}};
  const double noise = kSameAlpha * std::fabs(*std::ranges::max_element(risk));
  double alpha = 0;
  while (true) {
    std::uint32_t node = 0;
    double at = 0;
    while (weakest.take(alpha + std::max(noise, kSameAlpha * alpha), node, at)) path.collapse[node] = alpha;
    path.steps.push_back({alpha, weakest.leaves(), weakest.risk()});
    if (!weakest.take(kInfinity, node, at)) break;
    alpha = at;
    path.collapse[node] = alpha;
  }
  // A row ends at the first node of its way that is a leaf, so what lies below a leaf ends there too.
  for (std::size_t n = 1; n < risk.size(); ++n) path.collapse[n] = std::min(path.collapse[n], path.collapse[parent[n]]);
  return path;
}

std::vector<bool> PrunePath::at(double alpha) const {
  std::vector<bool> leaf(collapse.size());
  for (std::size_t n = 0; n < leaf.size(); ++n) leaf[n] = collapse[n] <= alpha;
  return leaf;
}

std::vector<double> risk_of_gains(const Parents& parent, std::span<const double> gain) {
  std::vector<double> risk(gain.begin(), gain.end());
  for (std::size_t n = risk.size(); n-- > 1;) risk[parent[n]] += risk[n];
  return risk;
}

std::vector<bool> cheaper_as_leaf(const Parents& parent, std::span<const double> cost, double slack) {
  const std::size_t nodes = cost.size();
  std::vector<bool> leaf(nodes, true);
  std::vector<double> below(nodes, 0);
  for (std::size_t n = 1; n < nodes; ++n) leaf[parent[n]] = false;
  for (std::size_t n = nodes; n-- > 0;) {
    leaf[n] = leaf[n] || cost[n] <= below[n] + slack;
    if (n > 0) below[parent[n]] += leaf[n] ? cost[n] : below[n];
  }
  return leaf;
}

std::vector<bool> agreeing(const Parents& parent, std::span<const std::int32_t> label) {
  constexpr std::int32_t kNone = -2, kMixed = -1;
  std::vector<std::int32_t> below(label.size(), kNone);
  for (std::size_t n = label.size(); n-- > 0;) {
    if (below[n] == kNone) below[n] = label[n];
    std::int32_t& up = below[parent[n]];
    if (n > 0) up = up == kNone || up == below[n] ? below[n] : kMixed;
  }
  std::vector<bool> leaf(label.size());
  for (std::size_t n = 0; n < leaf.size(); ++n) leaf[n] = below[n] != kMixed;
  return leaf;
}

void fit_bins_to_thresholds(Tree& tree, const Binned& x) {
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    if (tree.nodes[n].test != Test::Threshold) continue;
    const std::vector<double>& highest = x.columns[tree.nodes[n].column].highest;
    const auto above = std::ranges::upper_bound(highest, tree.threshold[n]);
    tree.nodes[n].ref = std::max(tree.nodes[n].ref, static_cast<std::uint32_t>(above - highest.begin()));
  }
}

Tree cut(const Tree& tree, const Binned& x, const std::vector<bool>& leaf) {
  Tree out{.outputs = tree.outputs, .output = tree.output};
  const auto outputs = static_cast<std::ptrdiff_t>(tree.outputs);
  std::deque<std::uint32_t> queue{0};
  for (std::uint32_t made = 1; !queue.empty(); queue.pop_front()) {
    const std::uint32_t n = queue.front();
    TreeNode node = leaf[n] ? TreeNode{} : tree.nodes[n];
    for (std::uint32_t k = 0; k < node.ways(); ++k) queue.push_back(node.child + k);
    const bool splits = node.test != Test::Leaf;
    if (splits) node.child = std::exchange(made, made + node.ways());
    if (node.test == Test::Set) {
      const auto from = tree.sets.begin() + std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
      out.sets.insert(out.sets.end(), from, from + (x.columns[node.column].codes - 1 + 63) / 64);
    }
    if (!splits) take_terms(tree, n, static_cast<std::uint32_t>(out.nodes.size()), out.terms);
    out.nodes.push_back(node);
    if (!tree.surrogates.empty()) out.surrogates.push_back(splits ? tree.surrogates[n] : std::vector<StandIn>{});
    out.threshold.push_back(splits ? tree.threshold[n] : 0);
    out.cover.push_back(tree.cover[n]);
    out.gain.push_back(splits ? tree.gain[n] : 0);
    const auto values = tree.values.begin() + n * outputs;
    out.values.insert(out.values.end(), values, values + outputs);
  }
  return out;
}

Pessimist::Pessimist(double confidence) : log_confidence_(log_exact(confidence)), z_(normal_quantile(1 - confidence)) {}

double Pessimist::added(double weight, double errors) const {
  if (errors < 1) {  // exact for none: the rate at which no error in `weight` rows has probability `confidence`
    const double none = weight * (1 - exp_exact(log_confidence_ / weight));
    return errors <= 0 ? none : none + errors * (added(weight, 1) - none);
  }
  if (errors + 0.5 >= weight) return std::max(weight - errors, 0.0);
  // The normal approximation with correction for continuity: Wilson's upper limit.
  const double share = (errors + 0.5) / weight, z2 = z_ * z_ / weight;
  const double limit =
      (share + z2 / 2 + z_ * std::sqrt((share - share * share) / weight + z2 / (4 * weight))) / (1 + z2);
  return limit * weight - errors;
}

}  // namespace wald
