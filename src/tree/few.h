// Subtrees of few rows. Nearly all nodes of a tree that is grown to its end lie in these, and what they cost besides
// their rows is what the tree costs: they are grown by the loop of saplings, which asks for no memory and reads codes
// that lie together. Same rules, same tree.
#pragma once
#include <functional>
#include <span>

#include "tree/grow_options.h"
#include "tree/open.h"

namespace wald::growing {

// Grows what lies below a node of `into` from its rows, which begin at `first` of the tree's; puts them in the order of
// the leaves. Empty where the criterion or the options ask for what saplings do not do.
struct FewNode {
  Grown& into;
  std::uint32_t node = 0;
  int depth = 0;
  std::size_t first = 0;
};
struct GrowFew {
  std::size_t rows = 0;  // of a node at most
  std::function<void(const FewNode&, std::span<Row> rows)> grow;
};

GrowFew few_grower(const Binned&, const Gini&, const GrowOptions&, double all);
GrowFew few_grower(const Binned&, const Variance&, const GrowOptions&, double all);
template <class C>
GrowFew few_grower(const Binned&, const C&, const GrowOptions&, double) {
  return {};
}

}  // namespace wald::growing
