// A model's training task, made again from its table and what the model says of how it was trained.
#pragma once
#include <string>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "measure/training.h"
#include "wald/model.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald::cli {

// What was decided about the rows, beside the learner's own options: for the model to keep.
void keep_roles(const Arguments&, const ReadOptions&, Model&);

Result<TrainingRows> training_rows(const Model&, const std::string& data, const Arguments&, const Run&, Terminal&);

}  // namespace wald::cli
