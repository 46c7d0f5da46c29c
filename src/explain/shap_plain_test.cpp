// A plain reference for trees with too many columns to try every coalition: leaf by leaf, one row, the product formula
//   phi_i = value (o_i - z_i) integral_0^1 of the product of t o_j + (1 - t) z_j over the other columns j.
#include <gtest/gtest.h>

#include <map>

#include "explain/shap_naive_test.h"
#include "explain/shap_points.h"
#include "explain/shap_sample_test.h"

namespace wald {
namespace {

struct Factor {
  double o = 1, z = 1;
};
using Factors = std::map<std::uint32_t, Factor>;  // by column

void add_leaf(const Factors& factors, double value, std::vector<double>& phi) {
  const Quadrature q = gauss_legendre(static_cast<int>(factors.size() + 1) / 2 + 1);
  for (const auto& [i, mine] : factors)
    for (std::size_t k = 0; k < q.point.size(); ++k) {
      double product = value * (mine.o - mine.z) * q.weight[k];
      for (const auto& [j, f] : factors)
        if (i != j) product *= q.point[k] * f.o + (1 - q.point[k]) * f.z;
      phi[i] += product;
    }
}

void walk(const naive::Tree& tree, std::uint32_t k, const naive::Cells& row, const Factors& factors,
          std::vector<double>& phi) {
  const Node& node = tree.view.nodes[k];
  if (node.is_leaf()) return add_leaf(factors, tree.forest->values_of(node)[0], phi);
  for (std::uint32_t w = 0; w < node.ways(); ++w) {
    Factors below = factors;
    Factor& f = below[node.column()];
    f.o *= naive::goes(tree, node, row, w);
    f.z *= naive::part(tree, node, w);
    if (f.o > 0 || f.z > 0) walk(tree, node.child + w, row, below, phi);
  }
}

TEST(Shapley, ManyColumnsAndDeepTreesAreThoseOfThePlainFormula) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = sample::forest({.columns = 30, .trees = 3, .max_depth = 18}, seed);
    const Table table = sample::random_table(model, 40, seed);
    const auto rows = naive::rows_of(model, table);
    const auto e = explain(model, table);
    ASSERT_TRUE(e);
    for (std::size_t row = 0; row < rows.size(); row += 3) {
      std::vector<double> want(30);
      for (const naive::Tree& tree : naive::trees_of(model.forest())) walk(tree, 0, rows[row], {}, want);
      for (std::size_t c = 0; c < 30; ++c)
        ASSERT_NEAR(e->values(row, 0)[c], want[c], 1e-11) << "seed " << seed << " row " << row << " column " << c;
    }
  }
}

}  // namespace
}  // namespace wald
