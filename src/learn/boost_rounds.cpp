#include "learn/boost_rounds.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "learn/boost_rows.h"
#include "tree/grow.h"
#include "tree/threshold.h"

namespace wald {
namespace {

constexpr std::size_t kGrain = 1u << 13;

// So that scores up to 16 times as large as what the targets are made of (128 where they are logarithms) are exact.
double unit_of(const Start& start, ScoreIs score) {
  double size = start.spread;
  for (const double s : start.score) size = std::fmax(size, std::fabs(s));
  int exponent = 0;
  std::frexp(size, &exponent);
  if (score != ScoreIs::Value) exponent = std::max(exponent, 4);
  return std::ldexp(1.0, std::clamp(exponent - 49, -1000, 960));
}

// How many columns are drawn out of so many.
int drawn(double wanted, int out_of) {
  if (wanted <= 0) return out_of;
  return std::clamp(static_cast<int>(std::lround(wanted < 1 ? wanted * out_of : wanted)), 1, out_of);
}

GrowOptions grow_options(const Boost& how, std::size_t columns) {
  GrowOptions out = how;
  const int all = static_cast<int>(columns);
  out.columns_per_tree = drawn(how.columns, all);
  out.columns_per_level = drawn(how.level_columns, out.columns_per_tree);
  out.columns_per_node = drawn(how.node_columns, out.columns_per_level);
  if (out.columns_per_node == out.columns_per_level) out.columns_per_node = 0;
  if (out.columns_per_level == out.columns_per_tree) out.columns_per_level = 0;
  if (out.columns_per_tree == all) out.columns_per_tree = 0;
  return out;
}

// A cut lies between bins that the node's own rows are in, perhaps far apart, and its threshold may fall into a bin
// between them. Other rows may be there: the threshold moves to the nearest gap, so that bins and values decide alike.
void settle(Tree& tree, const Binned& x) {
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    TreeNode& node = tree.nodes[n];
    if (node.test != Test::Threshold) continue;
    const BinnedColumn& column = x.columns[node.column];
    double& t = tree.threshold[n];
    const auto below = static_cast<std::size_t>(std::ranges::upper_bound(column.highest, t) - column.highest.begin());
    node.ref = static_cast<std::uint32_t>(below);
    if (below < column.lowest.size() && column.lowest[below] <= t)
      t = threshold_between(column.highest[below - 1], column.lowest[below]);
  }
}

double on_grid(double value, double unit) { return std::nearbyint(value / unit) * unit; }

Run without_progress(Run run) {
  run.progress = {};
  return run;
}

}  // namespace

Booster::Booster(const Binned& x, const Objective& objective, const Boost& how, std::vector<Row> rows,
                 std::vector<Row> watched, const Run& run, const Before* before)
    : x_(x),
      objective_(objective),
      how_(how),
      run_(without_progress(run)),
      rows_(std::move(rows)),
      watched_(std::move(watched)),
      outputs_(static_cast<std::size_t>(objective.outputs)),
      score_(x.rows * outputs_),
      g_(x.rows * outputs_),
      h_(x.rows * outputs_) {
  const Start start = objective.start(rows_);
  unit_ = unit_of(start, objective.score);
  if (before != nullptr) {
    base_ = before->base, score_ = before->score, rounds_ = before->rounds;
    return;
  }
  for (const double s : start.score) base_.push_back(on_grid(s, unit_));
  for (std::size_t i = 0; i < score_.size(); ++i) score_[i] = base_[i % outputs_];
}

void Booster::scale(Tree& tree, double factor) const {
  for (double& v : tree.values) v = on_grid(factor * v, unit_);
}

void Booster::add(const Tree& tree, std::span<const Row> rows, double sign) {
  double* score = score_.data() + output_of(tree);
  parallel_for(rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      score[rows[i] * outputs_] += sign * tree.values[leaf_of(tree, x_, rows[i])];
  });
}

void Booster::add_grown(const Tree& tree) {
  double* score = score_.data() + output_of(tree);
  parallel_for(tree.nodes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      if (tree.nodes[n].test != Test::Leaf) continue;
      for (std::size_t i = space_.range[n].first; i < space_.range[n].last; ++i)
        score[space_.rows[i] * outputs_] += tree.values[n];
    }
  });
}

