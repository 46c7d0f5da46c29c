// What becomes of a forest's leaves once a tree stands: filled by other rows, scaled to the tree's share of the vote,
// and asked about rows out of its bag.
#pragma once
#include <cstdint>
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
  Votes(std::size_t rows, std::size_t outputs, int shift)
      : sum_(rows * outputs),
        whole_(rows * outputs),
        trees_(rows),
        adding_(rows / kTogether + 1),
        outputs_(outputs),
        shift_(shift) {}
  void add(const Sapling&, const RowCodes&, std::span<const Row> rows);  // by any thread; rows ascend
  OutOfBag predictions(const Model&) const;

 private:
  static constexpr int kBits = 40;
  static constexpr std::size_t kTogether = 1024;  // rows that one thread at a time adds to

  std::int64_t fixed(double value) const;

  // What is said of each row and output: a vote as a whole, which a pure leaf casts, is counted, so that few bytes are
  // read and written that other threads have written last; the rest is summed. A count stays below kMostWhole.
  static constexpr std::uint16_t kMostWhole = 0xFFFF;
  std::vector<std::int64_t> sum_;
  std::vector<std::uint16_t> whole_;
  std::vector<std::uint32_t> trees_;
  std::vector<std::mutex> adding_;
  std::size_t outputs_;
  int shift_;  // values are scaled by 2^-shift
};

}  // namespace wald
