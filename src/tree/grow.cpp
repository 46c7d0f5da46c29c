#include "tree/grow.h"

#include "core/check.h"
#include "tree/grow_tree.h"

namespace wald {

GrowSpace::GrowSpace() = default;
GrowSpace::~GrowSpace() = default;

namespace growing {
namespace {

// Where a grown node lies: in the trunk, or in the subtree grown in its place.
struct Place {
  const Grown* grown;
  std::uint32_t node;
};

}  // namespace

std::size_t checked_rows(const GrowSpace& work) {
  WALD_CHECK(!work.rows.empty());
  return work.rows.size();
}

Tree number(const Binned& x, const Grown& trunk, const std::vector<Open>& aside, const std::vector<Grown>& subtrees,
            std::vector<Range>& range) {
  std::vector<const Grown*> instead(trunk.tree.nodes.size(), nullptr);
  for (std::size_t i = 0; i < aside.size(); ++i) instead[aside[i].node] = &subtrees[i];
  const auto find = [&](const Grown* grown, std::uint32_t node) -> Place {
    return grown == &trunk && instead[node] != nullptr ? Place{instead[node], 0} : Place{grown, node};
  };
  Tree out{.outputs = trunk.tree.outputs};
  range.clear();
  const auto outputs = static_cast<std::size_t>(out.outputs);
  std::size_t nodes = trunk.tree.nodes.size();
  for (const Grown& subtree : subtrees) nodes += subtree.tree.nodes.size() - 1;
  out.nodes.reserve(nodes), out.threshold.reserve(nodes), out.cover.reserve(nodes), out.gain.reserve(nodes);
  out.values.reserve(nodes * outputs), range.reserve(nodes);
  std::vector<Place> queue;
  queue.reserve(nodes);
  queue.push_back(find(&trunk, 0));
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto [grown, n] = queue[at];
    const Tree& tree = grown->tree;
    TreeNode node = tree.nodes[n];
    const auto made = static_cast<std::uint32_t>(queue.size());
    for (std::uint32_t k = 0; k < node.ways(); ++k) queue.push_back(find(grown, node.child + k));
    if (node.test != Test::Leaf) node.child = made;
    if (node.test == Test::Set) {
      const auto from = tree.sets.begin() + std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
      out.sets.insert(out.sets.end(), from, from + (x.columns[node.column].codes - 1 + 63) / 64);
    }
    out.nodes.push_back(node);
    out.threshold.push_back(tree.threshold[n]);
    out.cover.push_back(tree.cover[n]);
    out.gain.push_back(tree.gain[n]);
    out.values.insert(out.values.end(), tree.values.begin() + static_cast<std::ptrdiff_t>(n * outputs),
                      tree.values.begin() + static_cast<std::ptrdiff_t>((n + 1) * outputs));
    if (!tree.surrogates.empty()) out.surrogates.push_back(tree.surrogates[n]);
    range.push_back(grown->range[n]);
  }
  return out;
}

}  // namespace growing
}  // namespace wald
