#include <algorithm>
#include <bit>

#include "explain/intervene.h"

namespace wald {
namespace {

void take_leaves(const PlannedTree& tree, std::uint32_t split, bool pairs, std::vector<LeafTable>& out) {
  const PlanSplit& s = tree.splits[split];
  LeafTable table{.split = split, .pairs = pairs, .columns = s.slots + (s.above < 0 ? 1u : 0u)};
  table.width = ((pairs ? pairs_of(table.columns) : table.columns) + 3) / 4 * 4;
  if (s.left < 0 && s.right < 0 && s.above < 0) {
    table.both = true;
    out.push_back(table);
    return;
  }
  if (s.left < 0) out.push_back(table);
  table.left = false;
  if (s.right < 0) out.push_back(table);
}

struct Pattern {
  std::uint64_t fails;
  double weight;
};

// The different sets of columns that background rows fail, each with their number; sorted, so that the order of
// summation is that of the sets.
std::vector<Pattern> patterns(std::span<const std::uint64_t> fails, double scale) {
  std::vector<std::uint64_t> sorted(fails.begin(), fails.end());
  std::ranges::sort(sorted);
  std::vector<Pattern> out;
  for (const std::uint64_t set : sorted) {
    if (out.empty() || out.back().fails != set) out.push_back({set, 0});
    out.back().weight += 1;
  }
  for (Pattern& pattern : out) pattern.weight *= scale;
  return out;
}

// flip: the table is asked with this bit turned over.
void add_leaf(std::span<const std::uint64_t> background, double scale, std::uint64_t flip,
              const ShapleyWeights& weights, LeafTable& table) {
  const std::uint64_t all = (std::uint64_t{1} << table.columns) - 1;
  std::vector<double> lost(all + 1);
  for (const auto& [theirs, weight] : patterns(background, scale)) {
    const auto own = static_cast<std::size_t>(std::popcount(theirs));
    const std::uint64_t free = all & ~theirs;
    // Every subset of the columns the background row meets.
    for (std::uint64_t fails = free;; fails = (fails - 1) & free) {
      const auto others = static_cast<std::size_t>(std::popcount(fails));
      if (others > 0) lost[fails] += weight * weights(own, others - 1);
      if (own > 0) {
        const double gained = weight * weights(own - 1, others);
        double* line = table.value.data() + (fails ^ flip) * table.width;
        for (std::uint64_t left = theirs; left != 0; left &= left - 1) line[std::countr_zero(left)] += gained;
      }
      if (fails == 0) break;
    }
  }
  for (std::uint64_t fails = 1; fails <= all; ++fails) {
    if (lost[fails] == 0) continue;
    double* line = table.value.data() + (fails ^ flip) * table.width;
    for (std::uint64_t left = fails; left != 0; left &= left - 1) line[std::countr_zero(left)] -= lost[fails];
  }
}

void add_leaf_pairs(std::span<const std::uint64_t> background, double scale, std::uint64_t flip,
                    const ShapleyWeights& weights, LeafTable& table) {
  const std::uint64_t all = (std::uint64_t{1} << table.columns) - 1;
  for (const auto& [theirs, weight] : patterns(background, scale)) {
    const auto own = static_cast<std::size_t>(std::popcount(theirs));
    const std::uint64_t free = all & ~theirs;
    for (std::uint64_t fails = free;; fails = (fails - 1) & free) {
      const auto others = static_cast<std::size_t>(std::popcount(fails));
      const double both_own = own > 1 ? weight * weights(own - 2, others) : 0,
                   both_others = others > 1 ? weight * weights(own, others - 2) : 0,
                   mixed = own > 0 && others > 0 ? -weight * weights(own - 1, others - 1) : 0;
      double* line = table.value.data() + (fails ^ flip) * table.width;
      for (std::uint64_t first = theirs | fails; first != 0; first &= first - 1) {
        const auto j = static_cast<std::size_t>(std::countr_zero(first));
        const bool own_j = theirs >> j & 1;
        for (std::uint64_t second = first & (first - 1); second != 0; second &= second - 1) {
          const auto i = static_cast<std::size_t>(std::countr_zero(second));
          const bool own_i = theirs >> i & 1;
          line[pair_place(i, j)] += own_i != own_j ? mixed : own_i ? both_own : both_others;
        }
      }
      if (fails == 0) break;
    }
  }
}

}  // namespace

std::vector<LeafTable> leaf_tables(const PlannedTree& tree, bool pairs) {
  std::vector<LeafTable> out;
  for (const PlanStep& step : tree.steps)
    if (step.move == Move::Up) take_leaves(tree, step.split, pairs, out);
  return out;
}

void fill_table(const TreeValues& tree, std::span<const std::uint64_t> fails,
                std::span<const std::uint64_t> right_fails, double scale, const ShapleyWeights& weights,
                LeafTable& table) {
  const PlanSplit& s = tree.tree.splits[table.split];
  table.value.assign(table.entries(), 0.0);
  const auto add = table.pairs ? add_leaf_pairs : add_leaf;
  add(fails, scale * tree.at(table.left ? s.left : s.right), 0, weights, table);
  if (table.both) add(right_fails, scale * tree.at(s.right), std::uint64_t{1} << s.slot, weights, table);
}

}  // namespace wald
