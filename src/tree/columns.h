// Which columns a node may be split by: drawn for the tree, its level and the node itself, and allowed to meet those
// above. A draw is a function of seed, tree and place, never of who asks first.
#pragma once
#include <cstdint>
#include <vector>

#include "tree/grow_options.h"

namespace wald::growing {

// Groups of columns that may meet on a path. A path is known by the groups that hold all its columns.
class Meeting {
 public:
  using Groups = std::vector<std::uint64_t>;  // a bit set

  Meeting(const std::vector<std::vector<std::uint32_t>>& together, std::size_t columns)
      : of_(together.empty() ? 0 : columns, Groups((together.size() + 63) / 64)) {
    for (std::size_t group = 0; group < together.size(); ++group)
      for (const std::uint32_t c : together[group]) of_[c][group / 64] |= std::uint64_t{1} << (group % 64);
  }
  bool limits() const { return !of_.empty(); }
  Groups everywhere() const { return limits() ? Groups(of_[0].size(), ~std::uint64_t{0}) : Groups{}; }
  Groups below(const Groups& above, std::uint32_t column) const {
    Groups out = above;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] &= of_[column][i];
    return out;
  }
  // `last`: the column the parent was split by; one that is in no group may still be used again.
  bool allows(const Groups& path, bool root, std::uint32_t last, std::uint32_t column) const {
    if (!limits() || root || column == last) return true;
    for (std::size_t i = 0; i < path.size(); ++i)
      if ((path[i] & of_[column][i]) != 0) return true;
    return false;
  }

 private:
  std::vector<Groups> of_;  // the groups that each column is in; empty = no limits
};

// Where a node stands, as far as its columns are concerned.
struct Stand {
  int depth = 0;
  std::uint64_t path = 1;
  std::uint32_t above = 0;  // the column its parent was split by
};

// All columns in order, or, where only some are to be tried, in an order drawn for this node.
void columns_of(const Stand&, const Meeting::Groups&, const Meeting&, const GrowOptions&, std::uint64_t seed,
                std::size_t all, std::vector<std::uint32_t>& into);

}  // namespace wald::growing
