// A tree as it is grown: still in terms of bins. assemble() turns grown trees into the Forest that models keep.
#pragma once
#include <cstdint>
#include <vector>

#include "prepare/bin.h"
#include "wald/forest.h"

namespace wald {

struct Tree {
  int outputs = 1;
  std::vector<Node> nodes;        // a Threshold's ref is the last bin that goes to child 0
  std::vector<double> threshold;  // per node; the same test on raw values
  std::vector<double> values;     // `outputs` a node
  std::vector<double> cover;
  std::vector<double> gain;
  std::vector<std::uint64_t> sets;  // as in Forest
  bool operator==(const Tree&) const = default;
};

// The leaf that a row of the binned table reaches.
std::uint32_t leaf_of(const Tree&, const Binned&, Row);

// Collects the thresholds the trees use into one ascending table a column and points the nodes there.
Forest assemble(std::vector<double> base, std::size_t columns, const std::vector<Tree>& trees);

int depth_of(const TreeView&);
std::size_t leaves_of(const TreeView&);

}  // namespace wald
