#include "learn/private_cost.h"

#include "learn/private_boost.h"
#include "learn/private_buy.h"
#include "learn/private_check.h"
#include "privacy/budget.h"

namespace wald {

Result<Cost> private_cost(std::string_view learner, const Settings& settings) {
  const auto how = read_private(learner, settings);
  if (!how) return how.error();
  if (how->epsilon <= 0)
    return usage("private-boost needs to know epsilon: how much the model may tell of one contributor",
                 "add --epsilon 1; less protects more");
  if (how->algorithm == PrivateAlgorithm::DpBoost) return Cost{.epsilon = how->epsilon, .pure = how->epsilon};
  const Result<double> share = bought_share(how->buy);
  if (!share) return share.error();
  const Result<GaussianBudget> budget = GaussianBudget::of(how->epsilon, how->delta, *share > 0 ? kListShare : 0);
  if (!budget) return budget.error();
  return Cost{.epsilon = how->epsilon, .delta = how->delta, .mu = budget->mu(), .more_delta = budget->set_aside()};
}

Status check_payable(std::string_view learner, const PrivateTask& task, const Settings& settings) {
  const auto how = read_private(learner, settings);
  return how ? check_private(task, *how) : Status(how.error());
}

}  // namespace wald
