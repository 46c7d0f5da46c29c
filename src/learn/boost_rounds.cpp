#include "learn/boost_rounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/grain.h"
#include "core/parallel.h"
#include "core/random.h"
#include "learn/boost_rows.h"
#include "learn/boost_stop.h"
#include "tree/grow.h"
#include "tree/tree_walk.h"
#include "tree/vector_newton.h"

namespace wald {
namespace {

// So that scores up to 16 times as large as what the targets are made of (128 where they are logarithms) are exact.
double unit_of(const Start& start, std::size_t output, ScoreIs score) {
  const double size = std::fmax(start.spread.empty() ? 1 : start.spread[output], std::fabs(start.score[output]));
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

// Two splits may be as good as each other but for the last digits, and which is taken moves the scores of a table as
// another seed would. With all digits that happens in one tree of thousands; of very few rows as many do as leave room
// for the packed sums of all (Newton::packed_rows), and of very many the scores themselves are surer than that.
int bits_for(const Boost& how, std::size_t rows) {
  constexpr std::size_t kFew = 512, kMany = 1u << 17;
  if (how.gradient_bits > 0) return how.gradient_bits;
  if (rows >= kMany) return 16;
  return rows < kFew ? std::min(31 - static_cast<int>(std::bit_width(rows)), 24) : kGradientBits;
}

LevelRules level_rules(const Boost& how) {
  return {.one_against_rest = how.one_against_rest,
          .min_rows = how.min_level,
          .smoothing = how.level_smoothing,
          .l2 = how.level_l2,
          .most = how.max_levels,
          .sure = how.sure_level};
}

template <class C>
double all_weight(const C& criterion, std::span<const Row> rows) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(criterion.width()));
  for (const Row r : rows) criterion.add(criterion.part(r), sums.data());
  return criterion.weight(sums);
}

Run without_progress(Run run) {
  run.progress = {};
  return run;
}

}  // namespace

Booster::Booster(const Binned& x, const Objective& objective, const Boost& how, std::vector<Row> rows,
                 std::vector<Row> watched, const Run& run, const Before* before, const LinearSteps* linear,
                 Watch* other)
    : x_(x),
      objective_(objective),
      how_(how),
      linear_(linear),
      other_(other),
      run_(without_progress(run)),
      rows_(std::move(rows)),
      watched_(std::move(watched)),
      outputs_(static_cast<std::size_t>(objective.outputs)),
      a_round_(static_cast<std::size_t>(trees_a_round(objective, how))),
      score_(x.rows * outputs_),
      g_(x.rows * outputs_),
      h_(x.rows * outputs_),
      noted_(a_round_),
      gradients_(outputs_ / a_round_) {
  const Start start = objective.start(rows_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    unit_.push_back(unit_of(start, k, objective.score));
    const double spread = start.spread.empty() || objective.score != ScoreIs::Value ? 1 : start.spread[k];
    scale_.push_back(spread > 0 ? 1 / (spread * spread) : 1);
  }
  if (before != nullptr) {
    base_ = before->base, score_ = before->score, rounds_ = before->rounds;
    if (other_ != nullptr) other_->begin(before->watched);
    return;
  }
  for (std::size_t k = 0; k < outputs_; ++k) base_.push_back(on_grid(start.score[k], unit_[k]));
  for (std::size_t i = 0; i < score_.size(); ++i) score_[i] = base_[i % outputs_];
  if (other_ != nullptr) other_->begin_at(base_);
}

void Booster::scale(Tree& tree, double factor) const {
  const std::size_t first = first_output(tree), width = static_cast<std::size_t>(tree.outputs);
  for (std::size_t i = 0; i < tree.values.size(); ++i)
    tree.values[i] = on_grid(factor * tree.values[i], unit_[first + i % width]);
  for (LeafTerm& leaf : tree.terms) leaf.term.slope *= factor;
}

void Booster::add(const Tree& tree, std::span<const Row> rows, double sign) {
  if (rows.empty()) return;
  const TreeWalk walk(tree, x_);
  double* score = score_.data() + first_output(tree);
  const auto width = static_cast<std::size_t>(tree.outputs);
  if (const std::vector<std::size_t> terms = term_starts(tree); !terms.empty()) {
    const double unit = linear_unit(tree);
    parallel_for(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
      walk.each(rows.subspan(begin, end - begin), [&](Row row, std::uint32_t leaf) {
        const double adds = linear_->at(tree, terms, leaf, row, tree.values[leaf]);
        score[row * outputs_] += sign * (unit > 0 ? on_grid(adds, unit) : adds);
      });
    });
    return;
  }
  parallel_for(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    walk.each(rows.subspan(begin, end - begin), [&](Row row, std::uint32_t leaf) {
      const double* value = tree.values.data() + leaf * width;
      for (std::size_t k = 0; k < width; ++k) score[row * outputs_ + k] += sign * value[k];
    });
  });
}

