#include "learn/anyboost.h"

#include <algorithm>
#include <cmath>

#include "core/grain.h"
#include "core/parallel.h"
#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/learner.h"
#include "tree/assembler.h"
#include "tree/criterion.h"
#include "tree/grow.h"
#include "tree/tree_walk.h"

namespace wald {
namespace {

// The step that lowers f most, if f has one valley: doubled until it no longer helps, then by golden section. unit: the
// step that goes as far as scores lie apart; far below it no score changes, and far above it none is worth having.
double best_step(double before, double first, double unit, const std::function<double(double)>& f) {
  constexpr double kGolden = 0.6180339887498949, kFar = 0x1p60;
  double step = first, now = f(step);
  while (!(now < before) && step > unit / kFar) now = f(step /= 4);
  if (!(now < before)) return 0;
  for (double next; step < unit * kFar && (next = f(2 * step)) < now;) step *= 2, now = next;
  double low = 0, high = 2 * step, best = step;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low), fa = f(a), fb = f(b);
  for (int i = 0; i < 30; ++i) {
    if (fa < fb) high = b, b = a, fb = fa, fa = f(a = high - kGolden * (high - low));
    else low = a, a = b, fa = fb, fb = f(b = low + kGolden * (high - low));
    if (const double least = std::min(fa, fb); least < now) now = least, best = fa < fb ? a : b;
  }
  return best;
}

// One run: scores H of all rows, and a tree for each output a round.
class Descent {
 public:
  Descent(const Binned& x, const Task& task, const Objective& objective, const AnyBoost& how, const Run& run)
      : x_(x),
        task_(task),
        objective_(objective),
        how_(how),
        run_(run),
        rows_(weighted_rows(task)),
        outputs_(static_cast<std::size_t>(objective.outputs)),
        start_(objective.start(rows_)),
        score_(x.rows * outputs_),
        direction_(x.rows * outputs_),
        g_(x.rows * outputs_),
        h_(x.rows * outputs_) {
    run_.progress = {};
    for (std::size_t i = 0; i < score_.size(); ++i) score_[i] = start_.score[i % outputs_];
    loss_ = objective_.measured(rows_, score_);
  }

  // Whether the loss fell. If not, either there is no way down, or the step went beyond the valley.
  bool round() {
    if (loss_ == 0) return halt("the loss is 0, and none is lower");
    objective_.slopes(rows_, score_, g_, h_);
    std::vector<Tree> trees;
    for (std::size_t k = 0; k < outputs_ && !run_.stopped(); ++k) trees.push_back(grow(k));
    if (run_.stopped()) return false;
    if (!(inner_product() < 0))
      return halt(
          fmt::format("the loss, {:.4g}, slopes nowhere that a tree could follow; more rounds or shorter steps "
                      "change nothing, deeper trees (--max-depth) may",
                      loss_));
    const double step = how_.step > 0 ? how_.step : searched_step();
    if (!(step > 0))
      return halt(
          fmt::format("no step along the next tree lowers the loss, {:.4g}; more rounds change nothing, "
                      "deeper trees (--max-depth) may",
                      loss_));
    const double next = loss_at(step);
    if (!(next < loss_) && moved(step) == score_)
      return halt(
          fmt::format("--step {} along the next tree is so short that no score changes; a longer one, or --step "
                      "search, goes on",
                      how_.step));
    too_long_ = how_.step > 0 && !(next < loss_);
    if (!(next < loss_))
      return halt(
          fmt::format("--step {} along the next tree would not lower the loss but take it from {:.4g} to {:.4g}; "
                      "a shorter one, or --step search, goes on",
                      how_.step, loss_, next));
    step_ = step;
    for (Tree& tree : trees)
      for (double& v : tree.values) v *= step;
    score_ = moved(step);
    loss_ = objective_.measured(rows_, score_);
    std::ranges::move(trees, std::back_inserter(trees_));
    return true;
  }
  double loss() const { return loss_; }
  bool too_long() const { return too_long_; }
  const std::string& why_ended() const { return why_ended_; }  // empty: it did not end by itself
  const std::vector<double>& base() const { return start_.score; }
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  bool halt(std::string why) {
    why_ended_ = std::move(why);
    return false;
  }
  // A tree of means of minus the slopes: of all functions constant on its leaves, the steepest descent.
  Tree grow(std::size_t output) {
    std::vector<double> target(x_.rows);
    for (const Row r : rows_) {
      const double weight = objective_.targets->of(r);
      target[r] = -g_[output * x_.rows + r] / weight;
    }
    const FixedTarget fixed = fix_target(target, task_.weight);
    GrowOptions how = how_;
    how.tree = static_cast<std::uint32_t>(trees_.size() + output);
    Tree tree =
        wald::grow(x_, rows_, Variance{.target = target, .row_weight = task_.weight, .fixed = &fixed}, how, run_);
    if (outputs_ > 1) tree.output = static_cast<std::uint32_t>(output);
    const TreeWalk walk(tree, x_);
    parallel_for(rows_.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
      walk.each(std::span(rows_).subspan(begin, end - begin),
                [&](Row row, std::uint32_t leaf) { direction_[row * outputs_ + output] = tree.values[leaf]; });
    });
    return tree;
  }
  // From the step before, or one that goes as far as scores will lie from where they start.
  double searched_step() const {
    double far = 0, spread = start_.spread.empty() ? 1 : *std::ranges::max_element(start_.spread);
    for (const double d : direction_) far = std::fmax(far, std::fabs(d));
    const double unit = (spread > 0 ? spread : 1) / far;
    return best_step(loss_, step_ > 0 ? step_ : unit, unit, [&](double c) { return loss_at(c); });
  }
  double inner_product() const {
    double out = 0;
    for (const Row r : rows_)
      for (std::size_t k = 0; k < outputs_; ++k) out += g_[k * x_.rows + r] * direction_[r * outputs_ + k];
    return out;
  }
  // Each tree's value times the step is rounded by itself, as the model's leaves are.
  std::vector<double> moved(double step) const {
    std::vector<double> out = score_;
    parallel_for(out.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] += direction_[i] * step;
    });
    return out;
  }
  double loss_at(double step) const {
    const double loss = objective_.measured(rows_, moved(step));
    return std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity();  // scores that far tell nothing
  }

  const Binned& x_;
  const Task& task_;
  const Objective& objective_;
  const AnyBoost& how_;
  Run run_;
  const std::vector<Row> rows_;
  const std::size_t outputs_;
  const Start start_;
  std::vector<double> score_, direction_, g_, h_;  // score and direction: `outputs` a row
  std::vector<Tree> trees_;
  double loss_ = 0, step_ = 0;
  bool too_long_ = false;
  std::string why_ended_;
};

}  // namespace

