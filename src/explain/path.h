// The way one row takes through a tree.
#pragma once
#include <string>
#include <vector>

#include "wald/model.h"
#include "wald/table.h"

namespace wald {

struct PathStep {
  std::uint32_t node = 0;    // where the question is asked
  std::uint32_t branch = 0;  // the child it leads to
  std::string value;         // the row's, "missing", or the level with "(unseen in training)"
  std::string because = {};  // where a surrogate decides: "as income > 30000"
};
struct RowPath {
  std::vector<PathStep> steps;
  std::uint32_t end = 0;
  bool spreads = false;  // at `end` a missing value follows every branch at once, weighted by cover
  std::string spread;    // as PathStep::value, of the column that `end` asks for then
  std::vector<std::string>
      held;  // "x is 20, held at 12": where the leaf's equation takes another number than the row's
};

// The table must have the columns the tree asks for; predict() checks that.
RowPath row_path(const Model&, std::size_t tree, const Table&, Row);
std::string path_text(const Model&, std::size_t tree, const RowPath&);

}  // namespace wald