void Booster::add_watched(const Tree& tree, double sign) {
  add(tree, watched_, sign);
  if (other_ != nullptr) other_->add(tree, sign, linear_unit(tree));
}

// Nodes that a task takes on: few have many rows.
std::size_t Booster::node_grain(const Tree& tree) const {
  constexpr std::size_t kRows = kRowGrain / 4;
  return std::max<std::size_t>(1, tree.nodes.size() * kRows / std::max<std::size_t>(1, space_.rows.size()));
}

void Booster::add_leaves(const Tree& tree) {
  const auto width = static_cast<std::size_t>(tree.outputs);
  double* const score = score_.data() + first_output(tree);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    if (tree.nodes[n].test != Test::Leaf) continue;
    const auto [first, last] = space_.range[n];
    const double* const value = tree.values.data() + n * width;
    const auto add_to = [&, step = outputs_, here = value[0]](Row r) {
      score[r * step] += here;
      for (std::size_t k = 1; k < width; ++k) score[r * step + k] += value[k];
    };
    for (const Row r : std::span(space_.rows).subspan(first, last - first)) add_to(r);
  }
}

// Rows come leaf by leaf, in no order of memory, so what is written to them is made small: the number of the leaf.
void Booster::note_grown(const Tree& tree, std::size_t number) {
  std::vector<std::uint16_t>& noted = noted_[number];
  noted.clear();
  constexpr std::size_t kNear = 1u << 12;  // so few scores lie near, in whatever order they are written
  if (tree.terms.empty() && score_.size() <= kNear) return add_leaves(tree);
  if (!tree.terms.empty() || tree.nodes.size() > std::size_t{1} << 16) return add(tree, space_.rows, 1);
  noted.resize(x_.rows);
  parallel_for(tree.nodes.size(), node_grain(tree), [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      if (tree.nodes[n].test != Test::Leaf) continue;
      for (std::size_t i = space_.range[n].first; i < space_.range[n].last; ++i)
        noted[space_.rows[i]] = static_cast<std::uint16_t>(n);
    }
  });
}

void Booster::add_noted(std::span<const Tree> trees, std::span<const Row> rows) {
  parallel_for(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const auto width = static_cast<std::size_t>(trees[t].outputs);
      const double* value = trees[t].values.data();
      double* score = score_.data() + first_output(trees[t]);
      if (noted_[t].empty()) continue;
      const std::uint16_t* const noted = noted_[t].data();
      const std::size_t step = outputs_;
      if (width == 1)
        for (const Row r : rows.subspan(begin, end - begin)) score[r * step] += value[noted[r]];
      else
        for (const Row r : rows.subspan(begin, end - begin))
          for (std::size_t k = 0; k < width; ++k) score[r * step + k] += value[noted[r] * width + k];
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
  for (const Tree& tree : trees) add(tree, rows_, 1), add_watched(tree, 1);
  trees_.insert(trees_.end(), trees.begin(), trees.end());
  rounds_ += static_cast<int>(trees.size() / a_round_);
}

bool Booster::round() {
  const std::vector<std::size_t> out = dropped();
  const auto change = [&](const Tree& tree, double sign) { add(tree, rows_, sign), add_watched(tree, sign); };
  for (const std::size_t t : out) change(trees_[t], -1);
  objective_.slopes(rows_, score_, g_, h_);
  const RowSample sample = draw_rows(rows_, g_, h_, outputs_, how_, run_.seed, rounds_);
  parallel_for(sample.weight.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < outputs_; ++k)
      for (std::size_t i = begin; i < end; ++i) {
        g_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
        h_[k * x_.rows + sample.rows[i]] *= sample.weight[i];
      }
  });
  // The trees left out share their place with the new ones.
  const double share = static_cast<double>(out.size()) / static_cast<double>(a_round_), rate = how_.learning_rate;
  const std::size_t before = trees_.size();
  for (std::size_t k = 0; k < a_round_ && !run_.stopped(); ++k) {
    Tree& tree = trees_.emplace_back(a_round_ < outputs_ ? grow_vector(sample.rows) : grow_one(k, sample.rows));
    finish(tree);
    scale(tree, out.empty() ? rate : rate / (share + rate));
    note_grown(tree, k);
    add(tree, sample.rest, 1), add_watched(tree, 1);
  }
  add_noted(std::span(trees_).subspan(before), sample.rows);
  const bool whole = !run_.stopped();  // asked once: somebody may stop the run at any time
  if (!whole) {                        // half a round is none
    for (std::size_t t = before; t < trees_.size(); ++t) change(trees_[t], -1);
    trees_.resize(before);
  }
  if (whole) replaced_.clear();
  for (const std::size_t t : out) {
    if (whole) replaced_.emplace_back(t, trees_[t]), scale(trees_[t], share / (share + rate));
    change(trees_[t], 1);
  }
  rounds_ += whole ? 1 : 0;
  return whole;
}

