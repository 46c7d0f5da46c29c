#include "learn/private_boost_grid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace wald {
namespace {

// Codes 1 .. in the order in which they are cut: numbers as they are, levels by their effects, give or take a little so
// that no two trees cut alike.
std::vector<int> cutting_order(const PrivateColumn& column, const std::vector<double>& effect, const Random& random,
                               std::uint64_t draw) {
  constexpr double kGive = 0.3;  // of the range of effects
  std::vector<int> order(static_cast<std::size_t>(column.codes - 1));
  std::iota(order.begin(), order.end(), 1);
  if (column.type == ColumnType::Number) return order;
  const auto [least, most] = std::minmax_element(effect.begin() + 1, effect.end());
  const double give = *most > *least ? kGive * (*most - *least) : 1;
  std::vector<double> key(effect.size());
  for (std::size_t k = 1; k < key.size(); ++k) key[k] = effect[k] + give * random.unit(draw + k);
  std::ranges::sort(order, {}, [&](int code) { return key[static_cast<std::size_t>(code)]; });
  return order;
}

// Where the ordered codes are cut. A code that holds more than its share of the mass is a part by itself, so that a
// column that is mostly zero is still cut where it is not; what is left is cut at jittered quantiles.
std::vector<std::size_t> cut_places(const std::vector<int>& order, const std::vector<double>& masses, int parts,
                                    const Random& random, std::uint64_t draw) {
  const std::size_t codes = order.size();
  std::vector<double> mass;
  for (const int code : order) mass.push_back(masses[static_cast<std::size_t>(code)]);
  const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
  double rest = all;
  std::vector<std::size_t> heaviest(codes);
  std::iota(heaviest.begin(), heaviest.end(), std::size_t{0});
  std::ranges::sort(heaviest, std::greater<>(), [&](std::size_t i) { return mass[i]; });
  std::vector<bool> cut(codes + 1);  // before the code of this place
  cut[0] = cut[codes] = true;
  int spare = parts - 1;
  for (const std::size_t i : heaviest) {
    const int needed = !cut[i] + !cut[i + 1];
    if (mass[i] <= rest / (spare + 1) || needed > spare) break;
    cut[i] = cut[i + 1] = true;
    spare -= needed, rest -= mass[i], mass[i] = 0;
  }
  spare = static_cast<int>(std::lround(spare * std::sqrt(rest / all)));  // few rows cannot tell many parts apart
  const auto quantile = [&](int k) {
    return rest * (k - 0.5 + random.unit(draw + static_cast<std::uint64_t>(k))) / (spare + 1);
  };
  double upto = 0;
  for (std::size_t i = 0, k = 1; i + 1 < codes && static_cast<int>(k) <= spare; ++i) {
    upto += mass[i];
    for (; static_cast<int>(k) <= spare && quantile(static_cast<int>(k)) <= upto; ++k) cut[i + 1] = true;
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i < codes; ++i)
    if (cut[i]) out.push_back(i);
  return out;
}

Axis draw_axis(const PrivateRows& x, const Known& known, std::size_t column, int parts, const Random& random,
               std::uint64_t draw) {
  const PrivateColumn& about = x.columns[column];
  if (about.codes < 3) return {.column = column};  // nothing to cut
  const std::vector<int> order = cutting_order(about, known.effects[column], random, draw);
  std::vector<std::size_t> places;
  if (about.type == ColumnType::Category && static_cast<int>(order.size()) <= parts) {
    for (std::size_t i = 1; i < order.size(); ++i) places.push_back(i);
  } else places = cut_places(order, known.masses[column], parts, random, draw + 1000);
  Axis out{.column = column, .parts = static_cast<int>(places.size()) + 1};
  for (std::size_t i = 0; i < order.size(); ++i)
    out.part[static_cast<std::size_t>(order[i])] =
        static_cast<std::uint8_t>(std::ranges::upper_bound(places, i) - places.begin());
  out.mass.resize(places.size() + 1);
  for (const int code : order)
    out.mass[out.part[static_cast<std::size_t>(code)]] += known.masses[column][static_cast<std::size_t>(code)];
  out.part[0] = static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(out.parts), draw + 2000));
  return out;
}

}  // namespace

Masses even_masses(const PrivateRows& x) {
  Masses out;
  for (const PrivateColumn& column : x.columns) {
    out.emplace_back(static_cast<std::size_t>(column.codes), 0.0);
    if (column.type == ColumnType::Category) std::fill(out.back().begin() + 1, out.back().end(), 1.0);
    else {  // by width; the first code is the lower bound alone
      const double range = column.cuts.back() - column.cuts.front();
      for (std::size_t k = 2; k <= column.cuts.size(); ++k)
        out.back()[k] = (column.cuts[k - 1] - column.cuts[k - 2]) / range;
    }
  }
  return out;
}

