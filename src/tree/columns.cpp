#include "tree/columns.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"

namespace wald::growing {
namespace {

// Brings `count` of the columns, drawn at random, to the front.
void draw_columns(std::vector<std::uint32_t>& columns, std::size_t count, const Random& random) {
  for (std::size_t i = 0; i < std::min(count, columns.size() - 1); ++i)
    std::swap(columns[i], columns[i + random.below(columns.size() - i, i)]);
}

// As above, keeps only those, in ascending order.
void keep_drawn(std::vector<std::uint32_t>& columns, int count, const Random& random) {
  if (count <= 0 || static_cast<std::size_t>(count) >= columns.size()) return;
  draw_columns(columns, static_cast<std::size_t>(count), random);
  columns.resize(static_cast<std::size_t>(count));
  std::ranges::sort(columns);
}

}  // namespace

void columns_of(const Stand& node, const Meeting::Groups& groups, const Meeting& meeting, const GrowOptions& how,
                std::uint64_t seed, std::size_t all, std::vector<std::uint32_t>& into) {
  into.resize(all);
  std::iota(into.begin(), into.end(), 0u);
  keep_drawn(into, how.columns_per_tree, Random(seed, Purpose::TreeColumns, how.tree));
  keep_drawn(into, how.columns_per_level,
             Random(Random(seed, Purpose::LevelColumns, how.tree).bits(static_cast<std::uint64_t>(node.depth)),
                    Purpose::LevelColumns, how.tree));
  std::erase_if(into, [&](std::uint32_t c) { return !meeting.allows(groups, node.depth == 0, node.above, c); });
  if (how.columns_per_node > 0 && static_cast<std::size_t>(how.columns_per_node) < into.size())
    draw_columns(into, into.size(),
                 Random(Random(seed, Purpose::Columns, how.tree).bits(node.path), Purpose::Columns, how.tree));
}

}  // namespace wald::growing
