// All that can refuse a private training, settled before anything is paid for or released.
#pragma once
#include "learn/private_boost.h"
#include "privacy/domain.h"

namespace wald {

// What the grids stand on.
struct Ground {
  Domain domain;
  double bought = 0;  // share of the budget for bounds and levels that are open
  GaussianBudget budget;
};
Result<Ground> ground_of(const PrivateTask&, const PrivateBoost&);

Status check_private(const PrivateTask&, const PrivateBoost&);

// From texts, and refused where one would have no effect.
Result<PrivateBoost> read_private(std::string_view learner, const Settings&);

}  // namespace wald