Result<Model> fit_anyboost(const Task& task, const AnyBoost& how, const Run& run, const Rounds& rounds) {
  if (rounds.from != nullptr || rounds.resume != nullptr)
    return usage("anyboost cannot go on from a model", "train it again with more --rounds, or choose boost");
  Boost loss;
  static_cast<LossOptions&>(loss) = how;
  if (how.quantile.find(',') != std::string::npos)
    return usage("anyboost predicts one quantile, not several", "name one, or choose --learner boost");
  if (Status fits = check_loss(task, loss); !fits) return fits.error();
  const LossName name = loss_for(task, loss);
  const auto targets = targets_of(task, loss);
  if (!targets) return targets.error();
  const Objective objective = objective_for(name, task, loss, *targets);
  if (objective.more_is_better)
    return usage("a ranking loss has no value that could fall", "choose another --loss, or --learner boost");
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  Descent descent(*x, task, objective, how, run);
  LearningCurve curve{.measure = objective.measure};
  for (int t = 0; t < how.rounds && !run.stopped() && descent.round(); ++t) {
    curve.train.push_back(descent.loss());
    curve.best = static_cast<std::uint32_t>(curve.train.size());
    if (rounds.told) rounds.told(curve);
    if (run.progress)
      run.progress({.stage = "boosting", .done = curve.best, .total = static_cast<std::uint64_t>(how.rounds)});
  }
  if (descent.trees().empty() && run.stopped())
    return Error{ErrorKind::Interrupted, "interrupted before the first tree", ""};
  if (descent.trees().empty() && descent.too_long())
    return usage(fmt::format("--step {} is too long: already the first one does not lower the loss", how.step),
                 "give a shorter one, or --step search");
  if (rounds.ended && !descent.why_ended().empty())
    rounds.ended(ended_words("anyboost", curve.train.size(), how.rounds, descent.why_ended()));
  return Model{.schema = schema_of(task),
               .body = assemble(descent.base(), task.x.columns.size(), descent.trees()),
               .link = link_of(name),
               .made = {},
               .curve = std::move(curve)};
}

Learner anyboost_learner() {
  return by_rounds(learner<AnyBoost, fit_anyboost>("anyboost", "steepest descent on any loss, a tree a step"));
}

}  // namespace wald
