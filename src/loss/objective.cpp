#include "loss/objective.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/grain.h"
#include "core/parallel.h"
#include "loss/absolute.h"
#include "loss/exponential.h"
#include "loss/gamma.h"
#include "loss/huber.h"
#include "loss/logistic.h"
#include "loss/poisson.h"
#include "loss/quantile.h"
#include "loss/softmax.h"
#include "loss/squared.h"
#include "loss/tweedie.h"

namespace wald {
namespace {

using Rows = Objective::Rows;
using Scores = Objective::Scores;

template <class F>
double weighted_sum(const Targets& targets, Rows rows, F f) {
  return ordered_sum(rows.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += targets.of(rows[i]) * f(rows[i]);
    return sum;
  });
}
double weight_of(const Targets& targets, Rows rows) {
  if (targets.weight.empty()) return static_cast<double>(rows.size());
  return weighted_sum(targets, rows, [](Row) { return 1.0; });
}
// Of some rows' values; the sum of one after the other.
template <ValuesTogether L>
double weighted_sum(const L& loss, const Targets& targets, Rows rows, Scores score) {
  std::array<double, 512> y, f, value;
  double sum = 0;
  for (std::size_t at = 0; at < rows.size(); at += value.size()) {
    const Rows some = rows.subspan(at, std::min(value.size(), rows.size() - at));
    for (std::size_t i = 0; i < some.size(); ++i) y[i] = targets.y[some[i]], f[i] = score[some[i]];
    const auto first = [&](std::array<double, 512>& of) { return std::span(of).first(some.size()); };
    loss.values(first(y), first(f), first(value));
    if (targets.weight.empty())
      for (const double v : first(value)) sum += v;
    else
      for (std::size_t i = 0; i < some.size(); ++i) sum += targets.of(some[i]) * value[i];
  }
  return sum;
}

template <class F>
double weighted_mean(const Targets& targets, Rows rows, F f) {
  return weighted_sum(targets, rows, f) / weight_of(targets, rows);
}

template <class L>
double mean_value(const L& loss, const Targets& targets, Rows rows, Scores score) {
  if constexpr (ValuesTogether<L>) {
    const auto of_block = [&](std::size_t begin, std::size_t end) {
      return weighted_sum(loss, targets, rows.subspan(begin, end - begin), score);
    };
    return ordered_sum(rows.size(), of_block) / weight_of(targets, rows);
  } else {
    return weighted_mean(targets, rows, [&](Row r) { return loss.value(targets.y[r], score[r]); });
  }
}

double quantile_of_targets(const Targets& targets, Rows rows, double q) {
  std::vector<Weighted> y;
  y.reserve(rows.size());
  for (const Row r : rows) y.push_back({targets.y[r], targets.of(r)});
  return quantile(y, q);
}

// Where the slope of the mean loss vanishes: Newton steps, each halved until the loss falls.
template <class L>
double best_constant(const L& loss, const Targets& targets, Rows rows, double from) {
  const auto value = [&](double f) {
    return weighted_sum(targets, rows, [&](Row r) { return loss.value(targets.y[r], f); });
  };
  double f = from, now = value(f);
  for (int step = 0; step < 50; ++step) {
    const double first = weighted_sum(targets, rows, [&](Row r) { return loss.slope(targets.y[r], f).first; });
    const double second =
        weighted_sum(targets, rows, [&](Row r) { return std::fmax(loss.slope(targets.y[r], f).second, 0); });
    double by = second > 0 ? -first / second : -first;
    int halved = 0;
    for (; halved < 40 && !(value(f + by) < now); ++halved) by /= 2;
    if (halved == 40) break;
    now = value(f += by);
  }
  return f;
}

template <class L>
void fill_slopes(const L& loss, const Targets& targets, Rows rows, Scores score, std::span<double> g,
                 std::span<double> h) {
  const auto put = [&](Row r, const Slope& slope) {
    const double w = targets.of(r);
    g[r] = w * slope.first, h[r] = w * slope.second;
  };
  parallel_for(rows.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    if constexpr (SlopesFromExp<L>) {
      std::array<double, 512> e;
      for (std::size_t at = begin; at < end; at += e.size()) {
        const Rows some = rows.subspan(at, std::min(e.size(), end - at));
        for (std::size_t i = 0; i < some.size(); ++i) e[i] = loss.exponent(targets.y[some[i]], score[some[i]]);
        exp_each(std::span(e).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i) put(some[i], loss.slope_at(targets.y[some[i]], e[i]));
      }
    } else {
      for (std::size_t i = begin; i < end; ++i) put(rows[i], loss.slope(targets.y[rows[i]], score[rows[i]]));
    }
  });
}

// Kept from where the score would be infinite, by half a row. An amount above 0 has a logarithm, in whatever unit;
// where all of these are 0, the half row is one of the least amount that any row has.
double inside(double mean, ScoreIs score, const Targets& targets, Rows rows) {
  const double margin = std::fmin(0.5 / weight_of(targets, rows), 0.5);
  if (score == ScoreIs::LogOdds) return std::clamp(mean, margin, 1 - margin);
  if (mean > 0) return mean;
  double least = std::numeric_limits<double>::infinity();
  for (const double y : targets.y)
    if (y > 0) least = std::fmin(least, y);
  return margin * (std::isinf(least) ? 1 : least);
}

double spread_of(const Targets& targets, Rows rows, double start) {
  double most = 0;
  for (const Row r : rows) most = std::fmax(most, std::fabs(targets.y[r] - start));
  return most;
}

