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

// Nodes side by side in a level lie far apart, many of them in the cache of the thread that grew them.
constexpr std::uint32_t kAhead = 16;
void fetch(const Place& place, std::size_t outputs) {
  const auto* node = reinterpret_cast<const char*>(&place.grown->nodes[place.node]);
  __builtin_prefetch(node), __builtin_prefetch(node + sizeof(Grown::Node) - 1);
  __builtin_prefetch(&place.grown->values[place.node * outputs]);
}

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
  out.nodes.resize(nodes), out.threshold.resize(nodes), out.cover.resize(nodes), out.gain.resize(nodes);
  out.values.resize(nodes * outputs);
  if (range != nullptr) range->resize(nodes);
  std::vector<Place> place(nodes);  // by number: children get theirs when their parent's turn comes
  place[0] = find(&trunk, 0);
  std::uint32_t made = 1;
  for (std::uint32_t at = 0; at < made; ++at) {
    if (at + kAhead < made) fetch(place[at + kAhead], outputs);
    const auto [grown, n] = place[at];
    const Grown::Node& from = grown->nodes[n];
    TreeNode& node = out.nodes[at] = from.node;
    for (std::uint32_t k = 0; k < node.ways(); ++k) place[made + k] = find(grown, node.child + k);
    if (node.test != Test::Leaf) node.child = std::exchange(made, made + node.ways());
    if (node.test == Test::Set) {
      const auto words = static_cast<std::uint32_t>(x.columns[node.column].codes - 1 + 63) / 64;
      const std::uint32_t set = std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
      for (std::uint32_t w = 0; w < words; ++w) out.sets.push_back(grown->sets[set + w]);
    }
    out.threshold[at] = from.threshold, out.cover[at] = from.cover, out.gain[at] = from.gain;
    for (std::size_t k = 0; k < outputs; ++k) out.values[at * outputs + k] = grown->values[n * outputs + k];
    if (!grown->surrogates.empty()) out.surrogates.push_back(grown->surrogates[n]);
    if (range != nullptr) (*range)[at] = from.range;
  }
  return out;
}

}  // namespace growing
}  // namespace wald
