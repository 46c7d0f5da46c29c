// Several columns of few codes in one byte. Counting then has one cell for all of them, and what the cells hold is
// dealt out to the columns at the end: a table of indicators is counted several times faster.
#pragma once
#include "prepare/bin.h"

namespace wald {

// The columns of by_rows once more, bundled; empty where that would spare too little.
Bundles bundles_of(const Binned&);

}  // namespace wald
