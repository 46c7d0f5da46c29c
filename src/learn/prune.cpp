#include "learn/prune.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "tree/criterion.h"

namespace wald {
namespace {

double weight_of(const Task& task, Row row) {
  return task.weight.empty() ? 1.0 : times_power(static_cast<double>(task.weight[row]), -kWeightBits);
}

double total_weight(const Task& task, const std::vector<Row>& rows) {
  std::int64_t sum = 0;
  for (const Row r : rows) sum += task.weight.empty() ? std::int64_t{1} << kWeightBits : task.weight[r];
  return times_power(static_cast<double>(sum), -kWeightBits);
}

std::span<const double> values_at(const Tree& tree, std::size_t node) {
  const auto outputs = static_cast<std::size_t>(tree.outputs);
  return std::span(tree.values).subspan(node * outputs, outputs);
}

// Classes: the most probable one. Numbers: which of the different values.
std::vector<std::int32_t> labels_of(const Tree& tree) {
  std::vector<std::int32_t> label(tree.nodes.size());
  if (tree.outputs == 1) {
    std::vector<double> distinct = tree.values;
    std::ranges::sort(distinct);
    for (std::size_t n = 0; n < label.size(); ++n)
      label[n] = static_cast<std::int32_t>(std::ranges::lower_bound(distinct, tree.values[n]) - distinct.begin());
    return label;
  }
  for (std::size_t n = 0; n < label.size(); ++n)
    label[n] = static_cast<std::int32_t>(std::ranges::max_element(values_at(tree, n)) - values_at(tree, n).begin());
  return label;
}

ClassCounts counts_of(const Task& task) {
  return {
      .label = task.classes().code, .row_weight = task.weight, .classes = static_cast<int>(task.classes().name.size())};
}

// Weight and wrong weight of each node's rows, were it a leaf with the label it has.
struct Errors {
  std::vector<double> weight, wrong;
};
Errors class_errors(const Prunable& p, const Tree& tree, const std::vector<Row>& rows) {
  const ClassCounts counts = counts_of(p.task);
  const std::vector<std::int64_t> sums = node_sums(tree, p.x, rows, counts);
  const std::vector<std::int32_t> label = labels_of(tree);
  const auto classes = static_cast<std::size_t>(counts.classes);
  Errors out{std::vector<double>(label.size()), std::vector<double>(label.size())};
  for (std::size_t n = 0; n < label.size(); ++n) {
    const Sums here(sums.data() + n * classes, classes);
    out.weight[n] = counts.weight(here);
    out.wrong[n] =
        static_cast<double>(ClassCounts::total(here) - here[static_cast<std::size_t>(label[n])]) * counts.unit();
  }
  return out;
}

// The losses of the rows that pass each node, were it a leaf. Rows ascend, so that the sums do not depend on threads.
std::vector<double> losses(const Prunable& p, const Tree& tree, const std::vector<Row>& rows,
                           const Prunable::Loss& loss) {
  const Parents parent = parents_of(tree);
  std::vector<double> out(tree.nodes.size());
  for (const Row row : rows)
    for (std::uint32_t n = leaf_of(tree, p.x, row);; n = parent[n]) {
      out[n] += weight_of(p.task, row) * loss(n, row);
      if (n == 0) break;
    }
  return out;
}

PrunePath path_of(const Prunable& p, const Tree& tree, const std::vector<Row>& rows) {
  const Parents parent = parents_of(tree);
  PrunePath path = p.risk ? cost_complexity(parent, losses(p, tree, rows, p.risk(tree)))
                          : cost_complexity(parent, risk_of_gains(parent, tree.gain));
  const double all = total_weight(p.task, rows);
  for (PruneStep& step : path.steps) step.alpha /= all, step.risk /= all;
  for (double& c : path.collapse) c /= all;
  return path;
}

// Adds the losses of held-out rows under the trees of the prices `beta`. A row ends at `node` for the prices from the
// node's own collapse up to its parent's, so each node of its way adds to one run of prices.
struct Held {
  std::vector<double> loss, square;  // running differences over the prices
};
void add_losses(const Prunable& p, const Tree& tree, const PrunePath& path, std::span<const Row> rows,
                const std::vector<double>& beta, Held& held) {
  const Parents parent = parents_of(tree);
  const Prunable::Loss loss_of = p.loss(tree);
  std::vector<std::size_t> from(tree.nodes.size(), 0);
  for (std::size_t n = 0; n < from.size(); ++n)
    if (tree.nodes[n].test != Test::Leaf)
      from[n] = static_cast<std::size_t>(std::ranges::lower_bound(beta, path.collapse[n]) - beta.begin());
  for (const Row row : rows) {
    const double weight = weight_of(p.task, row);
    for (std::uint32_t n = leaf_of(tree, p.x, row);; n = parent[n]) {
      const std::size_t to = n == 0 ? beta.size() : from[parent[n]];
      if (from[n] < to) {
        const double loss = loss_of(n, row);
        held.loss[from[n]] += weight * loss, held.loss[to] -= weight * loss;
        held.square[from[n]] += weight * loss * loss, held.square[to] -= weight * loss * loss;
      }
      if (n == 0) break;
    }
  }
}

// The price that stands for a step of the path in other trees: the geometric mean of where it begins and ends.
std::vector<double> prices(const std::vector<PruneStep>& steps) {
  std::vector<double> beta;
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) beta.push_back(std::sqrt(steps[k].alpha * steps[k + 1].alpha));
  beta.push_back(kUnlimited);
  return beta;
}

void cross_validate(const Prunable& p, const std::vector<Row>& rows, const std::vector<int>& fold,
                    const PruneOptions& how, const Run& run, PruneTable& table) {
  const std::vector<double> beta = prices(table.path.steps);
  const auto folds = static_cast<std::size_t>(1 + *std::ranges::max_element(fold));
  std::vector<Held> part(folds, Held{std::vector<double>(beta.size() + 1), std::vector<double>(beta.size() + 1)});
  Run quiet = run;
  quiet.progress = {};
  std::mutex telling;
  std::uint64_t done = 0;
  parallel_for(folds, 1, [&](std::size_t k, std::size_t) {
    if (run.stopped()) return;
    std::vector<Row> train, test;
    for (std::size_t i = 0; i < rows.size(); ++i) (fold[i] == static_cast<int>(k) ? test : train).push_back(rows[i]);
    if (!train.empty() && !test.empty()) {
      Tree tree = p.grow(train, quiet);
      fit_bins_to_thresholds(tree, p.x);
      add_losses(p, tree, path_of(p, tree, train), test, beta, part[k]);
    }
    const std::lock_guard lock(telling);
    if (++done; run.progress) run.progress({.stage = "pruning", .done = done, .total = folds});
  });
  Held held = std::move(part[0]);
  for (std::size_t k = 1; k < folds; ++k)
    for (std::size_t i = 0; i <= beta.size(); ++i) held.loss[i] += part[k].loss[i], held.square[i] += part[k].square[i];
  std::partial_sum(held.loss.begin(), held.loss.end(), held.loss.begin());
  std::partial_sum(held.square.begin(), held.square.end(), held.square.begin());
  const double all = total_weight(p.task, rows);
  for (std::size_t k = 0; k < beta.size(); ++k) {
    table.loss.push_back(held.loss[k] / all);
    table.error.push_back(std::sqrt(std::max(0.0, held.square[k] - held.loss[k] * held.loss[k] / all)) / all);
  }
  const auto least = static_cast<std::size_t>(std::ranges::min_element(table.loss) - table.loss.begin());
  const double enough = table.loss[least] + (how.prune_rule == PruneRule::OneError ? table.error[least] : 0);
  for (table.chosen = table.loss.size() - 1; table.loss[table.chosen] > enough;) --table.chosen;
}

std::vector<bool> pessimistic_leaves(const Prunable& p, const Tree& tree, const std::vector<Row>& rows,
                                     double confidence) {
  const Errors errors = class_errors(p, tree, rows);
  const Pessimist pessimist(confidence);
  std::vector<double> cost(errors.weight.size());
  for (std::size_t n = 0; n < cost.size(); ++n) cost[n] = pessimist.estimate(errors.weight[n], errors.wrong[n]);
  return cheaper_as_leaf(parents_of(tree), cost, 1e-9);
}

std::vector<bool> reduced_leaves(const Prunable& p, const Tree& tree, const std::vector<Row>& aside) {
  const std::vector<double> cost = losses(p, tree, aside, p.loss(tree));
  return cheaper_as_leaf(parents_of(tree), cost, 1e-12 * cost[0]);
}

// Places among the rows, class by class, each class in a drawn order.
std::vector<std::size_t> drawn_by_class(const Task& task, const std::vector<Row>& rows, std::uint64_t seed) {
  const Random random(seed, Purpose::Prune);
  std::vector<std::pair<std::int32_t, std::uint64_t>> key;
  for (const Row r : rows) key.emplace_back(task.classifies() ? task.classes().code[r] : 0, random.bits(r));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(key[i], i); });
  return order;
}

