// Interventional Shapley values: columns outside a coalition are taken from the rows of a background.
//
// For a row and a background row a leaf's game is a product over the columns on its path: o_c says whether the row
// meets the column's conditions there, z_c whether the background row does. With a columns that only the row meets, b
// that only the other meets, and none that neither meets, a column of the first kind gains (a-1)! b! / (a+b)! of the
// leaf's value and one of the second kind loses a! (b-1)! / (a+b)!. A pair of the first kind has the effect
// (a-2)! b! / (a+b-1)!, of the second a! (b-2)! / (a+b-1)!, of both - (a-1)! (b-1)! / (a+b-1)!. All a leaf knows of a
// row is the set of columns it fails, so that a table over these sets, summed over the background once, answers any
// row by one look-up.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/shap_plan.h"

namespace wald {

// Trees whose paths ask more columns walk row by row and background row by background row; so do rows whose missing
// value goes everywhere, which meet a condition in part.
inline constexpr std::size_t kTableColumns = 12;
inline constexpr std::size_t kPairColumns = 9;  // the same for tables of pairs, which are wider

// a! b! / (a + b + 1)!
class ShapleyWeights {
 public:
  explicit ShapleyWeights(std::size_t most);
  double operator()(std::size_t a, std::size_t b) const { return weight_[a * (most_ + 1) + b]; }

 private:
  std::size_t most_;
  std::vector<double> weight_;
};

// Cells of some rows: column of the plan x stride.
struct CellRows {
  const double* cell = nullptr;
  std::size_t stride = 0, rows = 0;
  double at(std::size_t column, std::size_t row) const { return cell[column * stride + row]; }
};

bool goes_left(const PlanSplit&, const std::uint64_t* sets, double cell);  // of a cell that does not go everywhere
std::vector<bool> in_parts(const PlannedTree&, const CellRows&);           // rows that go everywhere in this tree

struct TreeValues {
  const PlannedTree& tree;
  const std::uint64_t* sets;
  LeafValues leaves;
  double at(std::int32_t leaf) const { return leaves.at(leaf); }
};

// The same without tables, for one pair of rows at a time; takes fractions.
class PairWalker {
 public:
  PairWalker(const TreeValues&, const Quadrature&, const ShapleyWeights&);
  // phi[slot's column * step] += scale * value; with pairs instead phi[place of the pair * step] += scale * effect.
  void add(const CellRows& rows, std::size_t row, const CellRows& others, std::size_t other, double scale, double* phi,
           std::size_t step, bool pairs);
  double score(const CellRows& rows, std::size_t row);

 private:
  struct Frame {
    std::int32_t split;
    int turn;
    double o, z;  // of the column before this split
  };
  void enter(std::int32_t child);
  void leaf(double value);
  void leaf_in_parts(double value);
  void leaf_pairs_in_parts(double value);
  double& phi_of(std::size_t slot) { return phi_[column_[slot] * step_]; }
  double& pair_of(std::size_t i, std::size_t j) { return phi_[pair_place(column_[i], column_[j]) * step_]; }
  double share(const PlanSplit&, double cell, bool left) const;

  TreeValues tree_;
  const Quadrature& q_;
  const ShapleyWeights& weights_;
  std::vector<double> o_, z_, before_, after_;
  std::vector<std::size_t> column_;
  std::vector<Frame> stack_;
  std::size_t columns_ = 0;  // on the path at hand
  double scale_ = 1;
  double* phi_ = nullptr;
  std::size_t step_ = 1;
  bool pairs_ = false;
};

// --- tables ---------------------------------------------------------------------------------------------------------

// A leaf, or two leaves of one split whose column is asked there first: then a row that passes one fails the other.
struct LeafTable {
  std::uint32_t split = 0;
  bool left = true, both = false;
  bool pairs = false;         // of columns, in the order of pair_place
  std::size_t columns = 0;    // of the path, the split's included
  std::size_t width = 0;      // columns or pairs, up to a multiple of four
  std::vector<double> value;  // set of columns failed x width
  std::size_t entries() const { return width << columns; }
};

std::vector<LeafTable> leaf_tables(const PlannedTree&, bool pairs);  // in the order of the steps, without values
// Sums over background rows; fails[k] says which columns of the path row k fails at the (left) leaf.
void fill_table(const TreeValues&, std::span<const std::uint64_t> fails, std::span<const std::uint64_t> right_fails,
                double scale, const ShapleyWeights&, LeafTable&);

// into = from, with the bit added for the rows that do not go this way.
void add_fails(const PlanSplit&, bool left, const std::uint64_t* sets, const CellRows&, const std::uint64_t* from,
               std::uint64_t* into);
// sums[row * stride ...] += table[fails[row]], lines of the table's width.
void look_up(const LeafTable&, const std::uint64_t* fails, std::size_t rows, std::size_t stride, double* sums);

}  // namespace wald
