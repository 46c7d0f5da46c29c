// What the user asks of the leaves of a boosted model, and what he forbids it: to fall where a column rises, or to let
// columns act together.
#pragma once
#include "learn/boost.h"
#include "loss/objective.h"

namespace wald {

// Whether leaves may be what --leaf, --vector-leaves and --max-step ask for.
Status check_leaf(const Boost&, const Objective&);

// Whether sums of so many rows have room for --gradient-bits; vectors: for leaves of those.
Status check_digits(const Boost&, Row rows, bool vectors);

// Reads --monotone and --interactions against the loss and the columns of the user's table, which `made` tells where
// the task's were prepared, into the grower's terms; refused where they would not hold in the user's columns.
Result<Boost> constrained(Boost, const Task&, const Objective&, const Preparation* made);

}  // namespace wald
