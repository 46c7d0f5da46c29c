#include "learn/private_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "learn/private_buy.h"

namespace wald {
namespace {

constexpr double kManyTrees = 400, kManyLeaves = 36;  // more only where options say so

Error only_for(std::string_view option, std::string_view algorithm) {
  return usage(fmt::format("--{} belongs to --algorithm {}", option, algorithm), "leave it away");
}

// Options that would have no effect are mistakes.
Status check_algorithm(const PrivateBoost& how) {
  if (how.epsilon <= 0)
    return usage("private-boost needs to know epsilon: how much the model may tell of one contributor",
                 "add --epsilon 1; less protects more");
  if (how.algorithm == PrivateAlgorithm::Grids) {
    if (how.max_depth > 0) return only_for("max-depth", "dpboost");
    if (how.ensemble > 0) return only_for("ensemble", "dpboost");
    return how.two_nodes ? Status(only_for("two-nodes", "dpboost")) : Status(Done{});
  }
  if (how.parts > 0) return only_for("parts", "grids");
  if (how.columns > 0) return only_for("columns", "grids");
  if (how.column_share >= 0) return only_for("histogram-share", "grids");
  if (how.public_rows > 0) return only_for("public-rows", "grids");
  return how.buy != "none" ? Status(only_for("buy", "grids")) : Status(Done{});
}

// So many numbers, told so finely, must not differ from Gaussian noise by more than delta has room for.
Status check_fineness(const PrivateBoost& how, std::size_t classes, const GaussianBudget& budget) {
  const double trees = how.trees > 0 ? how.trees : kManyTrees;
  const double outputs = classes > 2 ? static_cast<double>(classes) : 1;
  const double leaves = std::max({kManyLeaves, static_cast<double>(how.parts), how.columns > 2 ? 729.0 : 0.0});
  if (trees * leaves * 2 * outputs <= budget.covered(0.5 / trees, static_cast<std::uint64_t>(how.max_rows)))
    return Done{};
  return usage(fmt::format("epsilon {} with delta {} leaves no room for so many leaves", how.epsilon, how.delta),
               "take a smaller epsilon, a larger delta or fewer trees");
}

}  // namespace

Result<Ground> ground_of(const PrivateTask& task, const PrivateBoost& how) {
  const Result<double> share = bought_share(how.buy);
  if (!share) return share.error();
  Result<Domain> domain = domain_of(task, *share > 0);
  if (!domain) return domain.error();
  Result<GaussianBudget> budget = GaussianBudget::of(how.epsilon, how.delta, *share > 0 ? kListShare : 0);
  if (!budget) return budget.error();
  if (Status fine = check_fineness(how, domain->target.level.size(), *budget); !fine) return fine.error();
  if (Status fine = check_purchase(task, *domain, how, *share, *budget); !fine) return fine.error();
  return Ground{std::move(*domain), *share, std::move(*budget)};
}

Status check_private(const PrivateTask& task, const PrivateBoost& how) {
  if (Status sound = check_algorithm(how); !sound) return sound;
  if (!task.rows.weight.empty())
    return privacy_refusal("weights say how much each row counts, so one row could count for more than its share",
                           "leave --weight away");
  if (how.algorithm == PrivateAlgorithm::Grids) {
    const Result<Ground> ground = ground_of(task, how);
    return ground ? Status(Done{}) : Status(ground.error());
  }
  const Result<Domain> domain = domain_of(task);
  if (!domain) return domain.error();
  if (domain->target.level.size() > 2)
    return usage("--algorithm dpboost tells two classes apart, not more", "take --algorithm grids");
  return Done{};
}

}  // namespace wald