Grid draw_grid(const PrivateRows& x, const Known& known, const std::vector<std::size_t>& columns, int parts,
               const Random& random) {
  Grid out;
  std::uint64_t draw = 1 << 16;
  for (const std::size_t column : columns) {
    Axis axis = draw_axis(x, known, column, parts, random, draw);
    draw += 1 << 16;
    if (axis.parts > 1) out.axes.push_back(axis);
  }
  for (auto axis = out.axes.rbegin(); axis != out.axes.rend(); ++axis)
    axis->stride = out.leaves, out.leaves *= axis->parts;
  return out;
}

namespace {

// Where parts from .. to - 1 fall into the most even halves.
int middle_of(const std::vector<double>& mass, int from, int to) {
  const auto begin = mass.begin() + from;
  const double half = std::accumulate(begin, mass.begin() + to, 0.0) / 2;
  double upto = 0, best = HUGE_VAL;
  int middle = from + 1;
  for (int at = from + 1; at < to; ++at) {
    upto += mass[static_cast<std::size_t>(at) - 1];
    const double off = std::fabs(upto - half);
    if (off < best) best = off, middle = at;
  }
  return middle;
}

}  // namespace

std::vector<Branch> branches_of(const Grid& grid) {
  struct Open {
    std::size_t axis;
    int from, to;
  };
  const auto parts = [&](std::size_t axis) { return axis < grid.axes.size() ? grid.axes[axis].parts : 0; };
  std::vector<Branch> out(1);
  std::vector<Open> open{{0, 0, parts(0)}};
  for (std::size_t n = 0; n < out.size(); ++n) {
    Open now = open[n];
    if (now.axis < grid.axes.size() && now.to - now.from == 1) {  // single: on to the next column
      out[n].leaf += now.from * grid.axes[now.axis].stride;
      now = {now.axis + 1, 0, parts(now.axis + 1)};
    }
    if (now.axis == grid.axes.size()) continue;
    out[n].axis = static_cast<int>(now.axis), out[n].from = now.from;
    out[n].middle = middle_of(grid.axes[now.axis].mass, now.from, now.to);
    out[n].child = static_cast<std::uint32_t>(out.size());
    for (const auto& [from, to] : {std::pair(now.from, out[n].middle), std::pair(out[n].middle, now.to)}) {
      out.push_back({.leaf = out[n].leaf, .depth = out[n].depth + 1});
      open.push_back({now.axis, from, to});
    }
  }
  return out;
}

namespace {

// The greatest code of a column of numbers that goes to the first child.
int last_code(const Axis& axis, int codes, int middle) {
  int last = 1;
  for (int code = 1; code < codes; ++code)
    if (axis.part[static_cast<std::size_t>(code)] < middle) last = code;
  return last;
}

std::vector<std::uint64_t> level_set(const Axis& axis, const PrivateColumn& column, int middle) {
  std::vector<std::uint64_t> out((column.group.size() + 63) / 64);
  for (std::size_t level = 0; level < column.group.size(); ++level)
    if (axis.part[column.group[level]] < middle) out[level / 64] |= std::uint64_t{1} << (level % 64);
  return out;
}

}  // namespace

Tree tree_of(const Grid& grid, const std::vector<Branch>& branches, const PrivateRows& x,
             const std::vector<double>& values, int outputs) {
  Tree out{.outputs = outputs};
  out.nodes.resize(branches.size());
  out.threshold.resize(branches.size());
  out.values.resize(branches.size() * static_cast<std::size_t>(outputs));
  for (std::size_t n = 0; n < branches.size(); ++n) {
    const Branch& branch = branches[n];
    if (branch.axis < 0) {
      const auto width = static_cast<std::size_t>(outputs);
      for (std::size_t k = 0; k < width; ++k)
        out.values[n * width + k] = values[static_cast<std::size_t>(branch.leaf) * width + k];
      continue;
    }
    const Axis& axis = grid.axes[static_cast<std::size_t>(branch.axis)];
    const PrivateColumn& column = x.columns[axis.column];
    TreeNode& node = out.nodes[n];
    node.column = static_cast<std::uint32_t>(axis.column);
    node.child = branch.child;
    node.missing = axis.part[0] >= branch.middle;
    if (column.type == ColumnType::Category) {
      node.test = Test::Set;
      node.ref = static_cast<std::uint32_t>(out.sets.size());
      const std::vector<std::uint64_t> set = level_set(axis, column, branch.middle);
      out.sets.insert(out.sets.end(), set.begin(), set.end());
    } else {
      node.test = Test::Threshold;
      node.ref = static_cast<std::uint32_t>(last_code(axis, column.codes, branch.middle));
      out.threshold[n] = column.cuts[node.ref - 1];
    }
  }
  return out;
}

}  // namespace wald
