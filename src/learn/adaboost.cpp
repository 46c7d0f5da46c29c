#include "learn/adaboost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/elementary.h"
#include "core/grain.h"
#include "core/parallel.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "learn/boost_weights.h"
#include "learn/learner.h"
#include "model/found.h"
#include "tree/assembler.h"
#include "tree/criterion.h"
#include "tree/grow.h"
#include "tree/tree_walk.h"

namespace wald {
namespace {

// One that errs nowhere has an infinite alpha; it is enough that it outvotes all others.
double alpha_of(double error, double classes, double alphas_before) {
  return error == 0 ? 1 + alphas_before : log_exact((1 - error) / error * (classes - 1));
}

// By which the best alpha multiplies the loss: (1 - e) exp(-alpha (K - 1) / K) + e exp(alpha / K).
double factor_of(double error, double classes) {
  if (classes == 2 || error == 0) return 2 * std::sqrt(error * (1 - error));
  return classes * (1 - error) * exp_exact(-alpha_of(error, classes, 0) * (classes - 1) / classes);
}

// One run. With alpha_t = ln((1 - e_t) / e_t) + ln(K - 1) for the weighted error e_t of tree t, a row's weight is its
// own times exp(A), A the sum of the alphas of the trees that were wrong about it. For two classes alpha is twice that
// of Freund and Schapire and the weights are those of exp(-y H).
class Committee {
 public:
  // weight: of the rows; empty = all 1.
  Committee(const Binned& x, const Task& task, std::span<const double> weight, const AdaBoost& how, const Run& run)
      : x_(x),
        label_(task.classes().code),
        classes_(task.classes().name.size()),
        how_(how),
        run_(run),
        rows_(weighted_rows(task)),
        own_(task.x.rows),
        weight_(task.x.rows),
        fixed_(task.x.rows),
        missed_(task.x.rows),
        leaf_(task.x.rows),
        score_(task.x.rows * classes_) {
    run_.progress = {};
    double all = 0;
    for (const Row r : rows_) all += own_[r] = weight.empty() ? 1 : weight[r];
    for (const Row r : rows_) own_[r] /= all;
  }

  // Whether there was a tree better than chance.
  bool round() {
    weigh();
    Tree tree = grow();
    const double chance = 1 - 1 / static_cast<double>(classes_);
    const std::vector<std::uint32_t> votes = votes_of(tree);
    const TreeWalk walk(tree, x_);
    parallel_for(rows_.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
      walk.each(std::span(rows_).subspan(begin, end - begin), [&](Row row, std::uint32_t leaf) { leaf_[row] = leaf; });
    });
    double wrong = 0, all = 0;
    for (const Row r : rows_) all += weight_[r], wrong += votes[leaf_[r]] == label(r) ? 0 : weight_[r];
    const double error = wrong / all;
    if (error > chance - how_.gamma || error >= chance) {
      halted_by_ = error;
      return false;
    }
    take(std::move(tree), votes, alpha_of(error, static_cast<double>(classes_), sum_));
    curve_.tree_error.push_back(error);
    curve_.training_error.push_back(training_error());
    ++curve_.best;
    return true;
  }
  // Why there are no more rounds; empty where all were asked for or it was interrupted.
  std::string why_ended() const {
    const double chance = 1 - 1 / static_cast<double>(classes_);
    if (trees_.size() >= static_cast<std::size_t>(how_.rounds) || chance == 0) return "";
    if (perfect())
      return std::string("its last tree errs nowhere, so others have no say") +
             (how_.max_depth == 1 ? "" : "; shallower trees (--max-depth) go on");
    if (!halted_by_) return "";
    const std::string of = fmt::format("the weighted error of tree {} is {:.4g}, ", trees_.size() + 1, *halted_by_);
    if (*halted_by_ >= chance)
      return of + fmt::format("not below chance, {:.4g}; deeper trees (--max-depth, --zero-gain) may go on", chance);
    return of + fmt::format(
                    "above {:.4g}, which is chance less --gamma; a smaller --gamma than {} or deeper trees "
                    "(--max-depth) may go on",
                    chance - how_.gamma, how_.gamma);
  }
  bool perfect() const { return !curve_.tree_error.empty() && curve_.tree_error.back() == 0; }
  // The share of the rows, by their own weight, that the trees so far get wrong.
  double training_error() const {
    double out = 0;
    for (const Row r : rows_) {
      const auto first = score_.begin() + static_cast<std::ptrdiff_t>(r * classes_);
      if (std::max_element(first, first + static_cast<std::ptrdiff_t>(classes_)) - first != label_[r]) out += own_[r];
    }
    return out;
  }
  const LearningCurve& curve() const { return curve_; }
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  std::uint32_t label(Row r) const { return static_cast<std::uint32_t>(label_[r]); }

  // By the definition, from what the trees said so far, so that errors do not add up; at most 1.
  void weigh() {
    double most = 0, all = 0;
    for (const Row r : rows_) most = std::max(most, missed_[r]);
    for (const Row r : rows_) all += weight_[r] = own_[r] * exp_exact(missed_[r] - most);
    const double unit = 0x1p30 * static_cast<double>(rows_.size()) / all;
    for (const Row r : rows_) fixed_[r] = std::max<std::int64_t>(1, std::llround(weight_[r] * unit));
  }

  Tree grow() const {
    const ClassCounts counts{.label = label_, .row_weight = fixed_, .classes = static_cast<int>(classes_)};
    GrowOptions how = how_;
    how.tree = static_cast<std::uint32_t>(trees_.size());
    switch (how_.criterion) {
      case WeakCriterion::Entropy:
        return wald::grow(x_, rows_, Shannon{counts}, how, run_);
      case WeakCriterion::Minority:
        return wald::grow(x_, rows_, Minority{counts}, how, run_);
      default:
        return wald::grow(x_, rows_, Gini{counts}, how, run_);
    }
  }

