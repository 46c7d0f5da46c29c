// Path-dependent Shapley values of a block of rows, the rows in the lanes of vectors.
//
// Let G be the multilinear extension of a tree for one row: each column c has its own coordinate s_c in [0, 1], 1 for
// known and 0 for left out. A split asking column c passes the share
//   r(s) = (s o O + (1 - s) z Z) / (s O + (1 - s) Z)
// of what reaches it to its left child, where o and z say how the row and the training rows go left here, O and Z the
// products of the same over the column's edges above. A value is the diagonal's integral of a derivative (Owen 1972):
//   phi_c = integral_0^1 dG/ds_c (t, ..., t) dt = sum over the splits on c of sum_k w_k P_k r'_k (left_k - right_k),
//   r' = O Z (o - z) / (s O + (1 - s) Z)^2,
// with P the product of the shares down to the split, left and right the values of its children's extensions, at the
// points of a Gauss-Legendre rule that is exact for the degree at hand. O and o are 0 or 1, so that r and r' are
// constants of the split, picked by masks; nothing is divided. Only rows whose missing value goes everywhere have
// fractions for o, and take the general formula.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/shap_plan.h"

namespace wald {

inline constexpr std::size_t kPassRows = 32;  // rows whose vectors are at work together

// What is known of the rows of one pass at the splits of one tree. A byte holds the lanes of one vector.
struct Lanes {
  std::vector<std::uint8_t> left;   // split x vector: which rows go left
  std::vector<std::uint8_t> known;  // split x vector: O, for columns asked above
  // Only where missing values go everywhere:
  std::vector<std::uint8_t> general;  // split x vector: rows for which o or O may be a fraction
  std::vector<std::uint8_t> spread;   // split x vector: rows for which o is z
  std::vector<double> share;          // split x row: O
};

struct Workspace {
  Lanes lanes;
  std::vector<double> product, value, ratio;  // stacks of P and of the children's extensions; constants of a step
  std::vector<double> slope, difference;      // of interactions: dP / ds of each column on the path; r' (left - right)
};

struct KernelTask {
  const PlannedTree* tree = nullptr;
  const Quadrature* quadrature = nullptr;
  const std::uint64_t* sets = nullptr;
  const double* cells = nullptr;        // column of the plan x stride
  std::size_t stride = 0;               // rows of the block, a multiple of kPassRows
  std::size_t columns = 0;              // of the plan
  bool missing = false;                 // some cell of the block is missing
  LeafValues leaves;                    // of output 0 of the tree
  std::span<const std::size_t> wanted;  // outputs
  double* phi = nullptr;                // output wanted x column of the plan x stride; added to
};

void add_tree(const KernelTask&, Workspace&);

// The same for pairs of columns, phi being output wanted x pair x stride with the pair (i, j), i > j, at pair_place:
// the integral of d2G / ds_i ds_j, of which each of the two places of a matrix takes half.
void add_tree_pairs(const KernelTask&, Workspace&);

}  // namespace wald
