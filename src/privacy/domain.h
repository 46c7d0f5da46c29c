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
  bool open = false;               // the type is known and nothing else: to be bought
};

struct Domain {
  std::vector<PublicColumn> columns;
  PublicColumn target;
};

Error privacy_refusal(std::string message, std::string cure);

// As the task's schema declares it. What is not declared, or only observed, is refused with the line to add; where
// bounds are bought, columns of a known type may be open.
Result<Domain> domain_of(const PrivateTask&, bool buys = false);
// Of one column; nullptr = nothing is declared.
Result<PublicColumn> public_column(const std::string& name, const Declared*, bool buys = false);

// The column that tells whose a row is, by the schema or the roles, which must agree; empty = each row is its own.
Result<std::string> contributor_column(const Declarations&, const PrivateRoles&);

// Numbers moved into their bounds, levels that are not public made missing.
Column in_domain(const Column&, const PublicColumn&);

}  // namespace wald
