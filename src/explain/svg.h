// A tree as a picture: root on the left, one row of the page a leaf, so that names can be read at any size.
#pragma once
#include <string>

#include "explain/walk.h"
#include "wald/model.h"

namespace wald {

inline constexpr std::uint32_t kMostDrawnLeaves = 2000;  // beyond it a picture is no longer looked at

// A complete SVG file without scripts or outside references. Subtrees below max_depth are drawn as their root.
std::string tree_svg(const Model&, std::size_t tree, std::uint32_t max_depth);
std::uint32_t drawn_leaves(const TreeView&, std::uint32_t max_depth);

}  // namespace wald
