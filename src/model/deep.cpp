#include "model/deep.h"

#include <algorithm>
#include <numeric>

namespace wald {
namespace {

constexpr std::size_t kManyNodes = 600;  // of a tree, on average, to be worth it
constexpr std::size_t kLongVector = 4;   // numbers, of which zeros are worth leaving out
constexpr std::size_t kMost16 = 0xFFFF;  // and thresholds of a column

// Only tests of two ways whose missing values go one of them; no linear leaves.
bool plain(const Forest& forest) {
  if (!forest.terms.empty() || forest.cuts.size() > kMost16) return false;
  for (const auto& cuts : forest.cuts)
    if (cuts.size() >= kMost16) return false;
  return std::ranges::all_of(forest.nodes, [](const Node& node) {
    return node.is_leaf() || (node.test() != Test::EachLevel && node.missing() < 2);
  });
}

// How many of the cuts are below x. Without branches, which nobody could foresee.
std::size_t below(std::span<const double> cuts, double x) {
  const double* from = cuts.data();
  for (std::size_t left = cuts.size(); left > 0; left /= 2) {
    const std::size_t half = (left + 1) / 2;
    from += half & (std::size_t{0} - static_cast<std::size_t>(from[half - 1] < x));
  }
  return static_cast<std::size_t>(from - cuts.data());
}

}  // namespace

DeepWalk::DeepWalk(const Model& model, bool wanted) : forest_(model.forest()) {
  if (!wanted || forest_.nodes.size() < kManyNodes * forest_.trees() || forest_.trees() == 0 || !plain(forest_)) return;
  const std::size_t columns = model.schema.columns.size();
  categories_.resize(columns), used_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    categories_[c] = model.schema.columns[c].type == ColumnType::Category;
    if (model.schema.columns[c].level.size() >= kMost16) return;
  }
  steps_.reserve(forest_.nodes.size()), vector_.reserve(forest_.nodes.size());
  for (std::size_t t = 0; t < forest_.trees(); ++t)
    if (!add_steps(model.schema, t)) {
      steps_.clear();
      return;
    }
  if (forest_.width() >= kLongVector) find_singles();
}

void DeepWalk::find_singles() {
  const std::size_t width = forest_.width();
  singles_.resize(forest_.values.size() / width);
  for (std::size_t v = 0; v < singles_.size(); ++v) {
    const std::span<const double> says(forest_.values.data() + v * width, width);
    std::size_t others = 0;
    for (std::size_t o = 0; o < width; ++o)
      if (says[o] != 0 && others++ == 0) singles_[v] = {says[o], o};
    if (others > 1) singles_[v].output = kMany;
  }
}

// Level by level, so that what rows read at a time lies together. False if a step has no room for the tree.
bool DeepWalk::add_steps(const Schema& schema, std::size_t t) {
  const auto nodes = forest_.tree(t).nodes;
  first_set_.push_back(sets_.size());
  if (nodes.size() > DeepStep::kChild) return false;
  std::vector<std::uint32_t> order{0};
  order.reserve(nodes.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = nodes[order[k]];
    if (node.is_leaf()) {
      steps_.push_back(deep_leaf(k)), vector_.push_back(node.ref);
      continue;
    }
    used_[node.column()] = true;
    std::size_t ref = node.ref;
    if (node.test() == Test::Set) {
      ref = sets_.size() - first_set_.back();
      if (ref > kMost16) return false;
      const std::uint64_t* word = forest_.sets.data() + node.ref;
      sets_.insert(sets_.end(), word, word + (schema.columns[node.column()].level.size() + 63) / 64);
    }
    steps_.push_back(deep_step(node, order.size(), node.column(), ref)), vector_.push_back(0);
    order.push_back(node.child), order.push_back(node.child + 1);
  }
  return order.size() == nodes.size();
}

void DeepWalk::read_codes(CellColumns cells, std::size_t rows, Room& room) const {
  const std::size_t columns = used_.size();
  room.code.resize(rows * columns), room.any_missing = false;
  for (std::size_t c = 0; c < columns; ++c) {
    if (!used_[c]) continue;
    const double* cell = cells[c];
    std::uint16_t* to = room.code.data() + c;
    const std::vector<double>& cuts = forest_.cuts[c];
    for (std::size_t r = 0; r < rows; ++r, to += columns) {
      const double x = cell[r];
      if (x != x) *to = 0, room.any_missing = true;
      else *to = static_cast<std::uint16_t>(1 + (categories_[c] ? static_cast<std::size_t>(x) : below(cuts, x)));
    }
  }
}

void DeepWalk::add_values(std::size_t t, std::span<const std::uint32_t> leaf, double* score) const {
  const std::uint32_t* of_leaf = vector_.data() + forest_.first[t];
  const std::size_t width = forest_.width();
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  if (!forest_.output.empty()) score += forest_.output[t];
  for (const std::uint32_t at : leaf) {
    const std::size_t vector = of_leaf[at];
    if (!singles_.empty() && singles_[vector].output != kMany) {
      score[singles_[vector].output] += singles_[vector].value;
    } else {
      const double* says = forest_.values.data() + vector * width;
      for (std::size_t o = 0; o < width; ++o) score[o] += says[o];
    }
    score += outputs;
  }
}

void DeepWalk::score(CellColumns cells, std::size_t rows, double* score, Room& room) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  // Adding 0 makes -0 a 0, as it would become by any number that a tree says: from here on zeros need not be added.
  for (std::size_t i = 0; i < rows * outputs; ++i) score[i] = forest_.base[i % outputs] + 0.0;
  read_codes(cells, rows, room);
  room.leaf.resize(rows), room.row.resize(rows);
  std::iota(room.row.begin(), room.row.end(), 0u);
  for (std::size_t t = 0; t < forest_.trees(); ++t) {
    const DeepTree tree{steps_.data() + forest_.first[t], sets_.empty() ? nullptr : sets_.data() + first_set_[t]};
    walk_down(tree, DeepCodes<std::uint16_t>{room.code.data(), used_.size(), room.any_missing}, room.row,
              room.leaf.data());
    add_values(t, room.leaf, score);
  }
}

}  // namespace wald
