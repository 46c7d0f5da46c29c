// Several targets of one task, each counting alike: variances are divided by those among all rows.
#pragma once
#include <vector>

#include "learn/prune.h"
#include "tree/criterion.h"
#include "wald/task.h"

namespace wald {

struct SeveralTargets {
  std::vector<FixedTarget> fixed;
  std::vector<double> scale;  // of squared scaled values, for ManyTargets; they sum to 1 over the variances
};
SeveralTargets all_targets(const Task&);

// The mean over the targets of the squared error, relative to their variances.
Prunable::Loss several_loss(const Tree&, const Task&, const SeveralTargets&);

}  // namespace wald
