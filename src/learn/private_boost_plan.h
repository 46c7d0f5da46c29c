// How the budget is divided and how large the trees are: from epsilon, delta, the released number of rows, for numbers
// the released histogram of the target, and the schema, never from looks at the data. The constants were found on other
// tables than those of the bench.
#pragma once
#include <cstddef>

#include "learn/private_boost.h"

namespace wald {

struct Shares {
  double start = 0.02, columns = 0.05;  // of mu^2
};
Shares shares_of(const PrivateBoost&, bool classes);
// Of what is left for the trees, for asking the target a second time where the first told too little; 0 = it told
// enough.
double restart_share(double mu, double rows, bool classes);

struct Plan {
  int trees = 100;
  double rate = 0.9;
  int parts = 8;       // of a column of numbers that has a tree to itself
  int levels = 16;     // of a category
  int each_parts = 6;  // of the columns of a tree that has several
  int columns = 2;     // of a tree, once each has been asked alone
  double doubt = 0;    // of long steps, see LeafPrior
  int alone = 2;       // times round in which each column has a tree to itself
};
// What plan_of never goes beyond.
int most_trees(const PrivateBoost&, std::size_t columns);
// mu: of one row. classes: whether the target has levels.
Plan plan_of(const PrivateBoost&, double mu, double rows, std::size_t columns, bool classes);

}  // namespace wald
