// Several numbers of a row at once: each has its own loss, and they meet only in the mean of what is measured.
#include <algorithm>
#include <memory>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "loss/objective.h"

namespace wald {
namespace {

using Rows = Objective::Rows;
using Scores = Objective::Scores;

// The scores of one output, at the places of these rows.
std::vector<double> scores_of(Rows rows, Scores score, std::size_t output, std::size_t outputs) {
  std::vector<double> out(score.size() / outputs);
  parallel_for(rows.size(), 1u << 13, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[rows[i]] = score[rows[i] * outputs + output];
  });
  return out;
}

// What the best constant score of each measures on all rows.
std::vector<double> constants(const std::vector<Objective>& each, std::size_t rows) {
  std::vector<Row> all(rows);
  std::iota(all.begin(), all.end(), Row{0});
  std::vector<double> out;
  for (const Objective& one : each) {
    const double measured = one.measured(all, std::vector<double>(rows, one.start(all).score[0]));
    out.push_back(measured > 0 ? measured : 1);
  }
  return out;
}

}  // namespace

Objective objective_of_each(std::vector<Objective> given, const Targets& all, bool relative) {
  WALD_CHECK(!given.empty());
  const auto each = std::make_shared<const std::vector<Objective>>(std::move(given));
  const std::size_t outputs = each->size();
  const std::vector<double> whole = relative ? constants(*each, all.y.size()) : std::vector<double>(outputs, 1);
  const Objective& first = each->front();
  Objective out{.targets = &all,
                .outputs = static_cast<int>(outputs),
                .score = first.score,
                .measure = (relative ? "relative_" : "") + first.measure,
                .longest_step = first.longest_step};
  for (const Objective& one : *each) out.quantile.insert(out.quantile.end(), one.quantile.begin(), one.quantile.end());
  out.start = [each](Rows rows) {
    Start start;
    for (const Objective& one : *each) {
      const Start own = one.start(rows);
      start.score.push_back(own.score[0]);
      start.spread.push_back(own.spread.empty() ? 1 : own.spread[0]);
    }
    return start;
  };
  out.slopes = [each, outputs](Rows rows, Scores score, std::span<double> g, std::span<double> h) {
    const std::size_t count = g.size() / outputs;
    for (std::size_t k = 0; k < outputs; ++k)
      (*each)[k].slopes(rows, scores_of(rows, score, k, outputs), g.subspan(k * count, count),
                        h.subspan(k * count, count));
  };
  out.measured = [each, outputs, whole](Rows rows, Scores score) {
    double sum = 0;
    for (std::size_t k = 0; k < outputs; ++k)
      sum += (*each)[k].measured(rows, scores_of(rows, score, k, outputs)) / whole[k];
    return sum / static_cast<double>(outputs);
  };
  return out;
}

}  // namespace wald
