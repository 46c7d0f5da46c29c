// What every learner does around its engine.
#pragma once
#include <vector>

#include "wald/model.h"
#include "wald/task.h"

namespace wald {

Schema schema_of(const Task&);
std::vector<Row> weighted_rows(const Task&);  // the rows of positive weight, ascending

}  // namespace wald
