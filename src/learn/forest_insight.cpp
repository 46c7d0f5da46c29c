// What wald/forests.h promises. Memory: predict_quantiles keeps the training rows of every leaf of every tree.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "learn/forest_bags.h"
#include "loss/objective.h"
#include "model/inputs.h"
#include "model/link.h"
#include "wald/forests.h"

namespace wald {
namespace {

constexpr std::size_t kInsightGrain = 64;

Error no_bags() {
  return usage("every tree of this forest learned from all rows, so none are out of bag",
               "train with --sample bootstrap or subsample");
}

Error stopped() { return {ErrorKind::Interrupted, "interrupted", ""}; }

// What a leaf of one tree says, as a prediction of its own.
struct LeafSays {
  const Forest& forest;
  double share = 1.0 / static_cast<double>(forest.trees());
  double at(std::size_t tree, std::uint32_t leaf, std::size_t output) const {
    return forest.values_of(forest.tree(tree).nodes[leaf])[output] / share;
  }
};

// Trees that leave rows out, and what they saw.
struct Bagged {
  ForestBags bags;
  ForestCells cells;
};
Result<Bagged> bagged(const Model& model, const Task& given, const Run& run) {
  auto bags = ForestBags::of(model, given, run);
  if (!bags) return bags.error();
  if (bags->how().sample == Sample::All) return no_bags();
  auto cells = ForestCells::of_made(model, bags->task().x);
  if (!cells) return cells.error();
  return Bagged{std::move(*bags), std::move(*cells)};
}

}  // namespace

Result<OutOfBag> predict_out_of_bag(const Model& model, const Task& given, const Run& run) {
  const auto found = bagged(model, given, run);
  if (!found) return found.error();
  const ForestBags& bags = found->bags;
  const ForestCells& cells = found->cells;
  const Task& task = bags.task();
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  const LeafSays says{model.forest()};
  OutOfBag out{.predictions = {.rows = task.x.rows, .outputs = model.forest().outputs},
               .trees = std::vector<std::uint32_t>(task.x.rows)};
  std::vector<double>& score = out.predictions.score;
  score.resize(task.x.rows * outputs);
  with_threads(run.threads, [&] {
    for (std::size_t t = 0; t < bags.trees() && !run.stopped(); ++t) {
      const ForestRows::Bag bag = bags.rows().bag(static_cast<std::uint32_t>(t));
      parallel_for(bag.out.size(), kInsightGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const Row r = bag.out[i];
          const std::uint32_t leaf = cells.leaf(t, r);
          for (std::size_t o = 0; o < outputs; ++o) score[r * outputs + o] += says.at(t, leaf, o);
          ++out.trees[r];
        }
      });
    }
    for (std::size_t i = 0; i < score.size(); ++i)
      if (out.trees[i / outputs] > 0) score[i] /= out.trees[i / outputs];
    apply_link(model, out.predictions);
  });
  if (run.stopped()) return stopped();
  const std::vector<Row> left(bags.left().begin(), bags.left().end());
  return left.empty() ? Result(std::move(out)) : of_all_rows(out, left, model, given, run);
}

