#include "learn/boost_rounds.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "learn/boost_rows.h"
#include "tree/grow.h"

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

double on_grid(double value, double unit) { return std::nearbyint(value / unit) * unit; }

Run without_progress(Run run) {
  run.progress = {};
  return run;
}

}  // namespace

Booster::Booster(const Binned& x, const Objective& objective, const Boost& how, std::vector<Row> rows, const Run& run)
    : x_(x),
      objective_(objective),
      how_(how),
      run_(without_progress(run)),
      rows_(std::move(rows)),
      outputs_(static_cast<std::size_t>(objective.outputs)),
      score_(x.rows * outputs_),
      g_(x.rows * outputs_),
      h_(x.rows * outputs_) {
  const Start start = objective.start(rows_);
  unit_ = unit_of(start, objective.score);
  for (const double s : start.score) base_.push_back(on_grid(s, unit_));
  for (std::size_t i = 0; i < score_.size(); ++i) score_[i] = base_[i % outputs_];
}

void Booster::scale(BoostedTree& grown, double factor) const {
  for (double& v : grown.tree.values) v = on_grid(factor * v, unit_);
}

void Booster::add(const BoostedTree& grown, double sign) {
  const std::vector<std::uint32_t> leaf = leaves_of_rows(grown.tree, x_);
  parallel_for(x_.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    double* score = score_.data() + grown.output;
    for (std::size_t r = begin; r < end; ++r) score[r * outputs_] += sign * grown.tree.values[leaf[r]];
  });
}

// DART (Vinayak and Gilad-Bachrach 2015): each tree is left out with the same chance; at least one if any is.
std::vector<std::size_t> Booster::dropped() const {
  std::vector<std::size_t> out;
  if (how_.drop <= 0 || trees_.empty()) return out;
  const Random random(run_.seed, Purpose::Dropped, static_cast<std::uint32_t>(rounds_));
  for (std::size_t t = 0; t < trees_.size(); ++t)
    if (random.unit(t) < how_.drop) out.push_back(t);
  if (out.empty()) out.push_back(random.below(trees_.size(), trees_.size()));
  return out;
}

void Booster::round() {
  const std::vector<std::size_t> out = dropped();
  for (const std::size_t t : out) add(trees_[t], -1);
  objective_.slopes(rows_, score_, g_, h_);
  const RowSample sample = draw_rows(rows_, g_, h_, outputs_, how_, run_.seed, rounds_);
  for (std::size_t i = 0; i < sample.weight.size(); ++i)
    for (std::size_t k = 0; k < outputs_; ++k) {
      g_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
      h_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
    }
  const std::size_t before = trees_.size();
  for (std::size_t k = 0; k < outputs_ && !run_.stopped(); ++k)
    grow_one(static_cast<int>(k), sample.rows, std::span(g_).subspan(k * x_.rows, x_.rows),
             std::span(h_).subspan(k * x_.rows, x_.rows));
  if (run_.stopped()) {
    trees_.resize(before);  // half a round is none
    return;
  }
  // The trees left out share their place with the new ones.
  const double share = static_cast<double>(out.size()) / static_cast<double>(outputs_);
  for (const std::size_t t : out) scale(trees_[t], share / (share + how_.learning_rate));
  for (std::size_t s = before; s < trees_.size(); ++s)
    scale(trees_[s], out.empty() ? how_.learning_rate : how_.learning_rate / (share + how_.learning_rate));
  for (const std::size_t t : out) add(trees_[t], 1);
  for (std::size_t s = before; s < trees_.size(); ++s) add(trees_[s], 1);
  ++rounds_;
}

void Booster::grow_one(int output, std::span<const Row> sample, std::span<const double> g, std::span<const double> h) {
  const FixedGradients gradients = fix_gradients(g, h, how_.gradient_bits);
  GrowOptions how = how_;
  how.tree = static_cast<std::uint32_t>(trees_.size());
  if (how.min_gain > 0) {  // the grower takes it per weight
    std::int64_t all = 0;
    for (const Row r : sample) all += gradients.row[r].h;
    how.min_gain /= std::fmax(static_cast<double>(all) * gradients.h_unit, 1e-300);
  }
  const Newton newton{.gradients = &gradients, .l1 = how_.l1, .l2 = how_.l2};
  trees_.push_back({grow(x_, {sample.begin(), sample.end()}, newton, how, run_), output});
  Tree& tree = trees_.back().tree;
  if (objective_.quantile) refit(tree, output, leaves_of_rows(tree, x_));
  for (double& v : tree.values) v = std::clamp(v, -objective_.longest_step, objective_.longest_step);
}

// Each leaf gets the quantile of its rows' residuals, each inner node the mean of its leaves by cover.
void Booster::refit(Tree& tree, int output, const std::vector<std::uint32_t>& leaf) const {
  std::vector<std::vector<Weighted>> residuals(tree.nodes.size());
  for (const Row r : rows_) {
    const double y = objective_.targets->y[r], f = score_[r * outputs_ + static_cast<std::size_t>(output)];
    residuals[leaf[r]].push_back({y - f, objective_.targets->of(r)});
  }
  parallel_for(residuals.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      if (!residuals[n].empty()) tree.values[n] = quantile(residuals[n], *objective_.quantile);
  });
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const TreeNode& node = tree.nodes[n];
    double sum = 0, cover = 0;
    for (std::uint32_t k = node.child; k < node.child + node.ways(); ++k)
      sum += tree.cover[k] * tree.values[k], cover += tree.cover[k];
    if (cover > 0) tree.values[n] = sum / cover;
  }
}

void Booster::keep() {
  kept_count_ = trees_.size();
  if (how_.drop > 0) kept_ = trees_;
}

std::vector<BoostedTree> Booster::kept() const {
  return how_.drop > 0 ? kept_ : std::vector(trees_.begin(), trees_.begin() + static_cast<std::ptrdiff_t>(kept_count_));
}

}  // namespace wald
