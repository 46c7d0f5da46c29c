#include "learn/private_boost_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wald {
namespace {

constexpr double kFloor = 0.1;   // of the mean weight, which every column has
constexpr double kMemory = 0.5;  // of what was known of a column, beside what is new

}  // namespace

ColumnChoice::ColumnChoice(std::size_t columns, const Plan& plan, std::uint64_t seed)
    : plan_(plan), seed_(seed), energy_(columns, 0.0), known_(columns) {}

std::vector<std::size_t> ColumnChoice::shuffled(std::size_t round) const {
  const Random random(seed_, kStructure, static_cast<std::uint32_t>(0x8000'0000u + round));
  std::vector<std::size_t> order(energy_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.below(left, left)]);
  return order;
}

std::vector<std::size_t> ColumnChoice::next(int tree) const {
  const std::size_t columns = energy_.size(), t = static_cast<std::size_t>(tree);
  if (t < static_cast<std::size_t>(plan_.alone) * columns) return {shuffled(t / columns)[t % columns]};
  const Random random(seed_, kStructure, static_cast<std::uint32_t>(2 + 2 * tree));
  double mean = 0, all = 0;
  for (const double energy : energy_) mean += std::sqrt(energy) / static_cast<double>(columns);
  if (mean == 0) mean = 1;
  std::vector<double> weight;
  for (const double energy : energy_) all += weight.emplace_back(std::sqrt(energy) + kFloor * mean);
  std::vector<std::size_t> out;
  const auto several = std::min<std::size_t>(static_cast<std::size_t>(plan_.columns), columns);
  const std::size_t wanted = tree % 2 == 0 ? several : 1;
  for (std::uint64_t draw = 0; out.size() < wanted; ++draw) {
    double at = random.unit(draw) * all;
    std::size_t c = 0;
    while (c + 1 < columns && at >= weight[c]) at -= weight[c++];
    if (weight[c] == 0) continue;
    out.push_back(c);
    all -= weight[c], weight[c] = 0;
  }
  return out;
}

void ColumnChoice::learn(const Grid& grid, double energy) {
  for (const Axis& axis : grid.axes) {
    const double share = energy / static_cast<double>(grid.axes.size());
    energy_[axis.column] = known_[axis.column] ? kMemory * energy_[axis.column] + (1 - kMemory) * share : share;
    known_[axis.column] = true;
  }
}

}  // namespace wald