Result<std::vector<double>> predict_quantiles(const Model& model, const Task& given, const Table& table,
                                              std::span<const double> quantiles, const Run& run) {
  if (given.classifies())
    return usage("quantiles are of numbers, but this forest predicts classes", "leave --interval away");
  const auto bags = ForestBags::of(model, given, run);
  if (!bags) return bags.error();
  const Task& task = bags->task();
  const auto training = ForestCells::of_made(model, task.x), cells = ForestCells::of(model, table);
  if (!training) return training.error();
  if (!cells) return cells.error();
  std::vector<double> out(table.rows * quantiles.size());
  struct Members {  // training rows leaf by leaf, with their weights
    std::vector<std::uint32_t> start;
    std::vector<Row> row;
    std::vector<double> weight;
  };
  std::vector<Members> members(bags->trees());
  const auto weight_of = [&](Row r) { return task.weight.empty() ? 1.0 : static_cast<double>(task.weight[r]); };
  with_threads(run.threads, [&] {
    parallel_for(members.size(), 1, [&](std::size_t t, std::size_t) {
      const ForestRows::Bag bag = bags->rows().bag(static_cast<std::uint32_t>(t));
      const std::span<const Drawn> fills = bag.fill.empty() ? bag.grow : std::span<const Drawn>(bag.fill);
      Members& into = members[t];
      const std::size_t nodes = model.forest().tree(t).nodes.size();
      std::vector<std::uint32_t> leaf;
      std::vector<double> total(nodes);
      into.start.resize(nodes + 1);
      for (const Drawn& d : fills) {
        leaf.push_back(training->leaf(t, d.row));
        ++into.start[leaf.back() + 1], total[leaf.back()] += weight_of(d.row) * d.count;
      }
      std::partial_sum(into.start.begin(), into.start.end(), into.start.begin());
      std::vector<std::uint32_t> at(into.start.begin(), into.start.end() - 1);
      into.row.resize(fills.size()), into.weight.resize(fills.size());
      for (std::size_t i = 0; i < fills.size(); ++i) {
        const std::uint32_t to = at[leaf[i]]++;
        into.row[to] = fills[i].row;
        into.weight[to] = weight_of(fills[i].row) * fills[i].count / total[leaf[i]];
      }
    });
    parallel_for(table.rows, kInsightGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<Weighted> found;
      for (std::size_t r = begin; r < end && !run.stopped(); ++r) {
        found.clear();
        for (std::size_t t = 0; t < members.size(); ++t) {
          const std::uint32_t leaf = cells->leaf(t, r);
          for (std::uint32_t i = members[t].start[leaf]; i < members[t].start[leaf + 1]; ++i)
            found.push_back({task.numbers()[members[t].row[i]], members[t].weight[i]});
        }
        for (std::size_t k = 0; k < quantiles.size(); ++k)
          out[r * quantiles.size() + k] = quantile(found, quantiles[k]);
      }
    });
  });
  if (run.stopped()) return stopped();
  return out;
}

Result<std::vector<double>> standard_errors(const Model& model, const Task& task, const Table& table, const Run& run) {
  const auto bags = ForestBags::of(model, task, run);
  if (!bags) return bags.error();
  const Sample sample = bags->how().sample;
  if (sample == Sample::All || sample == Sample::Balanced)
    return usage("standard errors need trees of --sample bootstrap or subsample", "train such a forest");
  const auto cells = ForestCells::of(model, table);
  if (!cells) return cells.error();
  const std::size_t trees = bags->trees(), n = bags->rows().rows().size();
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  const LeafSays says{model.forest()};
  std::vector<double> out(table.rows * outputs);
  with_threads(run.threads, [&] {
    std::vector<float> centred(trees * n);  // how often a row is in a tree's bag, less its mean; tree by tree
    double drawn = 0;
    for (std::size_t t = 0; t < trees; ++t) {
      const std::vector<std::uint32_t> count = bags->rows().counts(static_cast<std::uint32_t>(t));
      for (std::size_t i = 0; i < n; ++i) centred[t * n + i] = static_cast<float>(count[i]), drawn += count[i];
    }
    drawn /= static_cast<double>(trees);
    const double mean = drawn / static_cast<double>(n), all = static_cast<double>(n), b = static_cast<double>(trees);
    for (float& c : centred) c -= static_cast<float>(mean);
    const bool repeats = sample == Sample::Bootstrap;
    const double variance = repeats ? drawn : drawn * (all - drawn) / all;  // of the counts, summed over rows
    const double factor = repeats || drawn >= all ? 1 : (all - 1) / all * std::pow(all / (all - drawn), 2);
    parallel_for(table.rows, 1, [&](std::size_t r, std::size_t) {
      if (run.stopped()) return;
      std::vector<std::uint32_t> leaf(trees);
      for (std::size_t t = 0; t < trees; ++t) leaf[t] = cells->leaf(t, r);
      std::vector<float> covariance(n);
      for (std::size_t o = 0; o < outputs; ++o) {
        double middle = 0, spread = 0;
        for (std::size_t t = 0; t < trees; ++t) middle += says.at(t, leaf[t], o) / b;
        std::ranges::fill(covariance, 0.0f);
        for (std::size_t t = 0; t < trees; ++t) {
          const double away = says.at(t, leaf[t], o) - middle;
          spread += away * away / b;
          const auto scaled = static_cast<float>(away / b);
          for (std::size_t i = 0; i < n; ++i) covariance[i] += scaled * centred[t * n + i];
        }
        double sum = 0;
        for (const float c : covariance) sum += static_cast<double>(c) * c;
        out[r * outputs + o] = std::sqrt(std::fmax(0, factor * (sum - variance * spread / b)));
      }
    });
  });
  if (run.stopped()) return stopped();
  return out;
}

