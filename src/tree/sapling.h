// A tree of a forest: grown whole by one thread, so that trees and not nodes are what threads share out.
//
// The life of a node is that of grow.h, and so are the rules: what a split gains, who wins a tie, where missing values
// go. What differs is the cost. A tree of a forest is grown until its leaves are pure, so nearly all of its nodes have
// a handful of rows, and few columns are drawn for each: a node takes time in proportion to its rows times the columns
// drawn, never to the bins, keeps nothing for its children and asks for no memory. A row drawn several times is one
// entry with a count. Cuts lie in the gap between two neighbouring bins, the middle one of those that divide the node's
// rows alike: so bins and values decide alike for every row of the table, also for those out of bag, and a forest has
// few different cuts.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"
#include "tree/grow_options.h"
#include "wald/forest.h"

namespace wald {

struct Sapling {
  std::vector<Node> nodes;          // a threshold's ref is the last bin that goes to child 0
  std::vector<float> gain;          // of inner nodes, in their order
  std::vector<double> values;       // vectors of leaves, equal ones once
  std::vector<std::uint64_t> sets;  // as in Forest
};

// Rows without a target: nothing is better than anything else, so that cuts are drawn and not chosen.
struct Blind {};

struct Drawn {  // a row that grows the tree, and how often
  Row row = 0;
  std::uint32_t count = 1;
};

// Grows tree after tree of one table, in room that is asked for once. Options that ask for max_leaves, monotone columns
// or groups of columns are not for saplings.
class SaplingGrower {
 public:
  virtual ~SaplingGrower() = default;
  // rows: ascending, each once, of positive weight and count. Draws depend on (seed, tree, node).
  virtual Sapling grow(std::span<const Drawn> rows, std::uint32_t tree) = 0;
};
// All but the options must outlive it.
std::unique_ptr<SaplingGrower> sapling_grower(const Binned&, const Gini&, const SaplingOptions&, std::uint64_t seed);
std::unique_ptr<SaplingGrower> sapling_grower(const Binned&, const Variance&, const SaplingOptions&,
                                              std::uint64_t seed);
std::unique_ptr<SaplingGrower> sapling_grower(const Binned&, const Blind&, const SaplingOptions&, std::uint64_t seed);

// One tree, that of the options' number.
template <class C>
Sapling grow_sapling(const Binned& x, std::span<const Drawn> rows, const C& criterion, const SaplingOptions& how,
                     std::uint64_t seed) {
  return sapling_grower(x, criterion, how, seed)->grow(rows, how.tree);
}

// A node asks one column: in wider tables a row's codes are no neighbours worth fetching together.
constexpr std::size_t kMostWalkedByRows = 512;

// The codes of a binned table, row by row where it can be.
class RowCodes {
 public:
  explicit RowCodes(const Binned&);
  std::uint32_t at(Row row, std::uint32_t column) const {
    if (by_rows_ != nullptr) return by_rows_[std::size_t{row} * stride_ + place_[column]];
    return narrow_[column] != nullptr ? narrow_[column][row] : wide_[column][row];
  }
  const std::uint8_t* by_rows() const { return by_rows_; }                    // nullptr: they lie column by column
  std::size_t stride() const { return stride_; }                              // from one row to the next
  std::uint32_t place(std::uint32_t column) const { return place_[column]; }  // in a row
  std::uint32_t codes(std::uint32_t column) const { return codes_[column]; }
  bool missing(std::uint32_t column) const { return missing_[column] != 0; }  // a cell; where they lie row by row

 private:
  const std::uint8_t* by_rows_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> place_, codes_;
  std::vector<std::uint8_t> missing_;
  std::vector<const std::uint8_t*> narrow_;
  std::vector<const std::uint16_t*> wide_;
};

// The child that a row goes to, and the leaf that it reaches.
std::uint32_t child_of(const Sapling&, const RowCodes&, std::uint32_t node, Row);
std::uint32_t leaf_of(const Sapling&, const RowCodes&, Row);
// The same for many rows, which ascend. leaf[i] is that of rows[i].
void leaves_of(const Sapling&, const RowCodes&, std::span<const Row> rows, std::span<std::uint32_t> leaf);

// All trees speak for all outputs. The trees are used up.
Forest assemble(std::vector<double> base, const Binned&, std::vector<Sapling> trees);

}  // namespace wald
