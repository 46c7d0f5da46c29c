// A forest made ready for Shapley values: every test is binary, every split knows what its column did above it.
//
// A test with one child a level becomes a balanced tree of tests on the level's code: as all of them ask the same
// column, they are one player, and the game is the same. Where surrogates place a row, the credit is the split's own
// column's: the game knows how the row goes at the split, not who decided it. So such a split reads a column of cells
// of its own, in which missing ones are replaced by cells that go where the surrogates say.
#pragma once
#include <cstdint>
#include <vector>

#include "explain/shap_points.h"
#include "wald/forest.h"

namespace wald {

enum class Missing : std::uint8_t { Left, Right, Everywhere };

struct PlanSplit {
  double cut = 0;                    // cell <= cut goes left; unused where there is a set
  double left_share = 0;             // z: the left child's part of the training weight here
  double above_share = 1;            // the product of the shares of the column's edges above
  std::int64_t set = -1;             // where the set of levels that go left begins, else -1
  std::int32_t left = 0, right = 0;  // a split; or, below 0, ~ of the number of a leaf's vector of values
  std::int32_t above = -1;           // the nearest split above on the same column, -1 = none
  std::uint32_t column = 0;          // among the plan's columns
  std::uint32_t cells = 0;           // among the columns of cells: `column`, or beyond them one of ShapPlan::answered
  std::uint32_t slot = 0;            // the column's place among the distinct columns of its path
  std::uint32_t slots = 0;           // distinct columns above this split
  std::uint32_t depth = 0;
  std::uint32_t constants = 0;  // of repeated columns: where 1 / (t + (1 - t) above_share) of each point begins
  Missing missing = Missing::Left;
  bool above_left = false;  // this split lies below the left child of `above`
};

// The order of work: down to a child that is a split, and back up when both children are done.
enum class Move : std::uint32_t { Left, Right, Up };
struct PlanStep {
  Move move;
  std::uint32_t split;
};

struct PlannedTree {
  std::vector<PlanSplit> splits;  // parents before children
  std::vector<PlanStep> steps;
  std::vector<double> constants;
  std::int32_t root = 0;      // as PlanSplit::left
  std::uint32_t depth = 0;    // of the deepest split
  std::uint32_t columns = 0;  // most distinct columns on a path
  bool spreads = false;       // has a test from which missing values go everywhere
  std::size_t points() const { return (columns + 1) / 2; }
};

// What the leaves of a tree say of one output; their linear terms are left out.
struct LeafValues {
  const double* value = nullptr;  // of vector 0
  std::size_t width = 1;
  double at(std::int32_t leaf) const { return value[static_cast<std::size_t>(~leaf) * width]; }
};
bool speaks_for(const Forest&, std::size_t tree, std::size_t output);
LeafValues leaf_values(const Forest&, std::size_t output);  // of a tree that speaks for it

// A split with surrogates, and what stands for a missing cell there.
struct AnsweredSplit {
  const Node* node = nullptr;
  double left = 0, right = 0;
};

struct ShapPlan {
  std::vector<std::uint32_t> columns;  // those any test asks, ascending; splits number them by their place here
  std::vector<std::uint32_t> place;    // of each column of the model among them
  std::vector<AnsweredSplit> answered;
  std::vector<PlannedTree> trees;
  std::vector<Quadrature> quadrature;  // by the number of points, where a tree needs it
};

ShapPlan make_plan(const Forest&);

// Pairs (i, j) of different columns, in either order, one after the other: (1,0) (2,0) (2,1) (3,0) ...
constexpr std::size_t pair_place(std::size_t i, std::size_t j) {
  return i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i;
}
constexpr std::size_t pairs_of(std::size_t columns) { return columns * (columns - (columns > 0)) / 2; }

// The mean of the tree over the training rows.
double expected(const PlannedTree&, const LeafValues&);

}  // namespace wald
