// What the tests of a forest ask for, by column: found in one pass over its nodes.
#pragma once
#include <cstdint>
#include <vector>

#include "wald/forest.h"

namespace wald {

struct Asked {
  enum What : std::uint8_t {
    kLeft = 1,       // thresholds whose missing values go left ...
    kRight = 2,      // ... and right
    kSet = 4,        // sets, whose missing values go either way
    kEachLevel = 8,  // a child a level
    kSpreads = 16,   // any test whose missing values follow every child ...
    kAsks = 32,      // ... or ask further columns
  };
  std::vector<std::uint8_t> of;  // several of these

  explicit Asked(const Forest&);
  bool any(What what) const;
};

}  // namespace wald
