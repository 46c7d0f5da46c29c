#include "learn/clusters.h"

#include <algorithm>
#include <cmath>

#include "learn/assemble.h"
#include "learn/learner.h"
#include "tree/assembler.h"
#include "tree/grow.h"
#include "tree/many_targets.h"
#include "tree/prune.h"

namespace wald {
namespace {

constexpr std::size_t kMostLevels = 100;  // a category of more is split by, but not compared

// The columns as targets: numbers as they are, categories as one indicator a level; a missing cell lies at the mean.
// Each column counts alike: its variances are scaled to sum to 1.
class Columns {
 public:
  explicit Columns(const Task& task) : task_(task) {
    for (const Column& column : task.x.columns) {
      if (column.type() == ColumnType::Number) add({numbers_of(column.numbers())});
      else if (column.categories().level.size() <= kMostLevels) add(indicators(column.categories()));
    }
    for (double& s : scale) s /= static_cast<double>(std::max<std::size_t>(columns_, 1));
  }
  std::vector<FixedTarget> fixed;
  std::vector<double> scale;

 private:
  // Ranks nothing, loses nothing: infinite cells are drawn to the ends of the finite ones.
  static std::vector<double> numbers_of(const Numbers& numbers) {
    std::vector<double> out = numbers.to_doubles();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double v : out)
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    if (!(low <= high)) return std::vector<double>(out.size(), 0.0);
    const double size = std::max(std::fabs(low), std::fabs(high));
    double sum = 0;
    std::size_t known = 0;
    for (double& v : out)
      if (!std::isnan(v)) v = size > 0 ? std::clamp(v, low, high) / size : 0, sum += v, ++known;
    for (double& v : out)
      if (std::isnan(v)) v = sum / static_cast<double>(known);
    return out;
  }
  static std::vector<std::vector<double>> indicators(const Categories& categories) {
    std::vector<double> share(categories.level.size());
    double known = 0;
    for (const std::int32_t c : categories.code)
      if (c >= 0) ++share[c], ++known;
    std::vector<std::vector<double>> out(share.size(), std::vector<double>(categories.code.size()));
    for (std::size_t k = 0; k < share.size(); ++k)
      for (std::size_t r = 0; r < categories.code.size(); ++r) {
        const std::int32_t c = categories.code[r];
        out[k][r] = c < 0 ? share[k] / known : c == static_cast<std::int32_t>(k) ? 1 : 0;
      }
    return out;
  }
  double weight(std::size_t r) const {
    return task_.weight.empty() ? 1 : times_power(static_cast<double>(task_.weight[r]), -kWeightBits);
  }
  double variance(const std::vector<double>& v) const {
    double all = 0, sum = 0, squares = 0;
    for (std::size_t r = 0; r < v.size(); ++r) all += weight(r), sum += weight(r) * v[r];
    for (std::size_t r = 0; r < v.size(); ++r) squares += weight(r) * (v[r] - sum / all) * (v[r] - sum / all);
    return squares / all;
  }
  void add(const std::vector<std::vector<double>>& parts) {
    double all = 0;
    for (const auto& part : parts) all += variance(part);
    if (!(all > 0)) return;
    ++columns_;
    for (const auto& part : parts) {
      fixed.push_back(fix_target(part, task_.weight));
      scale.push_back(times_power(1 / all, 2 * fixed.back().shift));
    }
  }

  const Task& task_;
  std::size_t columns_ = 0;
};

// Leaves are numbered as they are read: a parent's first child whole before its second.
std::vector<std::uint32_t> leaves_in_order(const Tree& tree) {
  std::vector<std::uint32_t> out, open{0};
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (tree.nodes[n].test == Test::Leaf) out.push_back(n);
    for (std::uint32_t k = tree.nodes[n].ways(); k-- > 0;) open.push_back(tree.nodes[n].child + k);
  }
  return out;
}

// A leaf is sure of its own number; an inner node says how its rows are shared out.
std::size_t name_leaves(Tree& tree) {
  const std::vector<std::uint32_t> leaves = leaves_in_order(tree);
  const std::size_t count = leaves.size();
  const Parents parent = parents_of(tree);
  tree.outputs = static_cast<int>(count);
  tree.values.assign(tree.nodes.size() * count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    tree.values[leaves[k] * count + k] = 1;
    for (std::uint32_t n = leaves[k]; n != 0;)
      n = parent[n], tree.values[n * count + k] = tree.cover[leaves[k]] / tree.cover[n];
  }
  return count;
}

}  // namespace

Result<Model> fit_clusters(const Task& task, const Clusters& options, const Run& run) {
  const auto x = bin(task.x, options.bins);
  if (!x) return x.error();
  const Columns columns(task);
  const ManyTargets criterion{.row_weight = task.weight, .fixed = columns.fixed, .scale = columns.scale};
  Tree tree = grow(*x, weighted_rows(task), criterion, options, run);
  const std::size_t clusters = name_leaves(tree);
  Model model{.schema = schema_of(task),
              .body = assemble(std::vector<double>(clusters, 0.0), task.x.columns.size(), std::span(&tree, 1)),
              .link = Link::Probabilities,
              .made = {}};
  model.schema.target.type = ColumnType::Category;
  model.schema.target.level.clear();
  for (std::size_t k = 1; k <= clusters; ++k) model.schema.target.level.push_back(std::to_string(k));
  return model;
}

Learner clusters_learner() {
  return without_target(
      learner<Clusters, fit_clusters>("clusters", "groups of alike rows as the leaves of a tree; no target"));
}

}  // namespace wald
