#include <algorithm>

#include "core/check.h"
#include "tree/tree.h"

namespace wald {

TreeView Forest::tree(std::size_t t) const {
  const std::size_t begin = first[t], size = first[t + 1] - begin;
  const auto part = [&](const Array<double>& all, std::size_t per) {
    return all.empty() ? std::span<const double>{} : std::span<const double>(all).subspan(begin * per, size * per);
  };
  return {std::span<const Node>(nodes).subspan(begin, size), part(values, static_cast<std::size_t>(outputs)),
          part(cover, 1), part(gain, 1)};
}

std::uint32_t leaf_of(const Tree& tree, const Binned& x, Row row) {
  std::uint32_t at = 0;
  while (tree.nodes[at].test != Test::Leaf) {
    const Node& node = tree.nodes[at];
    const int code = x.columns[node.column].at(row), level = code - 1;
    WALD_CHECK(code != 0 || node.missing < node.ways());
    if (code == 0) at = node.child + node.missing;
    else if (node.test == Test::Threshold) at = node.child + (static_cast<std::uint32_t>(code) > node.ref);
    else if (node.test == Test::Set) at = node.child + !(tree.sets[node.ref + level / 64] >> (level % 64) & 1);
    else at = node.child + static_cast<std::uint32_t>(level);
  }
  return at;
}

Forest assemble(std::vector<double> base, std::size_t columns, const std::vector<Tree>& trees) {
  Forest out{.outputs = static_cast<int>(base.size()),
             .base = std::move(base),
             .cuts = std::vector<std::vector<double>>(columns)};
  for (const Tree& tree : trees)
    for (std::size_t n = 0; n < tree.nodes.size(); ++n)
      if (tree.nodes[n].test == Test::Threshold) out.cuts[tree.nodes[n].column].push_back(tree.threshold[n]);
  for (auto& cuts : out.cuts) {
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
  std::vector<std::uint64_t> first{0}, sets;
  std::vector<Node> nodes;
  std::vector<double> values, cover, gain;
  for (const Tree& tree : trees) {
    WALD_CHECK(tree.outputs == out.outputs);
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      Node node = tree.nodes[n];
      const auto& cuts = out.cuts[node.column];
      if (node.test == Test::Threshold)
        node.ref = static_cast<std::uint32_t>(std::ranges::lower_bound(cuts, tree.threshold[n]) - cuts.begin());
      if (node.test == Test::Set) node.ref += static_cast<std::uint32_t>(sets.size());
      nodes.push_back(node);
    }
    values.insert(values.end(), tree.values.begin(), tree.values.end());
    cover.insert(cover.end(), tree.cover.begin(), tree.cover.end());
    gain.insert(gain.end(), tree.gain.begin(), tree.gain.end());
    sets.insert(sets.end(), tree.sets.begin(), tree.sets.end());
    first.push_back(nodes.size());
  }
  out.first = std::move(first), out.nodes = std::move(nodes), out.values = std::move(values),
  out.cover = std::move(cover);
  out.gain = std::move(gain), out.sets = std::move(sets);
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
  return static_cast<std::size_t>(std::ranges::count(tree.nodes, Test::Leaf, &Node::test));
}

}  // namespace wald