Tree grow_reduced(const Prunable& p, const std::vector<Row>& rows, const PruneOptions& how, const Run& run) {
  const auto due = [&](std::size_t i) { return std::floor(static_cast<double>(i) * how.prune_share); };
  std::vector<Row> train, aside;
  std::size_t dealt = 0;
  for (const std::size_t i : drawn_by_class(p.task, rows, run.seed)) {
    (due(dealt + 1) > due(dealt) ? aside : train).push_back(rows[i]);
    ++dealt;
  }
  std::ranges::sort(train), std::ranges::sort(aside);
  if (train.empty() || aside.empty()) return p.grow(rows, run);
  Tree tree = p.grow(train, run);
  fit_bins_to_thresholds(tree, p.x);
  return cut(tree, p.x, reduced_leaves(p, tree, aside));
}

Tree grow_by_rule(const Prunable& p, const std::vector<Row>& rows, const PruneOptions& how, const Run& run) {
  if (how.prune == Prune::Reduced) return grow_reduced(p, rows, how, run);
  Tree tree = p.grow(rows, run);
  if (how.prune == Prune::Pessimistic) return cut(tree, p.x, pessimistic_leaves(p, tree, rows, how.confidence));
  if (how.prune == Prune::None || tree.nodes.size() == 1) return tree;
  if (how.alpha >= 0) return cut(tree, p.x, path_of(p, tree, rows).at(how.alpha));
  const int folds = std::min<int>(how.prune_folds, static_cast<int>(std::min<std::size_t>(rows.size(), 1000)));
  const PruneTable table = prune_table(p, tree, rows, deal_folds(p.task, rows, folds, run.seed), how, run);
  return cut(tree, p.x, table.path.at(table.path.steps[table.chosen].alpha));
}

}  // namespace

