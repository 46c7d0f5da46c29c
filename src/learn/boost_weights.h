// What a row of each class counts.
#pragma once
#include <string>

#include "loss/objective.h"
#include "wald/task.h"

namespace wald {

// words: none, balanced, or CLASS=WEIGHT,... Multiplies the weights of the rows.
Status weigh_classes(const Task&, const std::string& words, Targets&);

}  // namespace wald
