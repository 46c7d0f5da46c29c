// Second-order boosting with a vector in each leaf: the gains of all outputs are added, so that one tree serves several
// classes or targets (Zhang and Jung 2021, "GBDT-MO: gradient-boosted decision trees for multiple outputs").
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "tree/newton.h"

namespace wald {

struct VectorNewton {
  using Part = Row;                           // its derivatives are read when it is added
  std::span<const FixedGradients> gradients;  // one an output
  std::span<const double> scale;              // what each output's gain counts
  double l1 = 0, l2 = 1;
  LevelRules levels = {};
  LeastRows least = {};

  int width() const { return 2 * outputs(); }
  int outputs() const { return static_cast<int>(gradients.size()); }
  static Part part(Row r) { return r; }
  void add(Part r, std::int64_t* into) const {
    for (const FixedGradients& of : gradients) *into++ += of.row[r].g, *into++ += of.row[r].h;
  }
  static bool same(Row, Row) { return false; }
  // An output as it is counted: as when it is alone, but into its own two of the sums.
  struct Output : Newton {
    int first = 0, all = 0;
    int width() const { return all; }
    void add(const Part& p, std::int64_t* into) const { Newton::add(p, into + first); }
    void unpack(auto cell, std::int64_t* into) const { Newton::unpack(cell, into + first); }
  };
  Output output(int k) const { return {{.gradients = &gradients[static_cast<std::size_t>(k)]}, 2 * k, width()}; }
  double weight(Sums s) const {  // the mean over the outputs
    double sum = 0;
    for (std::size_t k = 0; k < gradients.size(); ++k) sum += second(s, k);
    return sum / static_cast<double>(gradients.size());
  }
  double score(Sums s, double) const {
    double sum = 0;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      const double g = first(s, k);
      if (g != 0 && second(s, k) + l2 > 0) sum += scale[k] * 0.5 * g * g / (second(s, k) + l2);
    }
    return sum;
  }
  void leaf(Sums s, std::span<double> out) const {
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      const double g = first(s, k), h = second(s, k) + l2;
      out[k] = g == 0 || !(h > 0) ? 0 : -g / h;
    }
  }
  double proven_rows(Sums s) const {
    return Newton{.gradients = &gradients[0], .least = least}.proven_rows(s.first(2));
  }
  static void pure(Row, std::span<double>) {}
  static double gain_unit() { return 1; }
  int orders() const { return std::min(outputs(), 16); }  // of levels: by each of the first outputs
  double order(Sums s, int k) const { return place(s, k, s, 0); }
  double place(Sums s, int k, Sums node, double share) const {
    const auto at = static_cast<std::size_t>(2 * k);
    return Newton{.gradients = &gradients[static_cast<std::size_t>(k)], .l2 = l2}.place(s.subspan(at, 2), 0,
                                                                                        node.subspan(at, 2), share);
  }

 private:
  double first(Sums s, std::size_t k) const {
    const double g = static_cast<double>(s[2 * k]) * gradients[k].g_unit;
    return l1 == 0 ? g : std::copysign(std::fmax(std::fabs(g) - l1, 0), g);
  }
  double second(Sums s, std::size_t k) const { return static_cast<double>(s[2 * k + 1]) * gradients[k].h_unit; }
};

static_assert(Criterion<VectorNewton>);

}  // namespace wald