Result<std::vector<double>> proximity(const Model& model, const Table& table, std::size_t row, const Run& run) {
  const auto cells = ForestCells::of(model, table);
  if (!cells) return cells.error();
  std::vector<double> out(table.rows);
  const std::size_t trees = model.forest().trees();
  with_threads(run.threads, [&] {
    for (std::size_t t = 0; t < trees && !run.stopped(); ++t) {
      const std::vector<std::uint32_t> leaf = cells->leaves(t);
      for (std::size_t r = 0; r < leaf.size(); ++r) out[r] += leaf[r] == leaf[row];
    }
  });
  for (double& p : out) p /= static_cast<double>(trees);
  if (run.stopped()) return stopped();
  return out;
}

namespace {

// One tree's part of the importance of every column.
class TreeImportance {
 public:
  TreeImportance(const Model& model, const Task& task, const ForestCells& cells, std::size_t tree)
      : forest_(model.forest()), task_(task), cells_(cells), tree_(tree), nodes_(forest_.tree(tree).nodes) {}

  // Each step of a row's path moves the tree's answer towards or away from the row's target.
  void add_gain(std::span<const Row> rows, std::vector<double>& into) const {
    const std::vector<double> value = node_values();
    const auto outputs = static_cast<std::size_t>(forest_.outputs);
    const double scale = static_cast<double>(forest_.trees()) / static_cast<double>(rows.size());
    const double centre = task_.classifies() ? 0 : value[0] * static_cast<double>(forest_.trees());
    for (const Row r : rows)
      for (std::uint32_t at = 0; !nodes_[at].is_leaf();) {
        const std::uint32_t next = step(at, r);
        const std::size_t o = task_.classifies() ? static_cast<std::size_t>(task_.classes().code[r]) : 0;
        const double target = task_.classifies() ? 1 : task_.numbers()[r] - centre;
        into[nodes_[at].column()] += scale * target * (value[next * outputs + o] - value[at * outputs + o]);
        at = next;
      }
  }
  // Of the inputs; the columns made of one are shuffled together.
  void add_permutation(std::span<const Row> rows, const Inputs& inputs, const Random& random,
                       std::vector<double>& into) const {
    std::vector<std::vector<bool>> moves(into.size());  // of each input that is asked: the columns made of it
    for (const Node& node : nodes_) {
      if (node.is_leaf()) continue;
      for (const std::size_t input : inputs.of(node.column())) {
        moves[input].resize(inputs.made());
        moves[input][node.column()] = true;
      }
    }
    std::vector<std::uint32_t> leaf;
    double before = 0;
    for (const Row r : rows) before += loss(r, cells_.leaf(tree_, r));
    for (std::uint32_t column = 0; column < moves.size(); ++column) {
      if (moves[column].empty()) continue;
      std::vector<Row> other(rows.begin(), rows.end());
      for (std::size_t i = other.size(); i > 1; --i)
        std::swap(other[i - 1], other[random.below(i, std::uint64_t{column} << 32 | i)]);
      double after = 0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        after += loss(rows[i], cells_.leaf_by(tree_, [&](std::uint32_t c) {
          return cells_.at(c, moves[column][c] ? other[i] : rows[i]);
        }));
      into[column] += (after - before) / static_cast<double>(rows.size());
    }
  }

