#include "learn/cart.h"

#include <algorithm>

#include "core/elementary.h"
#include "learn/assemble.h"
#include "learn/several.h"
#include "tree/assembler.h"
#include "tree/chi_square.h"
#include "tree/criterion.h"
#include "tree/deviation.h"
#include "tree/grow.h"
#include "tree/leaf_model.h"
#include "tree/many_targets.h"
#include "tree/refit.h"

namespace wald {
namespace {

bool for_numbers(CartCriterion c) { return c == CartCriterion::Variance || c == CartCriterion::Absolute; }

Status check_criterion(const Task& task, CartCriterion criterion) {
  if (criterion == CartCriterion::Auto || task.classifies() != for_numbers(criterion)) return Done{};
  const std::string word = cart_criterion_words()[static_cast<std::size_t>(criterion)];
  return task.classifies() ? usage(fmt::format("--criterion {} is for numbers, but the target '{}' has classes", word,
                                               printable(task.target)),
                                   "choose gini, entropy, minority, sqrt-gini or chi-square, or give --task numbers")
                           : usage(fmt::format("--criterion {} is for classes, but the target '{}' has numbers", word,
                                               printable(task.target)),
                                   "choose variance or absolute, or give --task classes");
}

Status check_leaf(const Task& task, const Cart& options) {
  const std::string word = cart_leaf_words()[static_cast<std::size_t>(options.leaf)];
  const bool logistic = options.leaf == CartLeaf::Logistic;
  if (logistic && (!task.classifies() || task.classes().name.size() != 2))
    return usage(fmt::format("--leaf logistic is for two classes; the target '{}' has {}", printable(task.target),
                             task.classifies() ? std::to_string(task.classes().name.size()) : "numbers"),
                 task.classifies() ? "leave it away" : "choose --leaf linear, or give --task classes");
  if (options.leaf > CartLeaf::Mean && !logistic && task.classifies())
    return usage(fmt::format("--leaf {} is for numbers, but the target '{}' has classes", word, printable(task.target)),
                 "leave it away, choose logistic, or give --task numbers");
  if (options.leaf >= CartLeaf::Linear && options.prune == Prune::Pessimistic)
    return usage("--prune pessimistic knows no models in leaves", "choose cost or reduced");
  if (options.leaf >= CartLeaf::Linear && options.merge_leaves)
    return usage("--merge-leaves knows no models in leaves", "leave it away");
  if (logistic && options.smoothing > 0)
    return usage("--smoothing is for shares; a logistic model has --ridge", "leave one of them away");
  if (!task.classifies() && (options.smoothing > 0 || options.merge_leaves))
    return usage(fmt::format("--{} is for classes, but the target '{}' has numbers",
                             options.merge_leaves ? "merge-leaves" : "smoothing", printable(task.target)),
                 "leave it away, or give --task classes");
  return Done{};
}

Status check_several(const Task& task, const Cart& options) {
  if (task.more_targets.empty()) return Done{};
  if (options.criterion == CartCriterion::Absolute || options.leaf > CartLeaf::Mean || options.merge_leaves)
    return usage("several targets are learned by their variances, and leaves say their means",
                 "leave out --criterion, --leaf and --merge-leaves, or train one model a target");
  return Done{};
}

// Options that play a part only beside another.
Status check_idle_options(const Cart& options) {
  const Cart usual;
  const bool modelled = options.leaf >= CartLeaf::Linear;
  return check_idle({
      {options.max_p != usual.max_p, options.criterion == CartCriterion::ChiSquare, "max-p", "--criterion chi-square"},
      {options.surrogates != usual.surrogates, options.missing == MissingRule::Surrogates, "surrogates",
       "--missing surrogates"},
      {options.quantile != usual.quantile, options.leaf == CartLeaf::Quantile, "quantile", "--leaf quantile"},
      {options.ridge != usual.ridge, modelled, "ridge", "--leaf linear or logistic"},
      {options.leaf_terms != usual.leaf_terms, modelled, "leaf-terms", "--leaf linear or logistic"},
      {options.extrapolate, modelled, "extrapolate", "--leaf linear or logistic"},
  });
}
// A price of leaves has no other use.
bool prunes_by_cost(const PruneOptions& options) {
  return options.prune == Prune::Cost || (options.prune == Prune::None && options.alpha != PruneOptions::kByFolds);
}
// Those of pruning; whoever asks for the table of prices needs no --prune.
Status check_idle_pruning(const PruneOptions& options) {
  const PruneOptions usual;
  const bool by_cost = prunes_by_cost(options);
  return check_idle({
      {options.alpha != usual.alpha, by_cost, "alpha", "--prune cost"},
      {options.prune_folds != usual.prune_folds, by_cost, "prune-folds", "--prune cost"},
      {options.prune_rule != usual.prune_rule, by_cost, "prune-rule", "--prune cost"},
      {options.prune_risk != usual.prune_risk, by_cost, "prune-risk", "--prune cost"},
      {options.prune_share != usual.prune_share, options.prune == Prune::Reduced, "prune-share", "--prune reduced"},
      {options.confidence != usual.confidence, options.prune == Prune::Pessimistic, "confidence",
       "--prune pessimistic"},
  });
}

// The options against the task, beyond what their table can judge.
Status check(const Task& task, const Cart& options) {
  if (auto fits = check_criterion(task, options.criterion); !fits) return fits.error();
  if (options.prune == Prune::Pessimistic && !task.classifies())
    return usage(fmt::format("--prune pessimistic counts errors of classes, but the target '{}' has numbers",
                             printable(task.target)),
                 "choose cost or reduced, or give --task classes");
  if (auto fits = check_leaf(task, options); !fits) return fits.error();
  if (auto fits = check_several(task, options); !fits) return fits.error();
  if (options.criterion == CartCriterion::ChiSquare && options.prune == Prune::Cost &&
      options.prune_risk == PruneRisk::Impurity)
    return usage("chi-square is no impurity, so --prune-risk impurity has no meaning", "choose --prune-risk error");
  return check_idle_options(options);
}

class Grown {  // what grow() needs of a task, made once
 private:
  template <class Use>
  auto with(const Use& use) const {
    if (several())
      return use(ManyTargets{.row_weight = task_.weight, .fixed = targets_.fixed, .scale = targets_.scale});
    if (absolute()) return use(Deviation{.target = task_.numbers(), .row_weight = task_.weight, .fixed = &y_});
    if (!task_.classifies()) return use(Variance{.target = task_.numbers(), .row_weight = task_.weight, .fixed = &y_});
    const ClassCounts counts{.label = task_.classes().code,
                             .row_weight = task_.weight,
                             .classes = static_cast<int>(task_.classes().name.size()),
                             .smoothing = options_.smoothing};
    switch (options_.criterion) {
      case CartCriterion::Entropy:
        return use(Shannon{counts});
      case CartCriterion::Minority:
        return use(Minority{counts});
      case CartCriterion::SqrtGini:
        return use(SqrtGini{counts});
      case CartCriterion::ChiSquare:
        return use(ChiSquare{counts, options_.max_p});
      default:
        return use(Gini{counts});
    }
  }