// DART (Vinayak and Gilad-Bachrach 2015): each tree is left out with the same chance, one at least.
std::vector<std::size_t> Booster::dropped() const {
  std::vector<std::size_t> out;
  if (how_.drop <= 0 || trees_.empty()) return out;
  const Random random(run_.seed, Purpose::Dropped, static_cast<std::uint32_t>(rounds_));
  for (std::size_t t = 0; t < trees_.size(); ++t)
    if (random.unit(t) < how_.drop) out.push_back(t);
  if (out.empty()) out.push_back(random.below(trees_.size(), trees_.size()));
  return out;
}

void Booster::take_up(const std::vector<Tree>& trees) {
  for (const Tree& tree : trees) add(tree, rows_, 1), add(tree, watched_, 1);
  trees_.insert(trees_.end(), trees.begin(), trees.end());
  rounds_ += static_cast<int>(trees.size() / outputs_);
}

void Booster::round() {
  const std::vector<std::size_t> out = dropped();
  const auto change = [&](const Tree& tree, double sign) { add(tree, rows_, sign), add(tree, watched_, sign); };
  for (const std::size_t t : out) change(trees_[t], -1);
  objective_.slopes(rows_, score_, g_, h_);
  const RowSample sample = draw_rows(rows_, g_, h_, outputs_, how_, run_.seed, rounds_);
  for (std::size_t i = 0; i < sample.weight.size(); ++i)
    for (std::size_t k = 0; k < outputs_; ++k) {
      g_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
      h_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
    }
  // The trees left out share their place with the new ones.
  const double share = static_cast<double>(out.size()) / static_cast<double>(outputs_), rate = how_.learning_rate;
  const std::size_t before = trees_.size();
  for (std::size_t k = 0; k < outputs_ && !run_.stopped(); ++k) {
    Tree& tree = trees_.emplace_back(grow_one(k, sample.rows));
    scale(tree, out.empty() ? rate : rate / (share + rate));
    add_grown(tree);
    add(tree, sample.rest, 1), add(tree, watched_, 1);
  }
  if (run_.stopped()) {  // half a round is none
    for (std::size_t t = before; t < trees_.size(); ++t) change(trees_[t], -1);
    trees_.resize(before);
  }
  for (const std::size_t t : out) {
    if (!run_.stopped()) scale(trees_[t], share / (share + rate));
    change(trees_[t], 1);
  }
  rounds_ += run_.stopped() ? 0 : 1;
}

Tree Booster::grow_one(std::size_t output, std::span<const Row> sample) {
  fix_gradients(std::span(g_).subspan(output * x_.rows, x_.rows), std::span(h_).subspan(output * x_.rows, x_.rows),
                how_.gradient_bits, gradients_);
  GrowOptions how = grow_options(how_, x_.columns.size());
  how.tree = static_cast<std::uint32_t>(static_cast<std::size_t>(rounds_) * outputs_ + output);
  if (how.min_gain > 0) {  // the grower takes it per weight
    std::int64_t all = 0;
    for (const Row r : sample) all += gradients_.row[r].h;
    how.min_gain /= std::fmax(static_cast<double>(all) * gradients_.h_unit, 1e-300);
  }
  space_.rows.assign(sample.begin(), sample.end());
  Tree tree = grow(x_, space_, Newton{.gradients = &gradients_, .l1 = how_.l1, .l2 = how_.l2}, how, run_);
  settle(tree, x_);
  if (outputs_ > 1) tree.output = static_cast<std::uint32_t>(output);
  if (objective_.quantile) refit(tree, output);
  const double most = std::fmin(objective_.longest_step, how_.max_step);
  for (double& v : tree.values) v = std::clamp(v, -most, most);
  return tree;
}

// Each leaf gets the quantile of its rows' residuals; the second derivatives are the rows' weights.
void Booster::refit(Tree& tree, std::size_t output) const {
  parallel_for(tree.nodes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      if (tree.nodes[n].test != Test::Leaf) continue;
      std::vector<Weighted> residuals;
      for (std::size_t i = space_.range[n].first; i < space_.range[n].last; ++i) {
        const Row r = space_.rows[i];
        residuals.push_back({objective_.targets->y[r] - score_[r * outputs_ + output], h_[output * x_.rows + r]});
      }
      tree.values[n] = quantile(residuals, *objective_.quantile);
    }
  });
}

void Booster::keep() {
  kept_count_ = trees_.size();
  if (how_.drop > 0) kept_ = trees_;
}

std::vector<Tree> Booster::kept() const {
  return how_.drop > 0 ? kept_ : std::vector(trees_.begin(), trees_.begin() + static_cast<std::ptrdiff_t>(kept_count_));
}

}  // namespace wald
