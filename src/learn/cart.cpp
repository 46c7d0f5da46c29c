#include "learn/cart.h"

#include <algorithm>

#include "learn/assemble.h"
#include "tree/criterion.h"

namespace wald {
namespace {

Result<Done> check_criterion(const Task& task, CartCriterion criterion) {
  if (criterion == CartCriterion::Auto || task.classifies() == (criterion != CartCriterion::Variance)) return Done{};
  return usage(
      task.classifies()
          ? fmt::format("--criterion variance is for numbers, but the target '{}' has classes", printable(task.target))
          : fmt::format("--criterion {} is for classes, but the target '{}' has numbers",
                        cart_criterion_words()[static_cast<std::size_t>(criterion)], printable(task.target)),
      task.classifies() ? "choose gini, entropy, minority or sqrt-gini, or give --task numbers"
                        : "choose variance, or give --task classes");
}

// The options against the task, beyond what their table can judge.
Result<Done> check(const Task& task, const Cart& options) {
  if (auto fits = check_criterion(task, options.criterion); !fits) return fits.error();
  if (options.prune == Prune::Pessimistic && !task.classifies())
    return usage(fmt::format("--prune pessimistic counts errors of classes, but the target '{}' has numbers",
                             printable(task.target)),
                 "choose cost or reduced, or give --task classes");
  return Done{};
}

class Grown {  // what grow() needs of a task, made once
 private:
  template <class Use>
  auto with(const Use& use) const {
    if (!task_.classifies()) return use(Variance{.target = task_.numbers(), .row_weight = task_.weight, .fixed = &y_});
    const ClassCounts counts{.label = task_.classes().code,
                             .row_weight = task_.weight,
                             .classes = static_cast<int>(task_.classes().name.size()),
                             .smoothing = options_.smoothing};
    switch (options_.criterion) {
      case CartCriterion::Entropy:
        return use(Entropy{counts});
      case CartCriterion::Minority:
        return use(Minority{counts});
      case CartCriterion::SqrtGini:
        return use(SqrtGini{counts});
      default:
        return use(Gini{counts});
    }
  }

 public:
  Grown(const Binned& x, const Task& task, const Cart& options, const Run& run)
      : x_(x), task_(task), options_(options), run_(run) {
    if (!task.classifies()) y_ = fix_target(task.numbers(), task.weight);
  }
  Tree grow(std::vector<Row> rows) const {
    return with([&](const auto& criterion) { return wald::grow(x_, std::move(rows), criterion, options_, run_); });
  }
  // Of a node of these rows times their weight, in the target's units.
  double impurity(const std::vector<Row>& rows) const {
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
  const Run& run_;
  FixedTarget y_;
};

Prunable prunable(const Binned& x, const Task& task, const Grown& grown) {
  return {.x = x,
          .task = task,
          .grow = [&grown](std::vector<Row> rows) { return grown.grow(std::move(rows)); },
          .impurity = [&grown](const std::vector<Row>& rows) { return grown.impurity(rows); }};
}

}  // namespace

Result<Model> fit_cart(const Task& task, const Cart& options, const Run& run) {
  if (auto fits = check(task, options); !fits) return fits.error();
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Grown grown(*x, task, options, run);
  const std::vector<Row> rows = weighted_rows(task);
  const Tree tree = grow_pruned(prunable(*x, task, grown), rows, options, run);
  const std::vector<double> base(static_cast<std::size_t>(tree.outputs), 0.0);
  return Model{.schema = schema_of(task),
               .body = assemble(base, task.x.columns.size(), {tree}),
               .link = task.classifies() ? Link::Probabilities : Link::Identity,
               .made = {}};
}

Result<PruneTable> cart_prune_table(const Task& task, const Cart& options, const Run& run) {
  if (auto fits = check(task, options); !fits) return fits.error();
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Grown grown(*x, task, options, run);
  const std::vector<Row> rows = weighted_rows(task);
  const int folds = std::min(options.prune_folds, static_cast<int>(std::min<std::size_t>(rows.size(), 1000)));
  return prune_table(prunable(*x, task, grown), grown.grow(rows), rows, deal_folds(task, rows, folds, run.seed),
                     options, run);
}

}  // namespace wald
