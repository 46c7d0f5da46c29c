// What can be asked of grow_sapling().
#pragma once
#include "tree/grow_options.h"

namespace wald {

struct SaplingOptions : GrowOptions {
  bool random_cut = false;  // one cut a column, drawn between its least and its greatest value in the node
};

}  // namespace wald
