#include "tree/leaf_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/elementary.h"
#include "core/fixed.h"
#include "core/parallel.h"
#include "tree/solve.h"

namespace wald {
namespace {

double logistic(double score) { return 1 / (1 + exp_exact(-score)); }

struct LeafColumn {  // a column of a node, as the model sees it
  std::uint32_t column = 0;
  double mean = 0, deviation = 0, low = 0, high = 0, correlation = 0;
};

class Fitter {
 public:
  Fitter(const Task& task, const LeafModelOptions& how) : task_(task), how_(how) {
    for (std::uint32_t c = 0; c < task.x.columns.size(); ++c)
      if (task.x.columns[c].type() == ColumnType::Number)
        column_.push_back(c), value_.push_back(task.x.columns[c].numbers().to_doubles());
  }

  double target(Row r) const {
    return how_.logistic ? static_cast<double>(task_.classes().code[r]) : task_.numbers()[r];
  }
  double weight(Row r) const {
    return task_.weight.empty() ? 1.0 : times_power(static_cast<double>(task_.weight[r]), -kWeightBits);
  }

  // value: the model's answer where every column is at its mean.
  void fit(std::span<const Row> rows, std::uint32_t node, double& value, std::vector<LeafTerm>& terms) const {
    double all = 0, sum = 0;
    for (const Row r : rows) all += weight(r), sum += weight(r) * target(r);
    const double mean = sum / all;
    std::vector<LeafColumn> used = standards(rows, mean);
    const std::vector<double> z = design(rows, used);
    std::vector<double> slope =
        how_.logistic ? fit_logistic(rows, z, used.size(), value) : fit_linear(rows, z, used.size(), mean);
    if (!how_.logistic) value = mean;
    for (std::size_t j = 0; j < slope.size(); ++j) {
      const LeafColumn& s = used[j];
      constexpr double kFar = std::numeric_limits<double>::max();
      terms.push_back({node,
                       {.column = s.column,
                        .output = 0,
                        .slope = slope[j] / s.deviation,
                        .centre = s.mean,
                        .low = how_.extrapolate ? -kFar : s.low,
                        .high = how_.extrapolate ? kFar : s.high}});
    }
  }

 private:
  // The columns that vary among the rows, those most correlated with the target first chosen, then in their own order.
  std::vector<LeafColumn> standards(std::span<const Row> rows, double mean) const {
    std::vector<LeafColumn> out;
    for (std::size_t c = 0; c < column_.size(); ++c) {
      LeafColumn s = standard(rows, c, mean);
      if (s.deviation > 0) out.push_back(s);
    }
    const auto most = std::min(out.size(), static_cast<std::size_t>(how_.most_terms));
    std::ranges::stable_sort(out, std::greater{}, [](const LeafColumn& s) { return std::fabs(s.correlation); });
    out.resize(std::min(most, rows.size() / 2));
    std::ranges::sort(out, {}, &LeafColumn::column);
    return out;
  }

  LeafColumn standard(std::span<const Row> rows, std::size_t c, double target_mean) const {
    const std::vector<double>& x = value_[c];
    LeafColumn s{.column = column_[c], .low = std::numeric_limits<double>::infinity(), .high = -s.low};
    double all = 0, sum = 0;
    for (const Row r : rows)
      if (std::isfinite(x[r])) {
        all += weight(r), sum += weight(r) * x[r];
        s.low = std::min(s.low, x[r]), s.high = std::max(s.high, x[r]);
      } else if (std::isinf(x[r])) {
        return {};
      }
    if (!(s.low < s.high) || !std::isfinite(s.high - s.low)) return {};
    s.mean = sum / all;
    double squares = 0, product = 0;
    for (const Row r : rows)
      if (!std::isnan(x[r])) {
        squares += weight(r) * (x[r] - s.mean) * (x[r] - s.mean);
        product += weight(r) * (x[r] - s.mean) * (target(r) - target_mean);
      }
    s.deviation = std::sqrt(squares / all);
    s.correlation = s.deviation > 0 ? product / all / s.deviation : 0;
    const bool sound = s.deviation > 1e-12 * (std::fabs(s.low) + std::fabs(s.high)) && std::isfinite(s.deviation);
    return sound ? s : LeafColumn{};
  }

  std::vector<double> design(std::span<const Row> rows, const std::vector<LeafColumn>& used) const {
    std::vector<double> z;
    z.reserve(rows.size() * used.size());
    for (const Row r : rows)
      for (const LeafColumn& s : used) {
        const auto c = static_cast<std::size_t>(std::ranges::lower_bound(column_, s.column) - column_.begin());
        const double x = value_[c][r];
        z.push_back(std::isnan(x) ? 0 : (x - s.mean) / s.deviation);
      }
    return z;
  }

  std::vector<double> fit_linear(std::span<const Row> rows, const std::vector<double>& z, std::size_t terms,
                                 double mean) const {
    std::vector<double> a(terms * terms), b(terms), slope;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double* x = z.data() + i * terms;
      const double w = weight(rows[i]), y = target(rows[i]) - mean;
      for (std::size_t j = 0; j < terms; ++j) {
        b[j] += w * x[j] * y;
        for (std::size_t k = 0; k <= j; ++k) a[j * terms + k] += w * x[j] * x[k];
      }
    }
    for (std::size_t j = 0; j < terms; ++j) {
      a[j * terms + j] += how_.ridge;
      for (std::size_t k = 0; k < j; ++k) a[k * terms + j] = a[j * terms + k];
    }
    return terms > 0 && solve(std::move(a), std::move(b), slope) ? slope : std::vector<double>{};
  }

