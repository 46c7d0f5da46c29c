// What a forest does not keep of its inner nodes, derived from the leaves below them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wald/forest.h"

namespace wald {

// -------------------------------

std::vector<double> covers(const TreeView&);  // per node, of a forest that has them: the sum of the leaves below

// The part of the rows of unknown way that a child takes: by cover; evenly where nobody came or no cover is kept.
double share_of(std::span<const double> cover, const Node&, std::uint32_t way);

struct Figures {
  std::size_t width = 1;      // of the vectors
  std::vector<double> cover;  // per node; empty where the forest keeps none
  std::vector<double> value;  // `width` a node: what the leaves below say, by share_of; linear terms left out
  std::vector<double> gain;   // per node, 0 in leaves; empty where the forest keeps none
  std::span<const double> values_of(std::size_t node) const { return std::span(value).subspan(node * width, width); }
};
// inner: how many nodes of the trees before it are no leaves; who asks for all trees had better count along.
Figures figures(const Forest&, std::size_t tree, std::size_t inner);
std::size_t inner_before(const Forest&, std::size_t tree);
inline Figures figures(const Forest& forest, std::size_t tree) {
  return figures(forest, tree, inner_before(forest, tree));
}

int depth_of(const TreeView&);
std::size_t leaves_of(const TreeView&);

}  // namespace wald
