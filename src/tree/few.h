// Subtrees of few rows. Nearly all nodes of a tree that is grown to its end lie in these, and what they cost besides
// their rows is what the tree costs: they are grown by the loop of saplings, which asks for no memory and reads codes
// that lie together. Same rules, same tree.
#pragma once
#include <limits>
#include <memory>
#include <span>

#include "tree/grow_options.h"
#include "tree/tree.h"

namespace wald {
struct Gini;
struct Newton;
struct Variance;
}  // namespace wald

namespace wald::growing {

constexpr std::size_t kFewRows = 512;  // at most

struct Grown {
  Tree tree;
  std::vector<Range> range;  // of each node's rows
};

// Grows what lies below a node of `into` from its rows, which begin at `first` of the tree's; puts them in the order of
// the leaves.
struct FewNode {
  Grown& into;
  std::uint32_t node = 0;
  int depth = 0;
  std::size_t first = 0;
};
class Few {
 public:
  virtual ~Few() = default;
  virtual void grow(const FewNode&, std::span<Row> rows) = 0;
  bool grows(std::size_t rows, int depth) const { return rows <= most && depth <= deepest; }
  std::size_t most = kFewRows;
  int deepest = std::numeric_limits<int>::max();
};

// None where the criterion or the options ask for what saplings do not do. Takes over what the tree before it, of the
// same table, has left.
std::unique_ptr<Few> few_grower(const Binned&, const Gini&, const GrowOptions&, double all, std::unique_ptr<Few>);
std::unique_ptr<Few> few_grower(const Binned&, const Variance&, const GrowOptions&, double all, std::unique_ptr<Few>);
std::unique_ptr<Few> few_grower(const Binned&, const Newton&, const GrowOptions&, double all, std::unique_ptr<Few>);
template <class C>
std::unique_ptr<Few> few_grower(const Binned&, const C&, const GrowOptions&, double, std::unique_ptr<Few>) {
  return nullptr;
}

}  // namespace wald::growing
