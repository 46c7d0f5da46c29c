// A tree in the order it is read: parent first, then each branch whole. Without recursion, since depth is the user's.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "wald/forest.h"

namespace wald {

struct NodePlace {
  std::uint32_t node = 0;
  std::uint32_t parent = 0;  // the root is its own
  std::uint32_t branch = 0;  // which child of its parent
  std::uint32_t depth = 0;
  bool last = true;  // the last child of its parent
  bool cut = false;  // has children that lie below the depth asked for
};

inline constexpr std::uint32_t kAnyDepth = std::numeric_limits<std::uint32_t>::max();

std::vector<NodePlace> places(const TreeView&, std::uint32_t max_depth = kAnyDepth);

// For each node: its parent, and which of the parent's children it is.
struct Origin {
  std::uint32_t parent = 0, branch = 0;
};
std::vector<Origin> origins(const TreeView&);

std::vector<std::uint32_t> leaves_below(const TreeView&);  // per node; 1 for a leaf

}  // namespace wald
