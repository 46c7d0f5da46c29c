// How the levels of a category are divided by a criterion that lets it matter. Rows are counted by their share of the
// node's second derivatives.
#pragma once

namespace wald {

struct LevelRules {
  int one_against_rest = 0;  // so many levels in a node or fewer are cut off one at a time
  double min_rows = 0;       // levels of fewer rows in the node stay together
  double smoothing = 0;      // rows of the node's mean added to each level before they are sorted
  double l2 = 0;             // added to l2 where a set is judged
  int most = 0;              // levels on the smaller side of a set; 0 = no limit
};

}  // namespace wald
