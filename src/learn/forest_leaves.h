// What becomes of a forest's leaves once a tree stands: filled by other rows, scaled to the tree's share of the vote,
// and asked about rows out of its bag.
#pragma once
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/fixed.h"
#include "model/found.h"
#include "tree/sapling.h"
#include "wald/model.h"
#include "wald/rounds.h"

namespace wald {

// Honest trees: each leaf says what these rows in it say; one that none of them reaches says what they say of the
// nearest node above that some do.
void refill(Sapling&, const RowCodes&, std::span<const Drawn> rows, const Gini&);
void refill(Sapling&, const RowCodes&, std::span<const Drawn> rows, const Variance&);

// Vectors of `width` shares become one vote for the greatest, the first among equals.
void keep_greatest(std::span<double> values, std::size_t width);

// A tree's part of the vote, a multiple of 2^-53, so that sums over trees are exact; and vectors of shares in that
// part.
double share_unit(int trees);
void share_out(std::span<double> values, std::size_t width, int trees);

// What a leaf says, as if its tree were the whole forest, in whole numbers: their sums do not depend on the order, and
// are the same whether they are counted while the forest grows or asked of the model afterwards.
struct VoteUnits {
  double part = 1;  // a tree's part of the vote, which its leaves hold
  int shift = 0;    // values are scaled by 2^-shift, to be 1 at most,
  int bits = 40;    // in units of 2^-bits

  static VoteUnits of(const Task&, int trees);
  std::int64_t whole(double value) const { return to_fixed(times_power(value / part, -shift), bits); }
  double mean(std::int64_t sum, std::uint32_t trees) const {
    return times_power(from_fixed(sum, bits) / static_cast<double>(trees), shift);
  }
};

// Takes back what was expected of all trees, where rows or decisions are others than it was told of.
inline void forget_expected(Model& model) {
  std::erase_if(model.found, [](const auto& entry) { return entry.first.starts_with(kExpected); });
}

// What trees say of rows out of their bags, summed in whole numbers, so that it matters not which thread comes first;
// of every other tree for itself.
class Votes {
 public:
  Votes(std::size_t rows, std::size_t outputs, int trees, const VoteUnits& units)
      : rows_(rows), trees_(2 * rows), adding_(rows / kTogether + 1), outputs_(outputs), units_(units) {
    if (outputs > 1 && trees <= std::numeric_limits<std::uint16_t>::max()) whole_.resize(2 * rows * outputs);
  }
  // By any thread; rows ascend. t: the tree's number. Its leaves hold its part of the vote.
  void add(const Sapling&, const RowCodes&, std::span<const Row> rows, std::uint32_t t);
  OutOfBag predictions(const Model&) const;
  // The share of rows that so many trees together are expected to put into a wrong class, or their mean squared error.
  // A row is out of the bag of m trees only. Errors fall with their number as a + b / m, and what half of them say
  // tells b. None where rows are too few or trees.
  std::optional<double> expected_error(const Task&, int trees) const;

 private:
  static constexpr std::size_t kTogether = 1024;  // rows that one thread at a time adds to

  std::int64_t sum_of(std::size_t at) const {  // the at-th of row x half x output
    return (sum_.empty() ? 0 : sum_[at]) + (whole_.empty() ? 0 : std::int64_t{whole_[at]} << units_.bits);
  }
  double error(const Task&, std::size_t row, std::span<const std::int64_t> sums, std::uint32_t trees) const;
  // Of a leaf's vector: which output it gives a whole vote to, and the others none; past the end: it does otherwise.
  std::size_t whole_vote(std::span<const std::int64_t> says) const;

  // Leaves of full trees give whole votes, which are counted in as little room as will do; other leaves are summed up.
  std::vector<std::uint16_t> whole_;  // row x half x output; empty: all are summed up
  std::vector<std::int64_t> sum_;     // the same; empty until there is one
  std::once_flag summing_;
  std::size_t rows_;
  std::vector<std::uint32_t> trees_;  // row x half
  std::vector<std::mutex> adding_;
  std::size_t outputs_;
  VoteUnits units_;
};

}  // namespace wald