  // The class that each node votes for: its heaviest, the first among equals.
  std::vector<std::uint32_t> votes_of(const Tree& tree) const {
    std::vector<std::uint32_t> out(tree.nodes.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
      const auto first = tree.values.begin() + static_cast<std::ptrdiff_t>(n * classes_);
      out[n] =
          static_cast<std::uint32_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(classes_)) - first);
    }
    return out;
  }

  void take(Tree tree, const std::vector<std::uint32_t>& votes, double alpha) {
    sum_ += alpha;
    for (const Row r : rows_) {
      const std::uint32_t vote = votes[leaf_[r]];
      if (vote != label(r)) missed_[r] += alpha;
      score_[r * classes_ + vote] += alpha;
    }
    // Two classes have one score, the log-odds; more have one each.
    tree.outputs = classes_ == 2 ? 1 : static_cast<int>(classes_);
    const auto width = static_cast<std::size_t>(tree.outputs);
    tree.values.assign(tree.nodes.size() * width, 0.0);
    for (std::size_t n = 0; n < votes.size(); ++n)
      if (classes_ == 2) tree.values[n] = votes[n] == 1 ? alpha : -alpha;
      else tree.values[n * width + votes[n]] = alpha;
    trees_.push_back(std::move(tree));
    double loss = 0;
    for (const Row r : rows_) loss += own_[r] * exp_exact(missed_[r] - sum_ * (1 - 1 / static_cast<double>(classes_)));
    curve_.train.push_back(loss);
  }

  const Binned& x_;
  const std::vector<std::int32_t>& label_;
  const std::size_t classes_;
  const AdaBoost& how_;
  Run run_;
  const std::vector<Row> rows_;
  std::vector<double> own_, weight_;  // own: sums to 1
  std::vector<std::int64_t> fixed_;   // weights as the grower takes them
  std::vector<double> missed_;        // the alphas of the trees that were wrong
  std::vector<std::uint32_t> leaf_;
  std::vector<double> score_;
  std::vector<Tree> trees_;
  LearningCurve curve_{.measure = "exponential_loss"};
  double sum_ = 0;                   // of the alphas
  std::optional<double> halted_by_;  // the weighted error of the tree that was not taken
};

Status check(const Task& task, const Rounds& rounds) {
  if (!task.classifies())
    return usage(fmt::format("adaboost learns classes, but the target '{}' has numbers", printable(task.target)),
                 "choose --learner anyboost or boost, or give --task classes");
  if (rounds.from != nullptr || rounds.resume != nullptr)
    return usage("adaboost cannot go on from a model", "train it again with more --rounds");
  return Done{};
}

}  // namespace

std::vector<AdaBoostRound> adaboost_rounds(const Model& model) {
  const auto classes = static_cast<double>(model.schema.target.level.size());
  const LearningCurve& curve = model.curve;
  std::vector<AdaBoostRound> out;
  double sum = 0, product = 1;
  for (std::size_t t = 0; t < curve.tree_error.size() && t < curve.training_error.size(); ++t) {
    const double error = curve.tree_error[t], alpha = alpha_of(error, classes, sum), factor = factor_of(error, classes);
    sum += alpha, product *= factor;
    out.push_back({error, alpha, factor, product, curve.train[t], curve.training_error[t]});
  }
  return out;
}

std::string_view product_word(const Model& model) {
  return model.schema.target.level.size() == 2 ? "bound" : "product";
}

std::vector<std::pair<std::string_view, double>> named_figures(const Model& model, const AdaBoostRound& r) {
  return {{"error", r.error},   {"alpha", r.alpha},
          {"factor", r.factor}, {product_word(model), r.product},
          {"loss", r.loss},     {"training_error", r.training_error}};
}

Result<Model> fit_adaboost(const Task& task, const AdaBoost& how, const Run& run, const Rounds& rounds) {
  if (Status fits = check(task, rounds); !fits) return fits.error();
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  const Result<std::vector<double>> weight = class_weighted(task, how.class_weights);
  if (!weight) return weight.error();
  Committee committee(*x, task, *weight, how, run);
  for (int t = 0; t < how.rounds && !committee.perfect() && !run.stopped() && committee.round(); ++t) {
    if (rounds.told) rounds.told(committee.curve());
    if (run.progress)
      run.progress(
          {.stage = "boosting", .done = committee.trees().size(), .total = static_cast<std::uint64_t>(how.rounds)});
  }
  if (committee.trees().empty() && run.stopped())
    return Error{ErrorKind::Interrupted, "interrupted before the first tree", ""};
  const std::size_t classes = task.classes().name.size();
  Model model{
      .schema = schema_of(task),
      .body = assemble(std::vector<double>(classes == 2 ? 1 : classes, 0.0), task.x.columns.size(), committee.trees()),
      .link = classes == 2 ? Link::Logistic : Link::Softmax,
      .made = {},
      .curve = committee.curve()};
  if (const std::string why = committee.why_ended(); rounds.ended && !why.empty())
    rounds.ended(ended_words("adaboost", committee.trees().size(), how.rounds, why));
  const std::vector<AdaBoostRound> told = adaboost_rounds(model);
  model.found[std::string(kTraining) + "error"] = committee.training_error();
  if (classes == 2) model.found[std::string(kTraining) + "bound"] = told.empty() ? 1 : told.back().product;
  return model;
}

Learner adaboost_learner() {
  return by_rounds(
      learner<AdaBoost, fit_adaboost>("adaboost", "trees that vote, each on the rows the others get wrong"));
}

}  // namespace wald
