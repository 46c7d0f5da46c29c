// How the budget is divided and how large the trees are: from epsilon, delta, the released number of rows and the
// schema, never from looks at the data. The constants were found on other tables than those of the bench.
#pragma once
#include <cstddef>

#include "learn/private_boost.h"

namespace wald {

struct Shares {
  double start = 0.02, columns = 0.05, trees = 0.93;  // of mu^2
};
Shares shares_of(const PrivateBoost&);

struct Plan {
  int trees = 100;
  double rate = 0.2;
  int parts = 8;    // of a column in a tree of one column; fewer where it has more columns
  int columns = 1;  // of a tree
};
Plan plan_of(const PrivateBoost&, double mu, double rows, std::size_t columns, int outputs);

}  // namespace wald
