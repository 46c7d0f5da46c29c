#include "learn/isolation.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/elementary.h"
#include "core/parallel.h"
#include "core/random.h"
#include "learn/assemble.h"
#include "learn/forest_rows.h"
#include "learn/learner.h"
#include "tree/sapling.h"

namespace wald {
namespace {

// Every leaf says what its rows' depth adds to the exponent of 2^(- mean depth / expected depth).
void say_depths(Sapling& tree, double per_level) {
  std::vector<double> depth(tree.nodes.size()), values;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    Node& node = tree.nodes[n];
    for (std::uint32_t way = 0; way < node.ways(); ++way) depth[node.child + way] = depth[n] + 1;
    if (!node.is_leaf()) continue;
    const double says = -per_level * (depth[n] + isolation_depth(node.cover()));
    node.ref = static_cast<std::uint32_t>(values.size());
    values.push_back(says);
  }
  tree.values = std::move(values);
}

std::string free_name(const Task& task, std::string name) {
  for (int i = 2; task.x.find(name) != nullptr; ++i) name = "anomaly_" + std::to_string(i);
  return name;
}

}  // namespace

double isolation_depth(double rows) {
  if (rows <= 1) return 0;
  double harmonic = 0;
  for (double i = rows - 1; i >= 1; --i) harmonic += 1 / i;  // smallest first
  return 2 * harmonic - 2 * (rows - 1) / rows;
}

Result<Model> fit_isolation(const Task& task, const Isolation& how, const Run& run) {
  if (!task.weight.empty())
    return usage("isolation-forest takes all rows alike, so --weight has no meaning", "leave it away");
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  const std::size_t rows = std::min<std::size_t>(static_cast<std::size_t>(how.rows), task.x.rows);
  ForestOptions draw;
  draw.sample = Sample::Subsample;
  draw.rows = static_cast<double>(rows) / static_cast<double>(task.x.rows);
  const ForestRows bags(task, draw, weighted_rows(task), run.seed);
  const double expected = std::max(isolation_depth(static_cast<double>(rows)), 1.0);
  std::vector<Sapling> trees(static_cast<std::size_t>(how.trees));
  parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
    if (run.stopped()) return;
    SaplingOptions grow;
    grow.random_cut = grow.zero_gain = true;
    grow.columns_per_node = 1;
    grow.max_depth = how.max_depth > 0 ? how.max_depth : std::max(1, static_cast<int>(std::bit_width(rows - 1)));
    grow.tree = static_cast<std::uint32_t>(t);
    trees[t] = grow_sapling(*x, bags.bag(grow.tree).grow, Blind{}, grow, run.seed);
    say_depths(trees[t], log_exact(2) / (expected * how.trees));
  });
  Model model{.schema = schema_of(task), .link = Link::Exponential, .made = {}};
  // A row alone is set apart by no cut, and yet as ordinary as rows that are all alike: its score is 1/2.
  if (!run.stopped()) model.body = assemble({rows == 1 ? -log_exact(2) : 0.0}, *x, std::move(trees));
  model.schema.target = {free_name(task, "anomaly"), ColumnType::Number, {}};
  return model;
}

Learner isolation_learner() {
  return without_target(learner<Isolation, fit_isolation>(
      "isolation-forest", "how odd each row is, by how few cuts set it apart; no target"));
}

}  // namespace wald
