#include "learn/cart.h"

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

Tree grow_classes(const Binned& x, const Task& task, const Cart& options, const Run& run) {
  const ClassCounts counts{.label = task.classes().code,
                           .row_weight = task.weight,
                           .classes = static_cast<int>(task.classes().name.size()),
                           .smoothing = options.smoothing};
  const auto with = [&]<class C>(C criterion) {
    static_cast<ClassCounts&>(criterion) = counts;
    return grow(x, weighted_rows(task), criterion, options, run);
  };
  switch (options.criterion) {
    case CartCriterion::Entropy:
      return with(Entropy{});
    case CartCriterion::Minority:
      return with(Minority{});
    case CartCriterion::SqrtGini:
      return with(SqrtGini{});
    default:
      return with(Gini{});
  }
}

Tree grow_numbers(const Binned& x, const Task& task, const Cart& options, const Run& run) {
  const FixedTarget y = fix_target(task.numbers(), task.weight);
  const Variance criterion{.target = task.numbers(), .row_weight = task.weight, .fixed = &y};
  return grow(x, weighted_rows(task), criterion, options, run);
}

}  // namespace

Result<Model> fit_cart(const Task& task, const Cart& options, const Run& run) {
  if (auto fits = check_criterion(task, options.criterion); !fits) return fits.error();
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Tree tree = task.classifies() ? grow_classes(*x, task, options, run) : grow_numbers(*x, task, options, run);
  const std::vector<double> base(static_cast<std::size_t>(tree.outputs), 0.0);
  return Model{.schema = schema_of(task),
               .body = assemble(base, task.x.columns.size(), {tree}),
               .link = task.classifies() ? Link::Probabilities : Link::Identity,
               .made = {}};
}

}  // namespace wald
