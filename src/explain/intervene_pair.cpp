#include <algorithm>
#include <cmath>

#include "explain/intervene.h"

namespace wald {

ShapleyWeights::ShapleyWeights(std::size_t most) : most_(most), weight_((most + 1) * (most + 1)) {
  for (std::size_t a = 0; a <= most; ++a)
    for (std::size_t b = 0; b <= most; ++b)
      weight_[a * (most + 1) + b] =
          b == 0 ? 1.0 / static_cast<double>(a + 1)
                 : weight_[a * (most + 1) + b - 1] * static_cast<double>(b) / static_cast<double>(a + b + 1);
}

bool goes_left(const PlanSplit& s, const std::uint64_t* sets, double cell) {
  if (std::isnan(cell)) return s.missing == Missing::Left;
  if (s.set < 0) return cell <= s.cut;
  const auto level = static_cast<std::uint32_t>(cell);
  return sets[s.set + level / 64] >> (level % 64) & 1;
}

std::vector<bool> in_parts(const PlannedTree& tree, const CellRows& rows) {
  std::vector<bool> out(rows.rows);
  if (!tree.spreads) return out;
  for (const PlanSplit& s : tree.splits)
    if (s.missing == Missing::Everywhere)
      for (std::size_t row = 0; row < rows.rows; ++row)
        if (std::isnan(rows.at(s.cells, row))) out[row] = true;
  return out;
}

PairWalker::PairWalker(const TreeValues& tree, const Quadrature& q, const ShapleyWeights& weights)
    : tree_(tree),
      q_(q),
      weights_(weights),
      o_(tree.tree.columns),
      z_(tree.tree.columns),
      before_(tree.tree.columns + 1),
      after_(tree.tree.columns + 1),
      column_(tree.tree.columns) {}

double PairWalker::share(const PlanSplit& s, double cell, bool left) const {
  if (std::isnan(cell) && s.missing == Missing::Everywhere) return left ? s.left_share : 1 - s.left_share;
  return goes_left(s, tree_.sets, cell) == left ? 1 : 0;
}

void PairWalker::enter(std::int32_t child) {
  if (child < 0) leaf(tree_.at(child));
  else stack_.push_back({child, 0, 1, 1});
}

void PairWalker::add(const CellRows& rows, std::size_t row, const CellRows& others, std::size_t other, double scale,
                     double* phi, std::size_t step, bool pairs) {
  scale_ = scale, phi_ = phi, step_ = step, columns_ = 0, pairs_ = pairs;
  if (tree_.tree.root >= 0) stack_.push_back({tree_.tree.root, 0, 1, 1});
  while (!stack_.empty()) {
    Frame& at = stack_.back();
    const PlanSplit& s = tree_.tree.splits[at.split];
    const bool first = s.above < 0;
    if (at.turn == 0) {
      column_[s.slot] = s.column;
      if (!first) at.o = o_[s.slot], at.z = z_[s.slot];
    }
    if (at.turn == 2) {
      o_[s.slot] = at.o, z_[s.slot] = at.z;
      stack_.pop_back();
      continue;
    }
    const bool left = at.turn++ == 0;
    const double o = at.o * share(s, rows.at(s.cells, row), left);
    const double z = at.z * share(s, others.at(s.cells, other), left);
    if (o == 0 && z == 0) continue;  // no coalition comes here
    o_[s.slot] = o, z_[s.slot] = z;
    columns_ = s.slots + (first ? 1 : 0);
    enter(left ? s.left : s.right);
  }
}

void PairWalker::leaf(double value) {
  std::size_t own = 0, others = 0;
  for (std::size_t j = 0; j < columns_; ++j) {
    if ((o_[j] != 0 && o_[j] != 1) || (z_[j] != 0 && z_[j] != 1))
      return pairs_ ? leaf_pairs_in_parts(value) : leaf_in_parts(value);
    if (o_[j] > z_[j]) ++own;
    if (o_[j] < z_[j]) ++others;
  }
  const double size = scale_ * value;
  for (std::size_t j = 0; j < columns_; ++j) {
    if (o_[j] == z_[j]) continue;
    const bool mine = o_[j] > z_[j];
    if (!pairs_) phi_of(j) += mine ? size * weights_(own - 1, others) : -size * weights_(own, others - 1);
    for (std::size_t i = 0; pairs_ && i < j; ++i) {
      if (o_[i] == z_[i]) continue;
      if (mine != (o_[i] > z_[i])) pair_of(i, j) -= size * weights_(own - 1, others - 1);
      else pair_of(i, j) += size * (mine ? weights_(own - 2, others) : weights_(own, others - 2));
    }
  }
}

// phi_j = value (o_j - z_j) integral_0^1 of the product of t o_i + (1 - t) z_i over the other columns i.
void PairWalker::leaf_in_parts(double value) {
  const std::size_t columns = columns_;
  for (std::size_t k = 0; k < q_.point.size(); ++k) {
    const auto factor = [&](std::size_t j) { return q_.point[k] * o_[j] + (1 - q_.point[k]) * z_[j]; };
    before_[0] = after_[columns] = 1;
    for (std::size_t j = 0; j < columns; ++j) before_[j + 1] = before_[j] * factor(j);
    for (std::size_t j = columns; j-- > 0;) after_[j] = after_[j + 1] * factor(j);
    for (std::size_t j = 0; j < columns; ++j)
      phi_of(j) += scale_ * value * q_.weight[k] * (o_[j] - z_[j]) * before_[j] * after_[j + 1];
  }
}

// The same with the product over the columns but two, for each of these the difference o - z.
void PairWalker::leaf_pairs_in_parts(double value) {
  for (std::size_t k = 0; k < q_.point.size(); ++k) {
    const auto factor = [&](std::size_t j) { return q_.point[k] * o_[j] + (1 - q_.point[k]) * z_[j]; };
    for (std::size_t i = 1; i < columns_; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double product = scale_ * value * q_.weight[k] * (o_[i] - z_[i]) * (o_[j] - z_[j]);
        for (std::size_t l = 0; l < columns_; ++l)
          if (l != i && l != j) product *= factor(l);
        pair_of(i, j) += product;
      }
  }
}

double PairWalker::score(const CellRows& rows, std::size_t row) {
  struct Part {
    std::int32_t child;
    double share;
  };
  std::vector<Part> parts{{tree_.tree.root, 1.0}};
  double sum = 0;
  while (!parts.empty()) {
    const auto [child, part] = parts.back();
    parts.pop_back();
    if (child < 0) {
      sum += part * tree_.at(child);
      continue;
    }
    const PlanSplit& s = tree_.tree.splits[child];
    const double left = share(s, rows.at(s.cells, row), true);
    if (left < 1) parts.push_back({s.right, part * (1 - left)});
    if (left > 0) parts.push_back({s.left, part * left});
  }
  return sum;
}

}  // namespace wald
