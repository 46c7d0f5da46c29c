// A tree in the language of Graphviz.
#pragma once
#include <string>

#include "explain/walk.h"
#include "wald/model.h"

namespace wald {
std::string tree_dot(const Model&, std::size_t tree, std::uint32_t max_depth);
}
