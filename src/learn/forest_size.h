// The least size of a node that a forest splits, chosen out of bag.
//
// Trees grown to the end suit tables whose classes are nearly certain; where chance has a large part, nodes of some
// dozens of rows say more than their splits. The first trees, grown to the end, hold the trees of every larger size as
// well: those whose smaller nodes are leaves. What each of them says of rows out of its bag tells the squared error of
// the whole forest: with the errors e of trees drawn alike, that of the average of T trees is expected to be
//
//   E e_i e_j + (E e_i^2 - E e_i e_j) / T     (i and j two trees)
//
// and both means are taken over the trees that a row is out of bag of. docs/methods/forests.md derives it.
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "learn/forest_rows.h"
#include "tree/sapling.h"

namespace wald {

class SplitSizes {
 public:
  static constexpr std::array<double, 7> kSizes = {2, 4, 8, 16, 32, 64, 128};

  // weight: of the rows, in units of 2^-30; empty = all 1. All must outlive it.
  SplitSizes(const Task&, const ForestRows&, std::span<const std::int64_t> weight, const ForestOptions&,
             std::uint64_t seed);
  std::size_t trees() const { return trees_; }  // that are to be asked: the first ones

  // A tree grown with the first of the sizes, and the same with its leaves filled; by any thread.
  void add(const Sapling& grown, const Sapling& filled, const RowCodes&, const ForestRows::Bag&);

  // The mean squared error expected of a forest of all trees, by size, up to a common factor. Absent: no row was out of
  // two bags.
  std::optional<std::array<double, kSizes.size()>> errors() const;
  std::optional<double> best() const;  // the size of the least error, the smallest among equals

 private:
  static constexpr int kBits = 22;  // of errors below 2 in size: those of 64 trees sum up in 32 bits
  static constexpr std::size_t kMostTrees = 64;

  struct Says;  // of nodes of a tree
  std::vector<double> sums_of(const Sapling&, std::span<const double> weight) const;
  Says says_of(const Sapling& grown, const Sapling& filled, std::span<const std::uint32_t> leaves) const;
  double scaled(double value) const;

  const Task& task_;
  const ForestRows& rows_;
  const ForestOptions& how_;
  std::span<const std::int64_t> weight_;
  std::size_t outputs_ = 0, trees_ = 0;
  int scale_ = 0;                     // numbers are scaled by 2^-scale ...
  double least_ = 0;                  // ... and counted from the least, so that the greatest is at most 1
  std::vector<std::uint32_t> asked_;  // places in rows(), ascending

  // Whole numbers, so that it matters not which thread comes first.
  std::mutex adding_;
  std::vector<std::uint32_t> spoke_;   // trees, of each asked
  std::vector<std::int32_t> sum_;      // of errors: asked x size x output
  std::vector<std::int64_t> squares_;  // of errors: asked x size
};

}  // namespace wald
