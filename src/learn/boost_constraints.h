// What the user forbids a boosted model: to fall where a column rises, or to let columns act together.
#pragma once
#include "learn/boost.h"

namespace wald {

// Reads --monotone and --interactions against the columns of the task and the loss, into the grower's terms.
Result<Boost> constrained(Boost, const Task&, bool exact_leaves, int outputs);

}  // namespace wald
