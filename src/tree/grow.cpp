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
            std::vector<Range>* range) {
  std::vector<const Grown*> instead(trunk.nodes.size(), nullptr);
  for (std::size_t i = 0; i < aside.size(); ++i) instead[aside[i].node] = &subtrees[i];
  const auto find = [&](const Grown* grown, std::uint32_t node) -> Place {
    return grown == &trunk && instead[node] != nullptr ? Place{instead[node], 0} : Place{grown, node};
  };
  Tree out{.outputs = trunk.outputs};
  const auto outputs = static_cast<std::size_t>(out.outputs);
  std::size_t nodes = trunk.nodes.size();
  for (const Grown& subtree : subtrees) nodes += subtree.nodes.size() - 1;
  out.nodes.reserve(nodes), out.threshold.reserve(nodes), out.cover.reserve(nodes), out.gain.reserve(nodes);
  out.values.reserve(nodes * outputs);
  if (range != nullptr) range->clear(), range->reserve(nodes);
  std::vector<Place> level{find(&trunk, 0)}, below;
  for (std::uint32_t made = 1; !level.empty(); std::swap(level, below), below.clear())
    for (const auto [grown, n] : level) {
      const Grown::Node& from = grown->nodes[n];
      TreeNode node = from.node;
      for (std::uint32_t k = 0; k < node.ways(); ++k) below.push_back(find(grown, node.child + k));
      if (node.test != Test::Leaf) node.child = std::exchange(made, made + node.ways());
      if (node.test == Test::Set) {
        const auto set = grown->sets.begin() + std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
        out.sets.insert(out.sets.end(), set, set + (x.columns[node.column].codes - 1 + 63) / 64);
      }
      out.nodes.push_back(node);
      out.threshold.push_back(from.threshold);
      out.cover.push_back(from.cover);
      out.gain.push_back(from.gain);
      for (std::size_t k = 0; k < outputs; ++k) out.values.push_back(grown->values[n * outputs + k]);
      if (!grown->surrogates.empty()) out.surrogates.push_back(grown->surrogates[n]);
      if (range != nullptr) range->push_back(from.range);
    }
  return out;
}

}  // namespace growing
}  // namespace wald
