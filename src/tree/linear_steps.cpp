#include "tree/linear_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "tree/solve.h"

namespace wald {
namespace {

struct Standard {  // a column among the rows of a leaf
  std::uint32_t column = 0;
  double mean = 0, deviation = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

// Without deviation if nothing can be learned from it. Sums run over the rows in their order, which is ascending.
Standard standard_of(std::uint32_t column, std::span<const double> x, std::span<const Row> rows,
                     std::span<const double> h) {
  Standard s{.column = column};
  double all = 0, sum = 0, squares = 0;
  for (const Row r : rows) {
    if (std::isinf(x[r])) return {};
    if (std::isnan(x[r])) continue;
    all += h[r], sum += h[r] * x[r];
    s.low = std::min(s.low, x[r]), s.high = std::max(s.high, x[r]);
  }
  if (!(s.low < s.high) || !std::isfinite(s.high - s.low) || !(all > 0)) return {};
  s.mean = sum / all;
  for (const Row r : rows)
    if (!std::isnan(x[r])) squares += h[r] * (x[r] - s.mean) * (x[r] - s.mean);
  const double deviation = std::sqrt(squares / all);
  const bool sound = deviation > 1e-12 * (std::fabs(s.low) + std::fabs(s.high)) && std::isfinite(deviation);
  s.deviation = sound ? deviation : 0;
  return s;
}

// The columns of numbers asked on the way to each node, ascending.
std::vector<std::vector<std::uint32_t>> columns_above(const Tree& tree, const auto& is_number) {
  std::vector<std::vector<std::uint32_t>> out(tree.nodes.size());
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {  // parents come before their children
    const TreeNode& node = tree.nodes[n];
    if (node.test == Test::Leaf) continue;
    std::vector<std::uint32_t> below = std::move(out[n]);
    const auto at = std::ranges::lower_bound(below, node.column);
    if (is_number(node.column) && (at == below.end() || *at != node.column)) below.insert(at, node.column);
    for (std::uint32_t k = 0; k < node.ways(); ++k) out[node.child + k] = below;
  }
  return out;
}

}  // namespace

LinearSteps::LinearSteps(const Table& table, double ridge, int most_terms)
    : value_(table.columns.size()), ridge_(ridge), most_(static_cast<std::size_t>(most_terms)) {
  parallel_for(table.columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      if (table.columns[c].type() == ColumnType::Number) value_[c] = table.columns[c].numbers().to_doubles();
  });
}

std::vector<LeafTerm> LinearSteps::terms_of(std::uint32_t leaf, double value, std::span<const Row> rows,
                                            std::span<const std::uint32_t> columns, std::span<const double> g,
                                            std::span<const double> h) const {
  std::vector<Standard> used;
  for (const std::uint32_t c : columns)
    if (const Standard s = standard_of(c, value_[c], rows, h);
        s.deviation > 0 && used.size() < std::min(most_, rows.size() / 4))
      used.push_back(s);
  const std::size_t n = used.size();
  std::vector<double> a(n * n), b(n), z(n), slope;
  for (const Row r : rows) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = value_[used[j].column][r];
      z[j] = std::isnan(x) ? 0 : (x - used[j].mean) / used[j].deviation;
    }
    for (std::size_t j = 0; j < n; ++j) {
      b[j] -= z[j] * (g[r] + h[r] * value);
      for (std::size_t k = 0; k <= j; ++k) a[j * n + k] += h[r] * z[j] * z[k];
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    a[j * n + j] += ridge_;
    for (std::size_t k = 0; k < j; ++k) a[k * n + j] = a[j * n + k];
  }
  std::vector<LeafTerm> out;
  if (n == 0 || !solve(std::move(a), std::move(b), slope)) return out;
  for (std::size_t j = 0; j < n; ++j)
    out.push_back({leaf,
                   {.column = used[j].column,
                    .output = 0,
                    .slope = slope[j] / used[j].deviation,
                    .centre = used[j].mean,
                    .low = used[j].low,
                    .high = used[j].high}});
  return out;
}

void LinearSteps::fit(Tree& tree, const GrowSpace& space, std::span<const double> g, std::span<const double> h) const {
  const auto columns = columns_above(tree, [&](std::uint32_t c) { return !value_[c].empty(); });
  std::vector<std::vector<LeafTerm>> terms(tree.nodes.size());
  parallel_for(tree.nodes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      if (tree.nodes[n].test != Test::Leaf || columns[n].empty()) continue;
      const Range range = space.range[n];
      terms[n] = terms_of(static_cast<std::uint32_t>(n), tree.values[n],
                          std::span(space.rows).subspan(range.first, range.last - range.first), columns[n], g, h);
    }
  });
  tree.terms.clear();
  for (const auto& t : terms) tree.terms.insert(tree.terms.end(), t.begin(), t.end());
}

double LinearSteps::at(const Tree& tree, std::span<const std::size_t> first, std::uint32_t leaf, Row row,
                       double value) const {
  if (first.empty()) return value;
  for (std::size_t i = first[leaf]; i < first[leaf + std::size_t{1}]; ++i) {
    const Term& term = tree.terms[i].term;
    value += term.at(value_[term.column][row]);
  }
  return value;
}

std::vector<std::size_t> term_starts(const Tree& tree) {
  if (tree.terms.empty()) return {};
  std::vector<std::size_t> first(tree.nodes.size() + 1);
  for (const LeafTerm& t : tree.terms) ++first[t.node + std::size_t{1}];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

}  // namespace wald