 private:
  // What every node says: its leaves' values, by the training rows in them.
  std::vector<double> node_values() const {
    const auto outputs = static_cast<std::size_t>(forest_.outputs);
    std::vector<double> value(nodes_.size() * outputs), cover(nodes_.size());
    for (std::size_t n = nodes_.size(); n-- > 0;) {  // children come after their parent
      const Node& node = nodes_[n];
      const std::size_t a = node.child, b = a + 1;
      if (!node.is_leaf()) cover[n] = cover[a] + cover[b];
      else cover[n] = node.cover();
      for (std::size_t o = 0; o < outputs; ++o) {
        if (node.is_leaf()) value[n * outputs + o] = forest_.values_of(node)[o];
        else if (cover[n] > 0)
          value[n * outputs + o] = (cover[a] * value[a * outputs + o] + cover[b] * value[b * outputs + o]) / cover[n];
        else value[n * outputs + o] = (value[a * outputs + o] + value[b * outputs + o]) / 2;
      }
    }
    return value;
  }
  std::uint32_t step(std::uint32_t at, Row r) const {
    const Node& node = nodes_[at];
    const double x = cells_.at(node.column(), r);
    if (x != x) return node.child + node.missing();
    if (node.test() == Test::Threshold) return node.child + !(x <= forest_.cuts[node.column()][node.ref]);
    return node.child + !forest_.set_has(node.ref, static_cast<std::int32_t>(x));
  }
  double loss(Row r, std::uint32_t leaf) const {
    const std::span<const double> says = forest_.values_of(nodes_[leaf]);
    if (task_.classifies()) return std::ranges::max_element(says) - says.begin() != task_.classes().code[r];
    const double away = task_.numbers()[r] - says[0] * static_cast<double>(forest_.trees());
    return away * away;
  }

  const Forest& forest_;
  const Task& task_;
  const ForestCells& cells_;
  const std::size_t tree_;
  std::span<const Node> nodes_;
};

}  // namespace

Result<OutOfBagImportance> out_of_bag_importance(const Model& model, const Task& given, const Run& run) {
  const auto found = bagged(model, given, run);
  if (!found) return found.error();
  const ForestBags& bags = found->bags;
  const Task& task = bags.task();
  const Inputs inputs(model);
  const std::size_t columns = inputs.columns();
  std::vector<OutOfBagImportance> each(bags.trees());
  with_threads(run.threads, [&] {
    parallel_for(each.size(), 1, [&](std::size_t t, std::size_t) {
      each[t].gain.resize(columns), each[t].permutation.resize(columns);
      const ForestRows::Bag bag = bags.rows().bag(static_cast<std::uint32_t>(t));
      if (bag.out.empty() || run.stopped()) return;
      const TreeImportance tree(model, task, found->cells, t);
      std::vector<double> gain(inputs.made());
      tree.add_gain(bag.out, gain);
      each[t].gain = inputs.sums(gain);
      tree.add_permutation(bag.out, inputs, Random(run.seed, Purpose::Permute, static_cast<std::uint32_t>(t)),
                           each[t].permutation);
    });
  });
  if (run.stopped()) return stopped();
  OutOfBagImportance out{std::vector<double>(columns), std::vector<double>(columns)};
  for (const OutOfBagImportance& one : each)
    for (std::size_t c = 0; c < columns; ++c) {
      out.gain[c] += one.gain[c] / static_cast<double>(each.size());
      out.permutation[c] += one.permutation[c] / static_cast<double>(each.size());
    }
  return out;
}

}  // namespace wald