 public:
  Grown(const Binned& x, const Task& task, const Cart& options) : x_(x), task_(task), options_(options) {
    if (several()) targets_ = all_targets(task);
    else if (!task.classifies())
      y_ = fix_target(task.numbers(), absolute() ? std::span<const std::int64_t>{} : std::span(task.weight));
  }
  bool several() const { return !task_.more_targets.empty(); }
  const SeveralTargets& targets() const { return targets_; }
  bool absolute() const { return options_.criterion == CartCriterion::Absolute; }
  Tree grow(const std::vector<Row>& rows, const Run& run) const {
    Tree tree = with([&](const auto& criterion) { return wald::grow(x_, rows, criterion, options_, run); });
    if (modelled()) fit_leaf_models(tree, x_, task_, rows, leaf_models());
    else if (const double q = quantile(); q >= 0) refit_quantile(tree, x_, rows, task_.numbers(), task_.weight, q);
    else if (absolute()) refit_mean(tree, x_, rows, task_.numbers(), task_.weight);
    return tree;
  }
  bool modelled() const { return options_.leaf >= CartLeaf::Linear; }
  LeafModelOptions leaf_models() const {
    return {.logistic = options_.leaf == CartLeaf::Logistic,
            .ridge = options_.ridge,
            .most_terms = options_.leaf_terms,
            .extrapolate = options_.extrapolate};
  }
  // Which quantile the leaves say; -1 = the mean.
  double quantile() const {
    if (options_.leaf == CartLeaf::Quantile) return options_.quantile;
    return options_.leaf == CartLeaf::Median || (options_.leaf == CartLeaf::Auto && absolute()) ? 0.5 : -1;
  }
  // Of a node of these rows times their weight, in the target's units.
  double impurity(const std::vector<Row>& rows) const {
    if (absolute()) {
      const Deviation deviation{.target = task_.numbers(), .row_weight = task_.weight, .fixed = &y_};
      return -deviation.score(deviation.ranked(rows)) * deviation.gain_unit();
    }
    return with([&](const auto& criterion) {
      std::vector<std::int64_t> sums(static_cast<std::size_t>(criterion.width()));
      for (const Row r : rows) criterion.add(criterion.part(r), sums.data());
      double pure = 0;  // the score if every row were a node of its own
      std::vector<std::int64_t> one(sums.size());
      for (const Row r : rows) {
        std::ranges::fill(one, 0);
        criterion.add(criterion.part(r), one.data());
        pure += score(criterion, one);
      }
      return (pure - score(criterion, sums)) * criterion.gain_unit();
    });
  }

