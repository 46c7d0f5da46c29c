// What every learner does around its engine.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "wald/model.h"
#include "wald/task.h"

namespace wald {

Schema schema_of(const Task&);
bool learns_several(std::string_view learner);  // targets in one model
std::vector<Row> weighted_rows(const Task&);    // the rows of positive weight, ascending
// "adaboost ended after 3 of 100 rounds: ..."
std::string ended_words(std::string_view learner, std::size_t rounds, int asked, std::string_view why);

}  // namespace wald
