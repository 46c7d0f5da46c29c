// What becomes of a forest's leaves once a tree stands: filled by other rows, scaled to the tree's share of the vote,
// and asked about rows out of its bag.
#pragma once
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

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

// What trees say of rows out of their bags, summed in whole numbers, so that it matters not which thread comes first.
class Votes {
 public:
  Votes(std::size_t rows, std::size_t outputs, int trees, int shift)
      : trees_(rows), adding_(rows / kTogether + 1), outputs_(outputs), shift_(shift) {
    if (outputs > 1 && trees <= std::numeric_limits<std::uint16_t>::max()) whole_.resize(rows * outputs);
  }
  void add(const Sapling&, const RowCodes&, std::span<const Row> rows);  // by any thread; rows ascend
  OutOfBag predictions(const Model&) const;

 private:
  static constexpr int kBits = 40;
  static constexpr std::size_t kTogether = 1024;  // rows that one thread at a time adds to

  // Of a leaf's vector: which output it gives a whole vote to, and the others none; past the end: it does otherwise.
  std::size_t whole_vote(std::span<const std::int64_t> says) const;

  // Leaves of full trees give whole votes, which are counted in as little room as will do; other leaves are summed up.
  std::vector<std::uint16_t> whole_;  // row x output; empty: all are summed up
  std::vector<std::int64_t> sum_;     // row x output; empty until there is one
  std::once_flag summing_;
  std::vector<std::uint32_t> trees_;
  std::vector<std::mutex> adding_;
  std::size_t outputs_;
  int shift_;  // values are scaled by 2^-shift
};

}  // namespace wald
