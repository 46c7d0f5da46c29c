// Rows kept aside to measure a model that has not seen them.
#pragma once
#include <cstdint>
#include <vector>

#include "wald/model.h"
#include "wald/task.h"

namespace wald {

struct Holdout {
  std::vector<Row> train, held;  // each ascending
};

// About `share` of the rows, of each class alike, drawn by the seed; of the queries, where there are any. A class's
// last row is never taken. Refused where either part would be empty.
Result<Holdout> hold_out(const Task&, double share, std::uint64_t seed);

// A model to go on from may have learned rows that are to be held out: by the fingerprints of the tables that is known
// to be so, which is refused, or not to be so, or not known, of which the text warns. train: the rows of `all` that are
// not held out.
Result<std::string> check_unseen(const Model& from, const Task& all, const Task& train);

}  // namespace wald
