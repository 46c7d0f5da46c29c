// Weights: normalised to average 1, as whole multiples of 2^-30.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "wald/task.h"

namespace wald {

// Of the given rows; empty when no column is named or all weigh the same.
Result<std::vector<std::int64_t>> make_weights(const Table&, const std::string& column, std::span<const Row> rows);

}  // namespace wald
