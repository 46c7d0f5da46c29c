// What a reader of a tree must know to answer as the model does.
#pragma once
#include <string>
#include <vector>

#include "wald/model.h"

namespace wald {

// A line each: where the model decides by a threshold or corrects probabilities, where it prepares columns first, and
// how leaves with equations treat what they have not seen. Most trees need none.
std::vector<std::string> notes_of(const Model&, const TreeView&);
std::string notes_text(const Model&, const TreeView&);  // lines to stand before the tree

}  // namespace wald
