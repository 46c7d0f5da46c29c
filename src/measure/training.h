// A model's training task, made again from its table and what the model says of how it was trained.
#pragma once
#include <vector>

#include "wald/model.h"
#include "wald/task.h"

namespace wald {

Result<Task> training_task(const Model&, Table);

// The same, and which rows of the table the task has: those held out and those without a target are not among them.
struct TrainingRows {
  Task task;
  std::vector<Row> rows;
};
Result<TrainingRows> training_rows(const Model&, Table);

}  // namespace wald
