// Rows kept aside to measure a model that has not seen them.
#pragma once
#include <cstdint>
#include <vector>

#include "wald/task.h"

namespace wald {

struct Holdout {
  std::vector<Row> train, held;  // each ascending
};

// About `share` of the rows, of each class alike, drawn by the seed; of the queries, where there are any. A class's
// last row is never taken. Refused where either part would be empty.
Result<Holdout> hold_out(const Task&, double share, std::uint64_t seed);

}  // namespace wald