  // Newton's method on the penalised likelihood. Half a row of either class at the mean keeps the intercept finite
  // where all rows are of one class.
  std::vector<double> fit_logistic(std::span<const Row> rows, const std::vector<double>& z, std::size_t terms,
                                   double& intercept) const {
    const std::size_t n = terms + 1;
    std::vector<double> beta(n, 0.0), step;
    double before = objective(rows, z, beta);
    for (int round = 0; round < 50; ++round) {
      std::vector<double> a(n * n), b(n);
      newton(rows, z, beta, a, b);
      if (!solve(std::move(a), std::move(b), step)) break;
      double size = 1, now = 0;
      std::vector<double> next(n);
      for (;; size /= 2) {
        for (std::size_t j = 0; j < n; ++j) next[j] = beta[j] + size * step[j];
        now = objective(rows, z, next);
        if (now <= before || size < 1e-6) break;
      }
      if (!(now < before)) break;
      beta = next;
      if (before - now < 1e-12 * (1 + std::fabs(before))) break;
      before = now;
    }
    intercept = beta[0];
    return {beta.begin() + 1, beta.end()};
  }
  static double score(const double* x, const std::vector<double>& beta) {
    double sum = beta[0];
    for (std::size_t j = 1; j < beta.size(); ++j) sum += beta[j] * x[j - 1];
    return sum;
  }
  static double loss(double score, bool second) {  // -log of the class's probability
    const double m = second ? -score : score;
    return m > 0 ? m + log_exact(1 + exp_exact(-m)) : log_exact(1 + exp_exact(m));
  }
  double objective(std::span<const Row> rows, const std::vector<double>& z, const std::vector<double>& beta) const {
    double sum = 0.5 * (loss(beta[0], true) + loss(beta[0], false));
    for (std::size_t j = 1; j < beta.size(); ++j) sum += how_.ridge / 2 * beta[j] * beta[j];
    for (std::size_t i = 0; i < rows.size(); ++i)
      sum += weight(rows[i]) * loss(score(z.data() + i * (beta.size() - 1), beta), target(rows[i]) > 0);
    return sum;
  }
  void newton(std::span<const Row> rows, const std::vector<double>& z, const std::vector<double>& beta,
              std::vector<double>& a, std::vector<double>& b) const {
    const std::size_t n = beta.size();
    const double p0 = logistic(beta[0]);
    a[0] = std::max(p0 * (1 - p0), 1e-10), b[0] = 0.5 - p0;
    for (std::size_t j = 1; j < n; ++j) a[j * n + j] = how_.ridge, b[j] = -how_.ridge * beta[j];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double* x = z.data() + i * (n - 1);
      const double p = logistic(score(x, beta)), w = weight(rows[i]), curve = w * std::max(p * (1 - p), 1e-10),
                   pull = w * (target(rows[i]) - p);
      for (std::size_t j = 0; j < n; ++j) {
        const double xj = j == 0 ? 1 : x[j - 1];
        b[j] += pull * xj;
        for (std::size_t k = 0; k <= j; ++k) a[j * n + k] += curve * xj * (k == 0 ? 1 : x[k - 1]);
      }
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < j; ++k) a[k * n + j] = a[j * n + k];
  }

  const Task& task_;
  const LeafModelOptions& how_;
  std::vector<std::uint32_t> column_;       // of numbers
  std::vector<std::vector<double>> value_;  // theirs
};

}  // namespace

void fit_leaf_models(Tree& tree, const Binned& x, const Task& task, std::vector<Row> rows,
                     const LeafModelOptions& how) {
  const Fitter fitter(task, how);
  std::ranges::sort(rows);
  std::vector<std::vector<Row>> at(tree.nodes.size());
  at[0] = std::move(rows);
  std::vector<double> value(tree.nodes.size());
  std::vector<std::vector<LeafTerm>> terms(tree.nodes.size());
  // A level at a time: its nodes hold each row once.
  for (std::size_t first = 0, last = 1; first < last;) {
    parallel_for(last - first, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = first + begin; n < first + end; ++n)
        fitter.fit(at[n], static_cast<std::uint32_t>(n), value[n], terms[n]);
    });
    std::size_t next = last;
    for (std::size_t n = first; n < last; ++n) {
      if (tree.nodes[n].test != Test::Leaf)
        for (const Row r : at[n]) at[child_of(tree, x, static_cast<std::uint32_t>(n), r)].push_back(r);
      at[n] = {};
      next += tree.nodes[n].ways();
    }
    first = last, last = next;
  }
  tree.outputs = 1;
  tree.values = std::move(value);
  tree.terms.clear();
  for (const auto& t : terms) tree.terms.insert(tree.terms.end(), t.begin(), t.end());
}

NodeModels::NodeModels(const Tree& tree, const Table& table)
    : tree_(tree), table_(table), first_(tree.nodes.size() + 1) {
  for (const LeafTerm& t : tree.terms) ++first_[t.node + std::size_t{1}];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

double NodeModels::at(std::uint32_t node, Row row) const {
  double sum = tree_.values[node];
  for (std::size_t i = first_[node]; i < first_[node + std::size_t{1}]; ++i) {
    const Term& term = tree_.terms[i].term;
    sum += term.at(table_.columns[term.column].numbers()[row]);
  }
  return sum;
}

}  // namespace wald