 private:
  const Binned& x_;
  const Task& task_;
  const Cart& options_;
  FixedTarget y_;
  SeveralTargets targets_;
};

// Squared errors, or for classes the deviance.
Prunable::Loss model_loss(const Tree& tree, const Task& task) {
  return [models = NodeModels(tree, task.x), &task](std::uint32_t node, Row row) {
    const double says = models.at(node, row);
    if (!task.classifies()) return (task.numbers()[row] - says) * (task.numbers()[row] - says);
    const bool second = task.classes().code[row] == 1;
    const double against = second ? -says : says;
    return 2 * (std::max(against, 0.0) + log_exact(1 + exp_exact(-std::fabs(against))));
  };
}

Prunable prunable(const Binned& x, const Task& task, const Grown& grown, const PruneOptions& how) {
  Prunable out{.x = x,
               .task = task,
               .grow = [&grown](const std::vector<Row>& rows, const Run& run) { return grown.grow(rows, run); },
               .loss =
                   [&task, absolute = grown.absolute()](const Tree& tree) {
                     return task.classifies() ? wrong_class(tree, task) : number_loss(tree, task, absolute);
                   },
               .impurity = [&grown](const std::vector<Row>& rows) { return grown.impurity(rows); }};
  if (grown.several())
    out.loss = [&task, &grown](const Tree& tree) { return several_loss(tree, task, grown.targets()); };
  else if (grown.modelled()) out.risk = out.loss = [&task](const Tree& tree) { return model_loss(tree, task); };
  else if (task.classifies() && how.prune_risk == PruneRisk::Error) out.risk = out.loss;
  return out;
}

}  // namespace

Result<Model> fit_cart(const Task& task, const Cart& given, const Run& run) {
  Cart options = given;
  if (prunes_by_cost(given)) options.prune = Prune::Cost;
  if (auto fits = check(task, options); !fits) return fits.error();
  if (auto fits = check_idle_pruning(options); !fits) return fits.error();
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Grown grown(*x, task, options);
  const std::vector<Row> rows = weighted_rows(task);
  Tree tree = grow_pruned(prunable(*x, task, grown, options), rows, options, run);
  if (grown.modelled()) tree = cut(tree, *x, std::vector<bool>(tree.nodes.size()));  // drops the models of inner nodes
  const std::vector<double> base(static_cast<std::size_t>(tree.outputs), 0.0);
  return Model{.schema = schema_of(task),
               .body = assemble(base, task.x.columns.size(), std::span(&tree, 1)),
               .link = options.leaf == CartLeaf::Logistic ? Link::Logistic
                       : task.classifies()                ? Link::Probabilities
                                                          : Link::Identity,
               .made = {}};
}

Result<PruneTable> cart_prune_table(const Task& task, const Cart& options, const Run& run) {
  if (auto fits = check(task, options); !fits) return fits.error();
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Grown grown(*x, task, options);
  const std::vector<Row> rows = weighted_rows(task);
  const int folds = std::min(options.prune_folds, static_cast<int>(std::min<std::size_t>(rows.size(), 1000)));
  return prune_table(prunable(*x, task, grown, options), grown.grow(rows, run), rows,
                     deal_folds(task, rows, folds, run.seed), options, run);
}

}  // namespace wald
