// The rules every model keeps. They hold for whatever fit makes, save writes and load accepts, so that the code that
// walks a model needs no checks of its own.
#pragma once
#include <string>

#include "wald/model.h"

namespace wald {

// What is wrong with the model and where ("tree 3, node 17: ..."); empty if nothing is. Time and memory are bounded
// by the size of the model, whatever it holds; no recursion.
std::string flaw(const Model&);
std::string forest_flaw(const Schema&, const Forest&);

}  // namespace wald
