#include "learn/boost_stop.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"

namespace wald {
namespace {

struct Trial {
  Booster booster;
  std::vector<Row> held;
};

std::deque<Trial> trials_of(const Binned& x, const Objective& objective, const Boost& how, const std::vector<Row>& rows,
                            const Run& run) {
  const std::vector<int> part = divide_rows(rows, *objective.targets, how.stop_parts, run.seed);
  std::deque<Trial> out;
  for (int p = 0; p < how.stop_trials; ++p) {
    std::vector<Row> train, held;
    for (std::size_t i = 0; i < rows.size(); ++i) (part[i] == p ? held : train).push_back(rows[i]);
    if (held.empty() || train.empty()) continue;
    out.push_back({Booster(x, objective, how, std::move(train), run), std::move(held)});
  }
  return out;
}

// One more round of every trial; the mean of their measures.
void step(std::deque<Trial>& trials, Boosted& out) {
  parallel_for(trials.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) trials[t].booster.round();
  });
  double train = 0, held = 0;
  for (const Trial& t : trials) train += t.booster.measured(t.booster.rows()), held += t.booster.measured(t.held);
  out.train.push_back(train / static_cast<double>(trials.size()));
  out.held.push_back(held / static_cast<double>(trials.size()));
}

}  // namespace

std::vector<int> divide_rows(std::span<const Row> rows, const Targets& targets, int parts, std::uint64_t seed) {
  const Random random(seed, Purpose::Stopping);
  struct Drawn {
    double y;
    std::uint64_t key;
    std::size_t at;
  };
  std::vector<Drawn> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    order[i] = {targets.label.empty() ? targets.y[rows[i]] : targets.label[rows[i]], random.bits(rows[i]), i};
  std::ranges::sort(order, [](const Drawn& a, const Drawn& b) { return std::tie(a.y, a.key) < std::tie(b.y, b.key); });
  // Neighbours in the order of the targets go to different parts.
  std::vector<int> part(rows.size()), deal(static_cast<std::size_t>(parts));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = i % deal.size();
    if (at == 0) std::iota(deal.begin(), deal.end(), 0);
    std::swap(deal[at], deal[at + order[i].key % (deal.size() - at)]);
    part[order[i].at] = deal[at];
  }
  return part;
}

Boosted boost(const Binned& x, const Objective& objective, const Boost& how, const std::vector<Row>& rows,
              const Run& run) {
  Boosted out{.measure = objective.measure};
  int wanted = how.trees;
  if (how.early_stop > 0) {
    std::deque<Trial> trials = trials_of(x, objective, how, rows, run);
    double best = std::numeric_limits<double>::infinity();
    out.best = 0;
    for (const Trial& t : trials) best = std::fmin(best, t.booster.measured(t.held));
    while (static_cast<int>(out.held.size()) < how.trees && !run.stopped()) {
      step(trials, out);
      if (out.held.back() < best) best = out.held.back(), out.best = static_cast<int>(out.held.size());
      if (static_cast<int>(out.held.size()) >= out.best + how.early_stop) break;
    }
    wanted = out.best;
  }
  Booster booster(x, objective, how, rows, run);
  for (int r = 0; r < wanted && !run.stopped(); ++r) booster.round();
  booster.keep();
  out.base = booster.base();
  out.trees = booster.kept();
  return out;
}

}  // namespace wald
