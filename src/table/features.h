// Which columns to learn from: all but target, weight, what is ignored, what cannot help and what merely names rows.
#pragma once
#include "wald/task.h"

namespace wald {

// Fills x and left_out of the task and adds notes.
Status choose_features(Table, const Roles&, Task&);

std::uint64_t missing_cells(const Table&);
bool named_like_identifier(std::string_view name);

}  // namespace wald
