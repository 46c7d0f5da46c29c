// Losses of rows that are judged together: those of one query, or all that are still at risk.
#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "loss/cox.h"
#include "loss/objective.h"
#include "loss/rank.h"

namespace wald {
namespace {

using Rows = Objective::Rows;
using Scores = Objective::Scores;

// The rows of each query, in their order.
std::vector<std::vector<Row>> queries_of(const Targets& targets, Rows rows) {
  const std::uint32_t most = targets.query.empty() ? 0 : *std::ranges::max_element(targets.query);
  std::vector<std::vector<Row>> out(std::size_t{most} + 1);
  for (const Row r : rows) out[targets.query.empty() ? 0 : targets.query[r]].push_back(r);
  std::erase_if(out, [](const auto& query) { return query.empty(); });
  return out;
}

// Without those of weight 0: a table to stop by may have some.
std::vector<Row> weighted(const Targets& targets, Rows rows) {
  std::vector<Row> out;
  std::ranges::copy_if(rows, std::back_inserter(out), [&](Row r) { return targets.of(r) > 0; });
  return out;
}
double mean_weight(const Targets& targets, Rows rows) {
  double sum = 0;
  for (const Row r : rows) sum += targets.of(r);
  return sum / static_cast<double>(rows.size());
}

std::vector<double> picked(std::span<const double> from, std::span<const Row> rows) {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = from[rows[i]];
  return out;
}

void put(std::span<const Slope> slope, std::span<const Row> rows, const Targets& targets, std::span<double> g,
         std::span<double> h) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double w = targets.of(rows[i]);
    g[rows[i]] = w * slope[i].first, h[rows[i]] = w * slope[i].second;
  }
}

}  // namespace

Objective objective_of(const Rank& rank, const Targets& targets) {
  Objective out{.targets = &targets,
                .measure = rank.measure == RankMeasure::Map ? "map" : "ndcg",
                .more_is_better = true,
                .longest_step = 1};
  out.start = [](Rows) { return Start{{0}}; };
  out.slopes = [rank, &targets](Rows rows, Scores score, std::span<double> g, std::span<double> h) {
    const std::vector<std::vector<Row>> queries = queries_of(targets, rows);
    parallel_for(queries.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        std::vector<Slope> slope(queries[q].size());
        rank.slopes(picked(targets.y, queries[q]), picked(score, queries[q]), slope);
        put(slope, queries[q], targets, g, h);
      }
    });
  };
  // The mean of the queries, each weighing what its rows do on average, as finished models are measured.
  out.measured = [rank, &targets](Rows rows, Scores score) {
    const std::vector<std::vector<Row>> queries = queries_of(targets, weighted(targets, rows));
    std::vector<double> value(queries.size());
    parallel_for(queries.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q)
        value[q] = rank.value(picked(targets.y, queries[q]), picked(score, queries[q]));
    });
    double sum = 0, weight = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (value[q] < 0) continue;  // nothing to find in this one
      const double own = mean_weight(targets, queries[q]);
      sum += own * value[q], weight += own;
    }
    return weight > 0 ? sum / weight : 0;
  };
  return out;
}

Objective objective_of(const Cox&, const Targets& targets) {
  std::vector<Row> order(targets.y.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, {}, [&](Row r) { return std::fabs(targets.y[r]); });
  const auto sorted = [order, &targets](Rows rows) {
    std::vector<bool> in(targets.y.size());
    for (const Row r : rows) in[r] = true;
    std::vector<Row> out;
    std::ranges::copy_if(order, std::back_inserter(out), [&](Row r) { return in[r]; });
    return out;
  };
  const auto weights = [&targets](Rows rows) {
    return targets.weight.empty() ? std::vector<double>(rows.size(), 1) : picked(targets.weight, rows);
  };
  Objective out{.targets = &targets,
                .score = ScoreIs::Log,
                .measure = std::string(Cox::kMeasure),
                .longest_step = Cox::kLongestStep};
  out.start = [](Rows) { return Start{{0}}; };
  out.slopes = [sorted, weights, &targets](Rows given, Scores score, std::span<double> g, std::span<double> h) {
    const std::vector<Row> rows = sorted(given);
    std::vector<Slope> slope(rows.size());
    Cox::slopes(picked(targets.y, rows), picked(score, rows), weights(rows), slope);
    put(slope, rows, targets, g, h);
  };
  out.measured = [sorted, weights, &targets](Rows given, Scores score) {
    const std::vector<Row> rows = sorted(given);
    return Cox::value(picked(targets.y, rows), picked(score, rows), weights(rows));
  };
  return out;
}

}  // namespace wald
