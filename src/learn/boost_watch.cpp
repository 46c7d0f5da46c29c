// Rows of another table that boosting is judged by.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/grain.h"
#include "core/parallel.h"
#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/boost_stop.h"
#include "model/cells.h"
#include "tree/linear_steps.h"

namespace wald {

Result<std::unique_ptr<Watch>> Watch::of(const Task& task, const Targets& learned, const Task& other, LossName loss,
                                         const Boost& how) {
  if (other.x.rows == 0) return bad_data("the table to stop by has no rows", "give some, or leave it away");
  if (task.classifies() != other.classifies() || (task.classifies() && task.classes().name != other.classes().name) ||
      task.more_y.size() != other.more_y.size())
    return usage("the table to stop by has another target", "give the target of the table to learn from");
  if (Status fits = check_loss(other, how); !fits) return fits.error();
  if (Status tells = check_judge(other, loss); !tells) return tells.error();
  const Result<Matched> matched = match(schema_of(task), other.x);
  if (!matched) return matched.error();
  std::unique_ptr<Watch> out(new Watch);
  for (const Cells& cells : matched->columns) {
    std::vector<double> room(other.x.rows);
    const double* cell = cells_of(cells, 0, other.x.rows, room.data());
    if (cell != room.data()) std::copy_n(cell, room.size(), room.begin());
    out->cell_.push_back(std::move(room));
  }
  out->rows_.resize(other.x.rows);
  std::iota(out->rows_.begin(), out->rows_.end(), Row{0});
  auto targets = targets_of(other, how);
  if (!targets) return targets.error();
  out->targets_ = std::move(*targets);
  out->objective_ = objective_for(loss, other, how, out->targets_, learned);
  return out;
}

void Watch::begin_at(std::span<const double> base) {
  score_.clear();
  for (std::size_t row = 0; row < rows_.size(); ++row) score_.insert(score_.end(), base.begin(), base.end());
}

std::uint32_t Watch::leaf_of(const Tree& tree, Row row) const {
  std::uint32_t at = 0;
  for (; tree.nodes[at].test != Test::Leaf;) {
    const TreeNode& node = tree.nodes[at];
    const double cell = cell_[node.column][row];
    std::uint32_t way = 0;
    if (std::isnan(cell)) way = node.missing;
    else if (node.test == Test::Threshold) way = cell > tree.threshold[at];
    else {
      const auto level = static_cast<std::size_t>(cell);
      way = !(tree.sets[node.ref + level / 64] >> (level % 64) & 1);
    }
    at = node.child + way;
  }
  return at;
}

void Watch::add(const Tree& tree, double sign, double linear_unit) {
  const std::size_t outputs = score_.size() / rows_.size(), width = static_cast<std::size_t>(tree.outputs);
  double* score = score_.data() + (tree.output == kAllOutputs ? 0 : tree.output);
  const std::vector<std::size_t> terms = term_starts(tree);
  parallel_for(rows_.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint32_t leaf = leaf_of(tree, static_cast<Row>(row));
      double own = 0;
      for (std::size_t i = terms.empty() ? 0 : terms[leaf]; !terms.empty() && i < terms[leaf + std::size_t{1}]; ++i)
        own += tree.terms[i].term.at(cell_[tree.terms[i].term.column][row]);
      if (!terms.empty() && linear_unit > 0) own = on_grid(own, linear_unit);
      for (std::size_t k = 0; k < width; ++k) score[row * outputs + k] += sign * (tree.values[leaf * width + k] + own);
    }
  });
}

}  // namespace wald
