// The structure of a private tree: a grid, the product of partitions of a few columns, drawn from a public seed and
// from what has been released already. So it costs nothing, and which leaf a row reaches is a sum of one look-up a
// column.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "learn/private_boost_rows.h"
#include "tree/tree.h"

namespace wald {

struct Axis {
  std::size_t column = 0;
  int parts = 1;
  int stride = 1;                               // in the number of a leaf
  std::array<std::uint8_t, kMostCodes> part{};  // of each code
  std::vector<double> mass{};                   // of each part
};

struct Grid {
  std::vector<Axis> axes;
  int leaves = 1;
};

// How much of each code there is, as far as it is public; where nothing is known, all alike.
using Masses = std::vector<std::vector<double>>;  // by column and code
Masses even_masses(const PrivateRows&);

// How far the trees so far moved the scores of each code, by column: alike levels are to be cut together.
using Effects = std::vector<std::vector<double>>;

struct Known {
  Masses masses;
  Effects effects;
};
// A partition of the columns into about so many parts each, of about equal mass.
Grid draw_grid(const PrivateRows&, const Known&, const std::vector<std::size_t>& columns, int parts, const Random&);

// The grid as a binary tree: the first column is cut in halves of about equal mass until its parts are single, then the
// next.
struct Branch {
  int axis = -1;             // of an inner node; a leaf has -1
  int from = 0, middle = 0;  // inner: parts from .. middle - 1 go to the first child
  std::uint32_t child = 0;   // first of two
  int leaf = 0;              // of a leaf: its number in the grid
  int depth = 0;
};
std::vector<Branch> branches_of(const Grid&);

// Values: `outputs` a leaf of the grid.
Tree tree_of(const Grid&, const std::vector<Branch>&, const PrivateRows&, const std::vector<double>& values,
             int outputs);

}  // namespace wald