// Classes alike in every fold: rows are dealt out class by class.
std::vector<int> deal_folds(const Task& task, const std::vector<Row>& rows, int folds, std::uint64_t seed) {
  std::vector<int> fold(rows.size());
  int next = 0;
  for (const std::size_t i : drawn_by_class(task, rows, seed)) fold[i] = next, next = (next + 1) % folds;
  return fold;
}

Prunable::Loss wrong_class(const Tree& tree, const Task& task) {
  return [label = labels_of(tree), &task](std::uint32_t node, Row row) {
    return label[node] == task.classes().code[row] ? 0.0 : 1.0;
  };
}

Prunable::Loss number_loss(const Tree& tree, const Task& task, bool absolute) {
  return [&tree, &task, absolute](std::uint32_t node, Row row) {
    const double error = task.numbers()[row] - tree.values[node];
    return absolute ? std::fabs(error) : error * error;
  };
}

PruneTable prune_table(const Prunable& p, const Tree& tree, const std::vector<Row>& rows, const std::vector<int>& fold,
                       const PruneOptions& how, const Run& run) {
  PruneTable table{.path = path_of(p, tree, rows), .loss = {}, .error = {}};
  if (!p.risk) {  // known so far only above that of all leaves
    const double gained = std::accumulate(tree.gain.begin(), tree.gain.end(), 0.0);
    const double rest = (p.impurity(rows) - gained) / total_weight(p.task, rows);
    for (PruneStep& step : table.path.steps) step.risk += rest;
  }
  if (!fold.empty()) cross_validate(p, rows, fold, how, run, table);
  return table;
}

Tree grow_pruned(const Prunable& p, const std::vector<Row>& rows, const PruneOptions& how, const Run& run) {
  Tree tree = grow_by_rule(p, rows, how, run);
  if (how.merge_leaves) return cut(tree, p.x, agreeing(parents_of(tree), labels_of(tree)));
  return tree;
}

}  // namespace wald
