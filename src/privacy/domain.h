// What is public of a table before any row is looked at: the bounds of its numbers, the levels of its categories.
#pragma once
#include <string>
#include <vector>

#include "wald/private_task.h"

namespace wald {

struct PublicColumn {
  std::string name;
  ColumnType type = ColumnType::Number;
  double low = 0, high = 0;        // of numbers, low < high
  std::vector<std::string> level;  // of categories, sorted
};

struct Domain {
  std::vector<PublicColumn> columns;
  PublicColumn target;
};

Error privacy_refusal(std::string message, std::string cure);

// As the task's schema declares it. What is not declared, or only observed, is refused with the line to add.
Result<Domain> domain_of(const PrivateTask&);
// Of one column; nullptr = nothing is declared.
Result<PublicColumn> public_column(const std::string& name, const Declared*);

}  // namespace wald
