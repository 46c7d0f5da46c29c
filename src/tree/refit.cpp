#include "tree/refit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tree/criterion.h"
#include "tree/prune.h"

namespace wald {
namespace {

// Of rows ascending by target.
double quantile(std::span<const Row> rows, std::span<const double> target, std::span<const std::int64_t> weight,
                double q) {
  const auto of = [&](Row r) { return weight.empty() ? 1 : weight[r]; };
  std::int64_t all = 0, below = 0;
  for (const Row r : rows) all += of(r);
  const double wanted = q * static_cast<double>(all);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    below += of(rows[i]);
    if (static_cast<double>(below) < wanted) continue;
    const bool exact = static_cast<double>(below) == wanted && i + 1 < rows.size();
    return exact ? std::midpoint(target[rows[i]], target[rows[i + 1]]) : target[rows[i]];
  }
  return target[rows.back()];
}

}  // namespace

// Level by level, each row at its node of that level: memory does not grow with depth.
void refit_quantile(Tree& tree, const Binned& x, std::span<const Row> rows, std::span<const double> target,
                    std::span<const std::int64_t> weight, double q) {
  std::vector<Row> order(rows.begin(), rows.end());
  std::ranges::sort(order, {}, [&](Row r) { return std::pair(target[r], r); });
  std::vector<std::uint32_t> at(order.size(), 0);
  std::vector<std::vector<Row>> of(tree.nodes.size());
  while (!order.empty()) {
    std::vector<std::uint32_t> touched;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (of[at[i]].empty()) touched.push_back(at[i]);
      of[at[i]].push_back(order[i]);
    }
    for (const std::uint32_t n : touched) tree.values[n] = quantile(of[n], target, weight, q), of[n] = {};
    std::size_t kept = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (tree.nodes[at[i]].test == Test::Leaf) continue;
      order[kept] = order[i];
      at[kept++] = child_of(tree, x, at[i], order[i]);
    }
    order.resize(kept), at.resize(kept);
  }
}

void refit_mean(Tree& tree, const Binned& x, std::span<const Row> rows, std::span<const double> target,
                std::span<const std::int64_t> weight) {
  const FixedTarget fixed = fix_target(target, weight);
  const Variance mean{.target = target, .row_weight = weight, .fixed = &fixed};
  const std::vector<std::int64_t> sums = node_sums(tree, x, rows, mean);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    mean.leaf(Sums(sums).subspan(2 * n, 2), std::span(tree.values).subspan(n, 1));
}

}  // namespace wald
