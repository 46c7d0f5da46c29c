// Interventional Shapley values as they are usually computed: for each row and each background row a walk of every
// tree that takes both ways where the two part. Plain and sequential, the measure of the tables' gain.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "wald/model.h"
#include "wald/table.h"

namespace bench {

class NaiveBackground {
 public:
  NaiveBackground(const wald::Forest& forest, std::size_t columns) : forest_(forest), part_(columns) {
    for (int n = 0; n < 64; ++n) factorial_.push_back(n == 0 ? 1 : factorial_.back() * n);
  }
  void add(const double* row, const double* other, double scale, double* phi) {
    row_ = row, other_ = other, scale_ = scale, phi_ = phi;
    for (std::size_t t = 0; t < forest_.trees(); ++t) {
      nodes_ = forest_.tree(t).nodes.data(), values_ = forest_.values.data();
      walk(0);
    }
  }

 private:
  enum Part : char { Same, Row, Other };
  std::uint32_t next(const wald::Node& node, const double* cells) const {
    const double x = cells[node.column()];
    return x == x ? node.child + !(x <= forest_.cuts[node.column()][node.ref]) : node.child + node.missing();
  }

  void walk(std::uint32_t k) {
    const wald::Node& node = nodes_[k];
    if (node.is_leaf()) return leaf(values_[node.ref]);
    const std::uint32_t row = next(node, row_), other = next(node, other_);
    if (row == other) return walk(row);
    Part& part = part_[node.column()];
    if (part != Same) return walk(part == Row ? row : other);
    for (const Part taken : {Row, Other}) {
      part = taken;
      taken_.push_back(node.column());
      walk(taken == Row ? row : other);
      taken_.pop_back();
    }
    part = Same;
  }

  void leaf(double value) {
    const auto own =
        static_cast<std::size_t>(std::ranges::count_if(taken_, [&](std::uint32_t c) { return part_[c] == Row; }));
    const std::size_t all = taken_.size(), others = all - own;
    for (const std::uint32_t c : taken_)
      phi_[c] +=
          scale_ * value *
          (part_[c] == Row ? factorial_[own - 1] * factorial_[others] : -factorial_[own] * factorial_[others - 1]) /
          factorial_[all];
  }

  const wald::Forest& forest_;
  std::vector<Part> part_;
  std::vector<std::uint32_t> taken_;
  std::vector<double> factorial_;
  const wald::Node* nodes_ = nullptr;
  const double *values_ = nullptr, *row_ = nullptr, *other_ = nullptr;
  double scale_ = 1;
  double* phi_ = nullptr;
};

inline std::vector<double> row_major(const wald::Table& table) {
  std::vector<double> out(table.rows * table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t row = 0; row < table.rows; ++row)
      out[row * table.columns.size() + c] = table.columns[c].numbers()[row];
  return out;
}

inline std::vector<double> naive_background_values(const wald::Model& model, const wald::Table& table,
                                                   const wald::Table& background) {
  const std::size_t columns = table.columns.size();
  const std::vector<double> rows = row_major(table), others = row_major(background);
  std::vector<double> phi(rows.size());
  NaiveBackground walker(model.forest(), columns);
  for (std::size_t row = 0; row < table.rows; ++row)
    for (std::size_t b = 0; b < background.rows; ++b)
      walker.add(rows.data() + row * columns, others.data() + b * columns, 1.0 / background.rows,
                 phi.data() + row * columns);
  return phi;
}

}  // namespace bench
