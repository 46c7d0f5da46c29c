// The target of a task: classes or numbers, as asked or as the column suggests.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "wald/task.h"

namespace wald {

// Of the given rows, none of which lacks it.
Result<Target> make_target(const Table&, const Roles&, std::span<const Row> rows, std::vector<std::string>& notes);

std::string target_summary(const Task&);  // "target 'claim' has 2 classes: no 58.3 %, yes 41.7 %"

}  // namespace wald
