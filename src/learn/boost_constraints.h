// What the user asks of the leaves of a boosted model, and what he forbids it: to fall where a column rises, or to let
// columns act together.
#pragma once
#include "learn/boost.h"
#include "loss/objective.h"

namespace wald {

// Whether leaves may be what --leaf, --vector-leaves and --max-step ask for.
Status check_leaf(const Boost&, const Objective&);

// Reads --monotone and --interactions against the columns of the task and the loss, into the grower's terms.
Result<Boost> constrained(Boost, const Task&, const Objective&);

}  // namespace wald
