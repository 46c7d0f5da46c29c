// What wald/forests.h promises. Memory: predict_quantiles keeps the training rows of every leaf of every tree.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "learn/forest_bags.h"
#include "learn/forest_leaves.h"
#include "loss/objective.h"
#include "model/link.h"
#include "wald/forests.h"

namespace wald {
namespace {

constexpr std::size_t kInsightGrain = 64;

Error stopped() { return {ErrorKind::Interrupted, "interrupted", ""}; }

// What a leaf of one tree says, as a prediction of its own, scaled by 2^-shift, so that it can be squared and fits into
// a float.
struct LeafSays {
  const Forest& forest;
  int shift = 0;
  double share = 1.0 / static_cast<double>(forest.trees());
  double at(std::size_t tree, std::uint32_t leaf, std::size_t output) const {
    return times_power(forest.values_of(forest.tree(tree).nodes[leaf])[output] / share, -shift);
  }
};

}  // namespace

Result<OutOfBag> predict_out_of_bag(const Model& model, const Task& given, const Run& run) {
  const auto found = BaggedForest::of(model, given, run);
  if (!found) return found.error();
  const ForestBags& bags = found->bags;
  const ForestCells& cells = found->cells;
  const Task& task = bags.task();
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  const VoteUnits units = VoteUnits::of(task, static_cast<int>(model.forest().trees()));
  OutOfBag out{.predictions = {.rows = task.x.rows, .outputs = model.forest().outputs},
               .trees = std::vector<std::uint32_t>(task.x.rows)};
  std::vector<double>& score = out.predictions.score;
  score.resize(task.x.rows * outputs);
  std::vector<std::int64_t> sum(score.size());
  with_threads(run.threads, [&] {
    for (std::size_t t = 0; t < bags.trees() && !run.stopped(); ++t) {
      const ForestRows::Bag bag = bags.rows().bag(static_cast<std::uint32_t>(t));
      for (const std::span<const Row> rows : {bag.out, bags.rows().idle()})
        parallel_for(rows.size(), kInsightGrain, [&](std::size_t begin, std::size_t end) {
          for (const Row r : rows.subspan(begin, end - begin)) {
            const Node& leaf = model.forest().tree(t).nodes[cells.leaf(t, r)];
            for (std::size_t o = 0; o < outputs; ++o)
              sum[r * outputs + o] += units.whole(model.forest().values_of(leaf)[o]);
            ++out.trees[r];
          }
        });
    }
    for (std::size_t i = 0; i < score.size(); ++i)
      if (out.trees[i / outputs] > 0) score[i] = units.mean(sum[i], out.trees[i / outputs]);
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
  for (const double q : quantiles)
    if (!(q >= 0 && q <= 1))
      return usage(fmt::format("{} is no quantile", q), "give numbers from 0 to 1, for example 0.1 and 0.9");
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
        // Each tree gives a weight of 1, in parts such as thirds.
        const double rounding = static_cast<double>(found.size()) * static_cast<double>(members.size()) * 0x1p-52;
        for (std::size_t k = 0; k < quantiles.size(); ++k)
          out[r * quantiles.size() + k] = quantile(found, quantiles[k], rounding);
      }
    });
  });
  if (run.stopped()) return stopped();
  return out;
}

Result<StandardErrors> standard_errors(const Model& model, const Task& task, const Table& table, const Run& run) {
  if (model.calibration.kind != Calibration::Kind::None)
    return usage("standard errors are of the shares that trees give, which --calibrate has moved in this model",
                 "train the forest without --calibrate to ask for them");
  const auto bags = ForestBags::of(model, task, run);
  if (!bags) return bags.error();
  const Sample sample = bags->how().sample;
  if (sample == Sample::All || sample == Sample::Balanced)
    return usage("standard errors need trees of --sample bootstrap or subsample", "train such a forest");
  if (Status some = bags->check_left_out(); !some) return some.error();
  const auto cells = ForestCells::of(model, table);
  if (!cells) return cells.error();
  const std::size_t trees = bags->trees(), n = bags->rows().rows().size();
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  const LeafSays says{model.forest(), VoteUnits::of(task, static_cast<int>(trees)).shift};
  StandardErrors out{.error = std::vector<double>(table.rows * outputs)};
  std::atomic<std::size_t> agreed = 0;
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
        bool alike = true;
        for (std::size_t t = 0; t < trees; ++t) {
          middle += says.at(t, leaf[t], o) / b;
          alike &= says.at(t, leaf[t], o) == says.at(0, leaf[0], o);
        }
        if (alike) ++agreed;
        if (alike) continue;
        std::ranges::fill(covariance, 0.0f);
        for (std::size_t t = 0; t < trees; ++t) {
          const double away = says.at(t, leaf[t], o) - middle;
          spread += away * away / b;
          const auto scaled = static_cast<float>(away / b);
          for (std::size_t i = 0; i < n; ++i) covariance[i] += scaled * centred[t * n + i];
        }
        double sum = 0;
        for (const float c : covariance) sum += static_cast<double>(c) * c;
        const double error = std::sqrt(std::fmax(0, factor * (sum - variance * spread / b)));
        out.error[r * outputs + o] = times_power(error, says.shift);
      }
    });
  });
  if (run.stopped()) return stopped();
  out.agreed = agreed;
  return out;
}

Result<std::vector<double>> proximity(const Model& model, const Table& table, std::size_t row, const Run& run) {
  const std::size_t trees = model.forest().trees();
  if (trees == 0)
    return usage("the model has no trees, so that no rows share a leaf", "ask a model of one tree or more");
  const auto cells = ForestCells::of(model, table);
  if (!cells) return cells.error();
  std::vector<double> out(table.rows);
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

}  // namespace wald
