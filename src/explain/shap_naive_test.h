// Shapley values straight from their definition: every coalition of columns, every tree walked by recursion.
#pragma once
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "model/cells.h"
#include "tree/figures.h"
#include "wald/explain.h"

namespace wald::naive {

inline double close_to(double value) { return 1e-9 * std::max(1.0, std::abs(value)); }

using Cells = std::vector<double>;             // of one row, in the model's order; NaN = missing
using Game = std::function<double(unsigned)>;  // of a coalition, a bit a column

inline std::vector<Cells> rows_of(const Model& model, const Table& table) {
  const Matched matched = *match(model.schema, table);
  std::vector<Cells> rows(table.rows, Cells(matched.columns.size()));
  std::vector<double> room(table.rows);
  for (std::size_t c = 0; c < matched.columns.size(); ++c) {
    const double* cell = cells_of(matched.columns[c], 0, table.rows, room.data());
    for (std::size_t row = 0; row < table.rows; ++row) rows[row][c] = cell[row];
  }
  return rows;
}

// A tree with the covers of all its nodes.
struct Tree {
  const Forest* forest;
  TreeView view;
  std::vector<double> cover;
};
inline std::vector<Tree> trees_of(const Forest& forest) {
  std::vector<Tree> out;
  for (std::size_t t = 0; t < forest.trees(); ++t)
    out.push_back({&forest, forest.tree(t), forest.covered ? covers(forest.tree(t)) : std::vector<double>{}});
  return out;
}

inline double part(const Tree& tree, const Node& node, std::uint32_t way) { return share_of(tree.cover, node, way); }

// How much of a row goes to a child. Where surrogates place it, that is known with the node's own column.
inline double goes(const Tree& tree, const Node& node, const Cells& row, std::uint32_t way) {
  const double cell = row[node.column()];
  std::uint32_t to = node.missing();
  if (std::isnan(cell) && to == kMissingAsks) {
    for (const Surrogate& s : tree.forest->surrogates_of(node)) {
      if (s.is_last()) return s.ref == way;
      const double x = row[s.column()];
      if (std::isnan(x)) continue;
      const bool first = s.test() == Test::Threshold ? x <= tree.forest->cuts[s.column()][s.ref]
                                                     : tree.forest->set_has(s.ref, static_cast<std::int32_t>(x));
      return (first != s.turned() ? 0u : 1u) == way;
    }
  }
  if (std::isnan(cell) && to == kMissingEverywhere) return part(tree, node, way);
  if (!std::isnan(cell)) {
    if (node.test() == Test::Threshold) to = !(cell <= tree.forest->cuts[node.column()][node.ref]);
    else if (node.test() == Test::Set) to = !tree.forest->set_has(node.ref, static_cast<std::int32_t>(cell));
    else to = static_cast<std::uint32_t>(cell);
  }
  return to == way;
}

// The row's columns in the coalition are known; the others come from `other`, or where that is null are averaged.
// Leaves say their constants.
inline double walk(const Tree& tree, std::uint32_t k, const Cells& row, const Cells* other, unsigned coalition,
                   std::size_t output) {
  const Node& node = tree.view.nodes[k];
  if (node.is_leaf()) return tree.forest->values_of(node)[tree.view.output == kAllOutputs ? output : 0];
  double sum = 0;
  for (std::uint32_t w = 0; w < node.ways(); ++w) {
    const std::uint32_t column = node.column();
    const bool known = coalition >> column & 1;
    const double share = known              ? goes(tree, node, row, w)
                         : other != nullptr ? goes(tree, node, *other, w)
                                            : part(tree, node, w);
    if (share > 0) sum += share * walk(tree, node.child + w, row, other, coalition, output);
  }
  return sum;
}

inline double score(const std::vector<Tree>& trees, const Forest& forest, const Cells& row, const Cells* other,
                    unsigned coalition, std::size_t output) {
  double sum = forest.base[output];
  for (const Tree& tree : trees)
    if (tree.view.output == kAllOutputs || tree.view.output == output)
      sum += walk(tree, 0, row, other, coalition, output);
  return sum;
}

// What the terms of the leaves that the row reaches add to an output, by column.
inline void add_terms(const Tree& tree, std::uint32_t k, const Cells& row, double share, std::size_t output,
                      std::vector<double>& into) {
  const Node& node = tree.view.nodes[k];
  for (std::uint32_t w = 0; w < node.ways(); ++w)
    if (const double part = share * goes(tree, node, row, w); part > 0)
      add_terms(tree, node.child + w, row, part, output, into);
  if (!node.is_leaf()) return;
  for (const Term& term : tree.forest->terms_of(node))
    if ((tree.view.output == kAllOutputs ? term.output : tree.view.output) == output)
      into[term.column] += share * term.at(row[term.column]);
}
inline std::vector<double> terms_of(const Forest& forest, const Cells& row, std::size_t output) {
  std::vector<double> out(row.size());
  for (const Tree& tree : trees_of(forest)) add_terms(tree, 0, row, 1, output, out);
  return out;
}

inline Game path_game(const Forest& forest, const Cells& row, std::size_t output) {
  return [&forest, trees = trees_of(forest), row, output](unsigned coalition) {
    return score(trees, forest, row, nullptr, coalition, output);
  };
}
inline Game background_game(const Forest& forest, const Cells& row, const std::vector<Cells>& background,
                            std::size_t output) {
  return [&forest, trees = trees_of(forest), row, &background, output](unsigned coalition) {
    double sum = 0;
    for (const Cells& other : background) sum += score(trees, forest, row, &other, coalition, output);
    return sum / static_cast<double>(background.size());
  };
}

inline double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

struct Values {
  double base = 0;
  std::vector<double> value, pair;  // columns; columns x columns with the main effects on the diagonal
};

inline Values shapley(const Game& game, int columns) {
  std::vector<double> of(1u << columns);
  for (unsigned s = 0; s < of.size(); ++s) of[s] = game(s);
  const auto n = static_cast<std::size_t>(columns);
  Values out{of[0], std::vector<double>(n), std::vector<double>(n * n)};
  for (unsigned s = 0; s < of.size(); ++s) {
    const int size = std::popcount(s);
    for (std::size_t i = 0; i < n; ++i) {
      if (s >> i & 1) continue;
      const unsigned si = s | 1u << i;
      out.value[i] += factorial(size) * factorial(columns - size - 1) / factorial(columns) * (of[si] - of[s]);
      for (std::size_t j = 0; j < n; ++j)
        if (i != j && !(s >> j & 1))
          out.pair[i * n + j] += factorial(size) * factorial(columns - size - 2) / (2 * factorial(columns - 1)) *
                                 (of[si | 1u << j] - of[si] - of[s | 1u << j] + of[s]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.pair[i * n + i] = out.value[i];
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) out.pair[i * n + i] -= out.pair[i * n + j];
  }
  return out;
}

}  // namespace wald::naive
