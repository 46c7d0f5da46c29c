// A model's training task, made again from its table and what the model says of how it was trained.
#pragma once
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

Result<Task> training_task(const Model&, Table);

}  // namespace wald