void Booster::fix(std::size_t output, FixedGradients& into) const {
  fix_gradients(std::span(g_).subspan(output * x_.rows, x_.rows), std::span(h_).subspan(output * x_.rows, x_.rows),
                bits_for(how_, rows_.size()), into);
}

// hessian: the sum of the second derivatives that grow the tree.
GrowOptions Booster::options_for(std::size_t tree, double hessian) const {
  GrowOptions out = grow_options(how_, x_.columns.size());
  out.tree = static_cast<std::uint32_t>(static_cast<std::size_t>(rounds_) * a_round_ + tree);
  if (out.min_gain > 0) out.min_gain /= std::fmax(hessian, 1e-300);  // the grower takes it per weight
  return out;
}

Tree Booster::grow_one(std::size_t output, std::span<const Row> sample) {
  fix(output, gradients_[0]);
  space_.rows.assign(sample.begin(), sample.end());
  const Newton newton{.gradients = &gradients_[0],
                      .l1 = how_.l1,
                      .l2 = how_.l2,
                      .levels = level_rules(how_),
                      .least = {how_.least_rows, objective_.targets->row_weight}};
  const auto grown = [&](const auto& criterion) {
    const double hessian = how_.min_gain > 0 ? all_weight(criterion, sample) : 1;
    return grow(x_, space_, criterion, options_for(output, hessian), run_);
  };
  Tree tree = gradients_[0].bits > kGradientBits ? grown(FineNewton{newton}) : grown(newton);
  if (outputs_ > 1) tree.output = static_cast<std::uint32_t>(output);
  return tree;
}

Tree Booster::grow_vector(std::span<const Row> sample) {
  for (std::size_t k = 0; k < outputs_; ++k) fix(k, gradients_[k]);
  space_.rows.assign(sample.begin(), sample.end());
  const VectorNewton newton{.gradients = gradients_,
                            .scale = scale_,
                            .l1 = how_.l1,
                            .l2 = how_.l2,
                            .levels = level_rules(how_),
                            .least = {how_.least_rows, objective_.targets->row_weight}};
  const double hessian = how_.min_gain > 0 ? all_weight(newton, sample) : 1;
  return grow(x_, space_, newton, options_for(0, hessian), run_);
}

void Booster::finish(Tree& tree) const {
  if (!objective_.quantile.empty()) refit(tree);
  if (linear_ != nullptr) {
    const std::size_t from = first_output(tree) * x_.rows;
    linear_->fit(tree, space_, std::span(g_).subspan(from, x_.rows), std::span(h_).subspan(from, x_.rows));
  }
  const double most = std::fmin(objective_.longest_step, how_.max_step);
  for (double& v : tree.values) v = std::clamp(v, -most, most);
}

// Each leaf gets the quantile of its rows' residuals; the second derivatives are the rows' weights.
void Booster::refit(Tree& tree) const {
  const std::size_t first = first_output(tree), width = static_cast<std::size_t>(tree.outputs);
  parallel_for(tree.nodes.size() * width, node_grain(tree), [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t n = at / width, output = first + at % width;
      if (tree.nodes[n].test != Test::Leaf) continue;
      std::vector<Weighted> residuals;
      for (std::size_t i = space_.range[n].first; i < space_.range[n].last; ++i) {
        const Row r = space_.rows[i];
        residuals.push_back(
            {objective_.targets->at(r, output) - score_[r * outputs_ + output], h_[output * x_.rows + r]});
      }
      tree.values[at] = quantile(residuals, objective_.quantile[output]);
    }
  });
}

std::vector<Tree> Booster::trees_after(int rounds) const {
  std::vector<Tree> out(trees_.begin(), trees_.begin() + static_cast<std::ptrdiff_t>(a_round_) * rounds);
  if (rounds < grown())
    for (const auto& [t, tree] : replaced_) out[t] = tree;
  return out;
}

void Booster::keep() {
  kept_count_ = trees_.size();
  if (how_.drop > 0) kept_ = trees_;
}

void Booster::keep_as(int rounds, std::vector<Tree> as_they_were) {
  kept_count_ = a_round_ * static_cast<std::size_t>(rounds);
  kept_ = std::move(as_they_were);
}

std::vector<Tree> Booster::kept() const {
  if (how_.drop > 0) return kept_;
  return {trees_.begin(), trees_.begin() + static_cast<std::ptrdiff_t>(kept_count_)};
}

std::vector<Tree> Booster::take_kept() {
  if (how_.drop > 0) return std::move(kept_);
  trees_.resize(kept_count_);
  return std::move(trees_);
}

}  // namespace wald
