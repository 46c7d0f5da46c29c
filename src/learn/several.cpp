#include "learn/several.h"

#include <cmath>

namespace wald {
namespace {

const std::vector<double>& target_of(const Task& task, std::size_t t) {
  return t == 0 ? task.numbers() : task.more_y[t - 1];
}

// Of the values times 2^-shift, so that no square overflows.
double scaled_variance(const std::vector<double>& y, int shift, const Task& task) {
  const auto weight = [&](std::size_t r) {
    return task.weight.empty() ? 1.0 : times_power(static_cast<double>(task.weight[r]), -kWeightBits);
  };
  double all = 0, sum = 0, squares = 0;
  for (std::size_t r = 0; r < y.size(); ++r) all += weight(r), sum += weight(r) * times_power(y[r], -shift);
  const double mean = sum / all;
  for (std::size_t r = 0; r < y.size(); ++r) {
    const double off = times_power(y[r], -shift) - mean;
    squares += weight(r) * off * off;
  }
  return squares / all;
}

}  // namespace

SeveralTargets all_targets(const Task& task) {
  SeveralTargets out;
  const std::size_t count = 1 + task.more_targets.size();
  for (std::size_t t = 0; t < count; ++t) {
    out.fixed.push_back(fix_target(target_of(task, t), task.weight));
    const double variance = scaled_variance(target_of(task, t), out.fixed[t].shift, task);
    out.scale.push_back(variance > 0 ? 1 / variance / static_cast<double>(count) : 0);
  }
  return out;
}

Prunable::Loss several_loss(const Tree& tree, const Task& task, const SeveralTargets& targets) {
  return [&tree, &task, &targets](std::uint32_t node, Row row) {
    double sum = 0;
    const std::size_t count = targets.scale.size();
    for (std::size_t t = 0; t < count; ++t) {
      const double off = times_power(target_of(task, t)[row] - tree.values[node * count + t], -targets.fixed[t].shift);
      sum += targets.scale[t] * off * off;
    }
    return sum;
  };
}

}  // namespace wald
