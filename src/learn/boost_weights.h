// What a row of each class counts.
#pragma once
#include <string>
#include <vector>

#include "wald/task.h"

namespace wald {

// The weights of the rows, multiplied by those of their classes; empty = all 1. words: none, balanced, or
// CLASS=WEIGHT,...
Result<std::vector<double>> class_weighted(const Task&, const std::string& words);

}  // namespace wald
