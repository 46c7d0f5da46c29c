// Weights: those above 0 average 1, as whole multiples of 2^-30, so that rows that do not count change nothing for the
// others.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "wald/task.h"

namespace wald {

// Numbers of 0 or more, not all 0, so scaled.
std::vector<std::int64_t> scaled_weights(std::span<const double>);

// Of the given rows; empty when no column is named or all weigh the same.
Result<std::vector<std::int64_t>> make_weights(const Table&, const std::string& column, std::span<const Row> rows);

}  // namespace wald
