#include "learn/private_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "learn/private_boost_plan.h"
#include "learn/private_boost_rows.h"
#include "learn/private_boost_start.h"
#include "learn/private_buy.h"
#include "learn/private_dpboost.h"

namespace wald {
namespace {

constexpr double kManyLeaves = 36;   // more only where options say so
constexpr double kLeastCost = 1024;  // in the units of pure budgets, so that rounding takes little
constexpr double kLargestDelta = 0.1;
constexpr double kLeastForTrees = 0.15;  // of the budget less histograms: a fifth of it, less a quarter for the mean

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

// Noise is not quite Gaussian since it is discrete, and delta has room for only so many numbers of it: all that any
// course of the training may release is counted here, before it is paid for.
bool fine_enough(const PrivateBoost& how, const Domain& domain, double bought, const GaussianBudget& budget) {
  const std::size_t classes = domain.target.level.size(), columns = domain.columns.size();
  const Shares shares = shares_of(how, classes > 0);
  const double trees = most_trees(how, columns), rest = (1 - bought) * (1 - shares.start - shares.columns);
  const double outputs = classes > 2 ? static_cast<double>(classes) : 1;
  const double leaves = std::max({kManyLeaves, static_cast<double>(how.parts), how.columns > 2 ? 729.0 : 0.0});
  const double cells = classes > 0 ? static_cast<double>(classes) : kTargetCells;
  const auto most = static_cast<std::uint64_t>(how.max_rows);
  double taken = budget.discrete_share(2 * cells, most, shares.start * (1 - bought), 1) +
                 budget.discrete_share(trees * leaves * 2 * outputs, most, kLeastForTrees * rest / trees, 1 / trees) +
                 budget.discrete_share(2, most, kLeastForTrees * kLeastForMean * rest, 1);
  if (const double share = shares.columns * (1 - bought); share > 0) {
    const double length = std::sqrt(static_cast<double>(columns)) * how.max_rows;
    taken += budget.discrete_share(kLengthRoundedUp * kMostCodes * static_cast<double>(columns),
                                   static_cast<std::uint64_t>(std::ceil(length)), share, share);
  }
  return taken <= (bought > 0 ? 1 - kPurchase : 1);
}

Result<GaussianBudget> budget_of(const PrivateBoost& how, double bought) {
  return GaussianBudget::of(how.epsilon, how.delta, bought > 0 ? kListShare : 0);
}

// The least round delta that would do, to be told.
std::string enough_delta(PrivateBoost how, const Domain& domain, double bought) {
  const double asked = how.delta;
  for (int power = -12; power < 0; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      how.delta = digit * std::pow(10.0, power);
      if (how.delta <= asked || how.delta > kLargestDelta) continue;
      const Result<GaussianBudget> budget = budget_of(how, bought);
      if (budget && fine_enough(how, domain, bought, *budget)) return fmt::format(" ({:g} is enough)", how.delta);
    }
  return "";
}

Status check_fineness(const PrivateBoost& how, const Domain& domain, double bought, const GaussianBudget& budget) {
  if (fine_enough(how, domain, bought, budget)) return Done{};
  return usage(
      fmt::format("epsilon {} with delta {} leaves no room for so many leaves and columns", how.epsilon, how.delta),
      fmt::format("take a smaller epsilon, a larger delta{}, fewer trees or columns, or --histogram-share 0",
                  enough_delta(how, domain, bought)));
}

// Every split and every leaf must get something.
Status check_parts(const PrivateBoost& given) {
  const PrivateBoost how = with_defaults(given);
  const double ensembles = std::ceil(static_cast<double>(how.trees) / how.ensemble);
  const double each = std::ldexp(how.epsilon / how.max_rows, PureBudget::kBits) / ensembles;
  if (each / (4 * how.max_depth) >= kLeastCost) return Done{};
  return usage(fmt::format("epsilon {} is too little to be divided among so many splits, ensembles and rows of a "
                           "contributor",
                           how.epsilon),
               "take a larger epsilon, fewer trees or more of them in an ensemble (--ensemble)");
}

}  // namespace

Result<PrivateBoost> read_private(std::string_view learner, const Settings& settings) {
  Result<PrivateBoost> how = read_options<PrivateBoost>(learner, settings);
  if (how && how->algorithm == PrivateAlgorithm::DpBoost && settings.contains("delta"))
    return usage("--delta: --algorithm dpboost claims pure epsilon", "leave it away");
  return how;
}

Result<Ground> ground_of(const PrivateTask& task, const PrivateBoost& how) {
  const Result<double> share = bought_share(how.buy);
  if (!share) return share.error();
  Result<Domain> domain = domain_of(task, *share > 0);
  if (!domain) return domain.error();
  Result<GaussianBudget> budget = budget_of(how, *share);
  if (!budget) return budget.error();
  if (Status fine = check_fineness(how, *domain, *share, *budget); !fine) return fine.error();
  if (Status fine = check_purchase(task, *domain, how, *share, *budget); !fine) return fine.error();
  return Ground{std::move(*domain), *share, std::move(*budget)};
}

Status check_private(const PrivateTask& task, const PrivateBoost& how) {
  if (Status sound = check_algorithm(how); !sound) return sound;
  if (!task.rows.weight.empty())
    return privacy_refusal("weights say how much each row counts, so one row could count for more than its share",
                           "leave --weight away");
  if (const Declared* whose = task.declared.contributor(); whose != nullptr && whose->max_rows > 0)
    if (whose->max_rows != how.max_rows)
      return usage(fmt::format("the schema lets {} rows of a contributor count, max-rows-per-contributor {}",
                               whose->max_rows, how.max_rows),
                   "correct one of the two");
  if (how.algorithm == PrivateAlgorithm::Grids) {
    const Result<Ground> ground = ground_of(task, how);
    return ground ? Status(Done{}) : Status(ground.error());
  }
  const Result<Domain> domain = domain_of(task);
  if (!domain) return domain.error();
  if (domain->target.level.size() > 2)
    return usage("--algorithm dpboost tells two classes apart, not more", "take --algorithm grids");
  return check_parts(how);
}

}  // namespace wald
