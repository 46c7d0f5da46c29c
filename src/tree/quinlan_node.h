// The nodes of a Quinlan tree while it is grown and pruned: see quinlan.h.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tree/quinlan.h"

namespace wald::quinlan {

struct Item {  // a row, or the fraction of one, at a node
  Row row;
  std::int64_t weight;  // in units of 2^-30
};
using Items = std::vector<Item>;
using Counts = std::vector<std::int64_t>;  // weight per class

inline double real(std::int64_t weight) { return static_cast<double>(weight) * 0x1p-30; }
std::int64_t total(const Counts&);
double wrong(const Counts&);  // weight of all classes but the largest

struct Test {
  std::uint32_t column = 0;
  bool levels = false;    // one branch a level; else two: bins up to `bin`, and the rest
  std::uint32_t bin = 0;  // numbers: the last bin on the left
  double gain = 0;        // bits a row, after C4.5's corrections
  double ratio = 0;       // gain over what the split tells of itself
  std::size_t branches(const Binned& x) const {
    return levels ? static_cast<std::size_t>(x.columns[column].codes) - 1 : 2;
  }
  std::size_t branch(int code) const {  // of a known value
    return levels ? static_cast<std::size_t>(code) - 1 : static_cast<std::uint32_t>(code) > bin;
  }
};

struct Node {
  Counts count;
  Test test;
  std::vector<std::unique_ptr<Node>> child;  // none = a leaf
  bool leaf() const { return child.empty(); }
};

Counts count(const QuinlanTask&, const Items&);

// Each item goes down its branch; one without a value down all, in proportion to the known weight of each.
std::vector<Items> divide(const QuinlanTask&, const Test&, const Items&);

// The weights per code and class of one column at one node; never shrinks, so that small nodes allocate nothing.
struct ColumnCounts {
  std::vector<std::int64_t> sums;  // all zero between uses
  std::vector<std::uint8_t> seen;
  std::vector<std::uint16_t> codes;  // ascending, 0 = missing
  std::size_t known = 0;             // items with a value
  void fill(const QuinlanTask&, std::uint32_t column, const Items&);
  void clear(std::size_t classes);
};

// The best split of one column, if there is one. `all`: the weight of the node.
std::optional<Test> best_test(const QuinlanTask&, const QuinlanOptions&, std::uint32_t column, const Items&,
                              std::int64_t all, ColumnCounts& scratch);

// Chooses among the columns' best splits.
std::optional<Test> choose(const QuinlanTask&, const QuinlanOptions&, std::size_t all_rows,
                           const std::vector<std::optional<Test>>&);

// Collapses, then prunes from the leaves up with subtree raising (Quinlan 1993, chapter 4).
void prune(const QuinlanTask&, const QuinlanOptions&, Node& root, const Items&);

// Weka's tolerances, which stand for C4.5's float arithmetic: differences below them are none.
inline constexpr double kSame = 1e-6, kAverageSlack = 1e-3;

}  // namespace wald::quinlan
