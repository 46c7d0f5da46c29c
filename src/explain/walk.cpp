#include "explain/walk.h"

namespace wald {

std::vector<NodePlace> places(const TreeView& tree, std::uint32_t max_depth) {
  std::vector<NodePlace> out, open = {{}};
  while (!open.empty()) {
    NodePlace place = open.back();
    open.pop_back();
    const Node& node = tree.nodes[place.node];
    place.cut = !node.is_leaf() && place.depth == max_depth;
    out.push_back(place);
    if (place.cut) continue;
    for (std::uint32_t k = node.ways(); k-- > 0;)
      open.push_back({.node = node.child + k,
                      .parent = place.node,
                      .branch = k,
                      .depth = place.depth + 1,
                      .last = k + 1 == node.ways()});
  }
  return out;
}

std::vector<Origin> origins(const TreeView& tree) {
  std::vector<Origin> out(tree.nodes.size());
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i)
    for (std::uint32_t k = 0; k < tree.nodes[i].ways(); ++k) out[tree.nodes[i].child + k] = {i, k};
  return out;
}

// Children come after their parent, so one pass from the end sees every child before its parent.
std::vector<std::uint32_t> leaves_below(const TreeView& tree) {
  std::vector<std::uint32_t> out(tree.nodes.size(), 0);
  for (std::size_t i = out.size(); i-- > 0;) {
    const Node& node = tree.nodes[i];
    if (node.is_leaf()) out[i] = 1;
    for (std::uint32_t k = 0; k < node.ways(); ++k) out[i] += out[node.child + k];
  }
  return out;
}

}  // namespace wald
