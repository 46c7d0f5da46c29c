#include "tree/figures.h"

#include <algorithm>

namespace wald {

// Children come after their parent, so one pass from the end sees every child before its parent.
std::vector<double> covers(const TreeView& tree) {
  std::vector<double> cover(tree.nodes.size());
  for (std::size_t n = cover.size(); n-- > 0;) {
    const Node& node = tree.nodes[n];
    if (node.is_leaf()) cover[n] = node.cover();
    else
      for (std::uint32_t k = 0; k < node.ways(); ++k) cover[n] += cover[node.child + k];
  }
  return cover;
}

double share_of(std::span<const double> cover, const Node& node, std::uint32_t way) {
  double all = 0;
  if (!cover.empty())
    for (std::uint32_t k = 0; k < node.ways(); ++k) all += cover[node.child + k];
  return all > 0 ? cover[node.child + way] / all : 1.0 / node.ways();
}

namespace {

bool is_inner(const Node& node) { return !node.is_leaf(); }

}  // namespace

std::size_t inner_before(const Forest& forest, std::size_t t) {
  const auto first = forest.nodes.begin();
  return static_cast<std::size_t>(std::count_if(first, first + static_cast<std::ptrdiff_t>(forest.first[t]), is_inner));
}

Figures figures(const Forest& forest, std::size_t t, std::size_t inner) {
  const TreeView tree = forest.tree(t);
  Figures out{.width = forest.width()};
  if (forest.covered) out.cover = covers(tree);
  out.value.resize(tree.nodes.size() * out.width);
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const Node& node = tree.nodes[n];
    double* value = out.value.data() + n * out.width;
    if (node.is_leaf()) std::ranges::copy(forest.values_of(node), value);
    double all = 0;
    for (std::uint32_t k = 0; k < node.ways() && forest.covered; ++k) all += out.cover[node.child + k];
    for (std::uint32_t k = 0; k < node.ways(); ++k) {
      const double share = all > 0 ? out.cover[node.child + k] / all : 1.0 / node.ways();
      for (std::size_t o = 0; o < out.width; ++o) value[o] += share * out.value[(node.child + k) * out.width + o];
    }
  }
  if (forest.gain.empty()) return out;
  auto gain = forest.gain.begin() + static_cast<std::ptrdiff_t>(inner);
  for (const Node& node : tree.nodes) out.gain.push_back(is_inner(node) ? *gain++ : 0);
  return out;
}

int depth_of(const TreeView& tree) {
  std::vector<int> depth(tree.nodes.size());
  int deepest = 0;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)  // children come after their parent
    for (std::uint32_t k = 0; k < tree.nodes[n].ways(); ++k)
      deepest = std::max(deepest, depth[tree.nodes[n].child + k] = depth[n] + 1);
  return deepest;
}

std::size_t leaves_of(const TreeView& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(tree.nodes, &Node::is_leaf));
}

}  // namespace wald
