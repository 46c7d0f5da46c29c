// A private task: rows that are secret, and a schema that is public.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "wald/result.h"
#include "wald/table.h"
#include "wald/task.h"

namespace wald {

// Rows that are secret, and what is public of them. Private learners take this and nothing else.
struct PrivateTask {
  Task rows;
  std::vector<std::uint32_t> contributor;  // whose row it is; empty = each row is its own
  Declarations declared;                   // bounds and levels of the columns and of the target
};

struct PrivateRoles {
  std::string target;
  std::string contributor;          // empty = the schema's, and without one each row is its own
  std::vector<std::string> ignore;  // columns to leave out
  bool buys = false;                // columns whose type alone is declared are let through: the learner buys the rest
};

// A task that owes nothing to the rows: columns, classes and levels are those of the schema, all of them. Numbers
// outside their bounds are moved to the nearest, levels that are not declared become missing, rows without a target are
// left out: no single row can stop the run or change what the others say. What the schema leaves open is refused.
Result<PrivateTask> make_private_task(Table, const Declarations&, const PrivateRoles&);

}  // namespace wald
