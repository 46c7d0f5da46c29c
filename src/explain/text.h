// A tree drawn with characters.
#pragma once
#include <string>

#include "explain/walk.h"
#include "wald/model.h"

namespace wald {

// One line a node: the branch that leads to it, what it says, how many rows reached it. Subtrees below max_depth
// become "...".
std::string tree_text(const Model&, std::size_t tree, std::uint32_t max_depth);

}  // namespace wald