template <class L>
double start_of(const L& loss, const Targets& targets, Rows rows) {
  if constexpr (FitsQuantile<L>) {
    return quantile_of_targets(targets, rows, loss.quantile());
  } else if constexpr (StartsAtMean<L>) {
    const double mean = weighted_mean(targets, rows, [&](Row r) { return targets.y[r]; });
    return loss.start(L::kScore == ScoreIs::Value ? mean : inside(mean, L::kScore, targets, rows));
  } else {
    return best_constant(loss, targets, rows, quantile_of_targets(targets, rows, 0.5));
  }
}

}  // namespace

template <Loss L>
Objective objective_of(const L& loss, const Targets& targets) {
  Objective out{
      .targets = &targets, .score = L::kScore, .measure = std::string(L::kMeasure), .longest_step = longest_step<L>()};
  if constexpr (FitsQuantile<L>) out.quantile = {loss.quantile()};
  out.start = [loss, &targets](Rows rows) {
    const double start = start_of(loss, targets, rows);
    return Start{{start}, {L::kScore == ScoreIs::Value ? spread_of(targets, rows, start) : 1}};
  };
  out.slopes = [loss, &targets](Rows rows, Scores score, std::span<double> g, std::span<double> h) {
    fill_slopes(loss, targets, rows, score, g, h);
  };
  out.measured = [loss, &targets](Rows rows, Scores score) {
    return loss.shown(mean_value(loss, targets, rows, score));
  };
  return out;
}

template Objective objective_of(const Squared&, const Targets&);
template Objective objective_of(const Absolute&, const Targets&);
template Objective objective_of(const Huber&, const Targets&);
template Objective objective_of(const Quantile&, const Targets&);
template Objective objective_of(const Logistic&, const Targets&);
template Objective objective_of(const Exponential&, const Targets&);
template Objective objective_of(const Poisson&, const Targets&);
template Objective objective_of(const Gamma&, const Targets&);
template Objective objective_of(const Tweedie&, const Targets&);

Objective objective_of(const OwnLoss& loss, const Targets& targets) {
  Objective out{.targets = &targets, .score = ScoreIs::Value, .measure = loss.measure};
  out.start = [loss, &targets](Rows rows) {
    const double start = loss.start ? *loss.start : best_constant(loss, targets, rows, 0);
    return Start{{start}, {loss.link == Link::Identity ? spread_of(targets, rows, start) : 1}};
  };
  out.slopes = [loss, &targets](Rows rows, Scores score, std::span<double> g, std::span<double> h) {
    fill_slopes(loss, targets, rows, score, g, h);
  };
  out.measured = [loss, &targets](Rows rows, Scores score) {
    return weighted_mean(targets, rows, [&](Row r) { return loss.value(targets.y[r], score[r]); });
  };
  return out;
}

Objective objective_of(const Softmax& loss, const Targets& targets, int classes) {
  const auto k = static_cast<std::size_t>(classes);
  Objective objective{
      .targets = &targets, .outputs = classes, .score = ScoreIs::LogOdds, .measure = std::string(Softmax::kMeasure)};
  // The logs of the shares. A class that these rows lack gets the share of half a row.
  objective.start = [k, &targets](Rows rows) {
    std::vector<double> weight(k);
    Start out{std::vector<double>(k)};
    for (const Row r : rows) weight[static_cast<std::size_t>(targets.label[r])] += targets.of(r);
    const double all = weight_of(targets, rows);
    for (std::size_t c = 0; c < k; ++c) out.score[c] = log_exact(std::fmax(weight[c], 0.5) / all);
    return out;
  };
  objective.slopes = [loss, k, &targets](Rows rows, Scores score, std::span<double> g, std::span<double> h) {
    const std::size_t all = g.size() / k;
    parallel_for(rows.size(), kRowGrain / k + 1, [&](std::size_t begin, std::size_t end) {
      std::vector<double> e((end - begin) * k);
      const auto of = [&](std::size_t i) { return std::span(e).subspan((i - begin) * k, k); };
      for (std::size_t i = begin; i < end; ++i) loss.exponents(score.subspan(rows[i] * k, k), of(i));
      exp_each(e);
      std::vector<Slope> slope(k);
      for (std::size_t i = begin; i < end; ++i) {
        const Row r = rows[i];
        loss.slopes_at(targets.label[r], of(i), slope);
        const double w = targets.of(r);
        for (std::size_t c = 0; c < k; ++c) g[c * all + r] = w * slope[c].first, h[c * all + r] = w * slope[c].second;
      }
    });
  };
  objective.measured = [loss, k, &targets](Rows rows, Scores score) {
    return weighted_mean(targets, rows, [&](Row r) { return loss.value(targets.label[r], score.subspan(r * k, k)); });
  };
  return objective;
}

double ordered_sum(std::size_t n, const std::function<double(std::size_t, std::size_t)>& of_block) {
  std::vector<double> sums((n + kRowGrain - 1) / kRowGrain);
  parallel_for(sums.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) sums[b] = of_block(b * kRowGrain, std::min(n, (b + 1) * kRowGrain));
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double quantile(std::span<Weighted> values, double q, double rounding) {
  if (values.empty()) return 0;
  std::ranges::sort(values, {}, &Weighted::value);
  double all = 0;
  for (const Weighted& v : values) all += v.weight;
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i].weight;
    if (below > q * all + rounding) return values[i].value;
    if (below >= q * all - rounding && i + 1 < values.size())
      return std::midpoint(values[i].value, values[i + 1].value);
  }
  return values.back().value;
}

}  // namespace wald
