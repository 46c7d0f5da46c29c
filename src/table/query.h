// The query of each row, for ranking: which rows are ranked among each other.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wald/task.h"

namespace wald {

// Numbers from 0, in the order of the column's values or levels; empty where no column is named. Missing is refused.
Result<std::vector<std::uint32_t>> make_queries(const Table&, const std::string& name, std::span<const Row> rows);

}  // namespace wald
