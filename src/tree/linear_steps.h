// Linear leaves for boosting (Shi, Li and Li 2019, "Gradient boosting with piece-wise linear regression trees"): the
// Newton step of a leaf is a linear function of the columns of numbers that the way to it asks,
//   v(x) = value + sum_j slope_j (x_j - mean_j),
// the least of sum_i g_i v(x_i) + 1/2 h_i v(x_i)^2 + 1/2 ridge sum_j (slope_j sd_j)^2 over the slopes, with mean and
// sd those of the leaf's rows, weighted by h.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tree/grow.h"
#include "tree/tree.h"
#include "wald/table.h"

namespace wald {

class LinearSteps {
 public:
  LinearSteps(const Table&, double ridge, int most_terms);

  // space: of the tree just grown, whose values are set. g, h: one a row of the table.
  void fit(Tree&, const GrowSpace& space, std::span<const double> g, std::span<const double> h) const;
  // What the terms of a leaf add for a row, to `value`. first: of each node's terms, as term_starts gives.
  double at(const Tree&, std::span<const std::size_t> first, std::uint32_t leaf, Row, double value) const;

 private:
  std::vector<LeafTerm> terms_of(std::uint32_t leaf, double value, std::span<const Row> rows,
                                 std::span<const std::uint32_t> columns, std::span<const double> g,
                                 std::span<const double> h) const;

  std::vector<std::vector<double>> value_;  // of each column; empty where it is a category
  double ridge_;
  std::size_t most_;
};

// Where each node's terms begin, and one more for the end; empty if there are none.
std::vector<std::size_t> term_starts(const Tree&);

}  // namespace wald
