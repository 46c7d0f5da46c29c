#include "model/deep.h"

#include <algorithm>

#include "core/parallel.h"

namespace wald {
namespace {

constexpr std::size_t kManyNodes = 600;  // of a tree, on average, to be worth it
constexpr std::size_t kLongVector = 4;   // numbers, of which zeros are worth leaving out
constexpr std::size_t kSlots = std::size_t{1} << kMostLevels;
constexpr std::uint32_t kNoCells = ~std::uint32_t{0};
constexpr std::size_t kMostShort = 63;  // levels that, with missing, a word has bits for

// Only tests of two ways whose missing values go one of them; no linear leaves.
bool plain(const Forest& forest, const Asked& asked) {
  return forest.terms.empty() && !asked.any(Asked::kEachLevel) && !asked.any(Asked::kSpreads) &&
         !asked.any(Asked::kAsks) &&
         std::ranges::all_of(forest.cuts, [](const auto& cuts) { return cuts.size() <= WideStep::kMostCuts; });
}

std::size_t most_nodes(const Forest& forest) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < forest.trees(); ++t) most = std::max(most, forest.tree(t).nodes.size());
  return most;
}

// Of a tree, with those that stand for nothing: of n tops each brings one, while the n - 1 tests above them are left
// out.
std::size_t steps_of(std::size_t nodes) { return nodes + 3; }

// Where the rows' cells are, after room for so many has been made.
template <class Step>
typename Step::Cell* cells_in(DeepWalk::Room& room, std::size_t needed = 0) {
  const auto first_of = [needed](auto& numbers) {
    constexpr std::size_t kEach = sizeof(numbers[0]) / sizeof(typename Step::Cell);
    numbers.resize(std::max(numbers.size(), (needed + kEach - 1) / kEach));
    return reinterpret_cast<typename Step::Cell*>(numbers.data());
  };
  if constexpr (std::is_same_v<Step, NarrowStep>) return first_of(room.narrow);
  else if constexpr (std::is_same_v<Step, MaskSteps>) return first_of(room.masks);
  else return first_of(room.wide);
}

}  // namespace

DeepWalk::DeepWalk(const Model& model, const Asked& asked, const CircuitPlan& plan, bool wanted)
    : forest_(model.forest()), plan_(plan) {
  if (!wanted || forest_.nodes.size() < kManyNodes * forest_.trees() || forest_.trees() == 0) return;
  if (!plain(forest_, asked) || !find_cells(model.schema, asked)) return;
  std::size_t most_levels = 0, most_cuts = 0;
  bool sets = false;
  for (const CellsOf& of : cells_) {
    sets = sets || of.category;
    most_cuts = std::max(most_cuts, of.cuts.count);
    most_levels = std::max(most_levels, of.levels);
  }
  using Narrow = NarrowStep;
  if (sets && most_levels <= kMostShort && number_cells<MaskSteps>() <= MaskSteps::kMostCells) build<MaskSteps>();
  else if (sets) build<SetStep>();
  else if (number_cells<Narrow>() <= Narrow::kMostCells && most_cuts <= Narrow::kMostCuts &&
           steps_of(most_nodes(forest_)) <= Narrow::kMostSteps &&
           forest_.values.size() / forest_.width() <= Narrow::kMostVectors)
    build<Narrow>();
  else build<WideStep>();
  choose_rows();
  if (forest_.width() >= kLongVector) find_singles();
}

// False if tests ask for too many columns.
bool DeepWalk::find_cells(const Schema& schema, const Asked& asked) {
  of_column_.assign(schema.columns.size(), kNoCells);
  for (std::uint32_t c = 0; c < of_column_.size(); ++c) {
    if (asked.of[c] == 0) continue;
    of_column_[c] = static_cast<std::uint32_t>(cells_.size());
    CellsOf& of = cells_.emplace_back(CellsOf{.column = c, .category = (asked.of[c] & Asked::kSet) != 0});
    of.asks_left = (asked.of[c] & Asked::kLeft) != 0, of.asks_right = (asked.of[c] & Asked::kRight) != 0;
    of.levels = schema.columns[c].level.size();
    if (of.levels > WideStep::kMostCuts) return false;
    if (of.category) continue;
    of.cuts.cuts = forest_.cuts[c];
    divide(of.cuts);
  }
  return number_cells<WideStep>() <= WideStep::kMostCells;
}

template <class Step>
std::size_t DeepWalk::number_cells() {
  constexpr std::size_t kWhole = sizeof(typename Step::Found) / sizeof(typename Step::Cell);
  std::size_t next = Step::kFirstCell;
  for (CellsOf& of : cells_) {
    const std::size_t width = of.width<Step>();
    of.left = of.right = next;
    if (of.category || of.asks_left) next += width;
    if (!of.category && of.asks_right) of.right = next, next += width;
  }
  return stride_ = (next + kWhole - 1) / kWhole * kWhole;
}

// As many as keep what a thread needs for them within bounds: the more rows, the less often the forest is read.
void DeepWalk::choose_rows() {
  constexpr std::size_t kMost = 8 * 1024, kLeast = 1024;
  constexpr std::size_t kSlotBytes = std::size_t{16} << 20, kCellBytes = std::size_t{4} << 20;
  constexpr std::size_t kScores = (std::size_t{512} << 10) / sizeof(double);
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  const std::size_t rows =
      std::min({kSlotBytes / forest_.trees(), kScores / outputs, kCellBytes / (stride_ * sizeof(WideStep::Cell))});
  most_rows_ = std::clamp(rows, kLeast, kMost) / kBlockRows * kBlockRows;
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

template <class Step>
void DeepWalk::build() {
  number_cells<Step>();
  const std::size_t trees = forest_.trees();
  first_.push_back(0);
  for (std::size_t t = 0; t < trees; ++t)
    first_.push_back(first_.back() + Step::steps(steps_of(forest_.tree(t).nodes.size())));
  UnsetHugeVector<Step> steps(first_.back());
  start_.assign(trees * kSlots, 0);
  if (Step::kSaysPlace) vector_.resize(steps.size());
  parallel_for(trees, 1, [&](std::size_t t, std::size_t) { add_tree(t, steps.data() + first_[t]); });
  steps_ = std::move(steps);
}

// What lies below the slots of the tree's circuit, one after the other; of each the levels from the top down, so that
// what rows read at a time lies together. Children are two by two, from an even number on: after each top comes a leaf
// that nobody reaches, and two come first of all.
template <class Step>
void DeepWalk::add_tree(std::size_t t, Step* steps) {
  const auto nodes = forest_.tree(t).nodes;
  const Node nobody = Node::leaf(0);
  std::vector<const Node*> order(2, &nobody);
  order.reserve(steps_of(nodes.size()));
  for (std::size_t k = 0; k < 2; ++k) Step::leaf(steps, k, 0);
  const int depth = plan_.trees.empty() ? 0 : plan_.trees[t].depth;
  for (std::size_t slot = 0; slot < std::size_t{1} << depth; ++slot) {
    const std::uint32_t top = depth == 0 ? 0 : plan_.node[plan_.trees[t].slot + slot];
    if (depth > 0 && top == 0) continue;  // a slot that no row takes
    std::size_t k = order.size();
    start_[t * kSlots + slot] = static_cast<std::uint32_t>(Step::place(k));
    order.push_back(&nodes[top]), order.push_back(&nobody);
    for (; k < order.size(); ++k) {
      const Node& node = *order[k];
      if (node.is_leaf()) {
        Step::leaf(steps, k, node.ref);
        continue;
      }
      put(steps, node, k, order.size() + 1);
      order.push_back(&nodes[node.child + 1]), order.push_back(&nodes[node.child]);
    }
  }
  if (!Step::kSaysPlace) return;
  for (std::size_t k = 0; k < order.size(); ++k) vector_[first_[t] + k] = order[k]->is_leaf() ? order[k]->ref : 0;
}

template <class Step>
void DeepWalk::put(Step* steps, const Node& node, std::size_t k, std::size_t left) {
  const CellsOf& of = cells_[of_column_[node.column()]];
  if (!of.category) {  // where missing values go left codes count from 1
    if (node.missing() == 1) Step::test(steps, k, left, of.right, node.ref);
    else Step::test(steps, k, left, of.left, node.ref + std::size_t{1});
  } else if constexpr (Step::kSets) {
    const std::uint64_t right = right_of(node, of.levels);
    if constexpr (std::is_same_v<Step, SetStep>) Step::set(steps, k, left, of.left, right, of.levels > kMostShort);
    else Step::set(steps, k, left, of.left, right);
  }
}

// The codes that go right, bit by bit: 0 for missing, then the levels. Of many levels: where their words are.
std::uint64_t DeepWalk::right_of(const Node& node, std::size_t levels) {
  const std::uint64_t* set = forest_.sets.data() + node.ref;
  std::uint64_t before = node.missing() == 0;  // the bit that comes into the next word
  const auto word = [&](std::size_t w) {
    const std::uint64_t bits = w * 64 < levels ? set[w] : 0, left = bits << 1 | before;
    before = bits >> 63;
    return ~left;
  };
  if (levels <= kMostShort) return word(0);
  const std::lock_guard lock(adding_);
  const std::size_t first = sets_.size();
  for (std::size_t w = 0; w * 64 <= levels; ++w) sets_.push_back(word(w));
  return first;
}

// --- rows -----------------------------------------------------------------------------------------------------------

template <class Step>
void DeepWalk::read_numbers(const CellsOf& of, const double* cell, std::size_t rows, typename Step::Cell* to,
                            Room& room) const {
  find_places(of.cuts, cell, rows, room.place.data());
  const auto put = [&](std::size_t at, std::uint32_t missing, std::uint32_t first) {
    if constexpr (requires { Step::kWindow; }) {
      for (std::size_t w = 0; w < of.width<Step>(); ++w)
        for (std::size_t r = 0; r < rows; ++r) {
          const std::uint32_t code = cell[r] != cell[r] ? missing : first + room.place[r];
          const auto before = static_cast<std::uint32_t>(w * Step::kWindow);
          to[r * stride_ + at + w] = Step::level(std::min(std::max(code, before) - before, kRestCode));
        }
    } else {
      for (std::size_t r = 0; r < rows; ++r)
        to[r * stride_ + at] = Step::number(cell[r] != cell[r] ? missing : first + room.place[r]);
    }
  };
  if (of.asks_left) put(of.left, 0, 1);
  if (of.asks_right) put(of.right, Step::kTop, 0);
}

template <class Step>
void DeepWalk::read_as(CellColumns cells, std::size_t from, std::size_t rows, Room& room) const {
  typename Step::Cell* const to = cells_in<Step>(room) + from * stride_;
  // Of rows that are not there too, which are walked to fill up a group.
  for (std::size_t r = 0; r < kBlockRows; ++r) to[r * stride_ + Step::kRestCell] = Step::level(kRestCode);
  for (const CellsOf& of : cells_) {
    const double* cell = cells[of.column];
    if (!of.category) {
      read_numbers<Step>(of, cell, rows, to, room);
      continue;
    }
    for (std::size_t r = 0; r < rows; ++r)
      to[r * stride_ + of.left] = Step::level(cell[r] != cell[r] ? 0 : 1 + static_cast<std::uint32_t>(cell[r]));
  }
}

void DeepWalk::start(std::size_t rows, Room& room) const {
  const std::size_t whole = (rows + kBlockRows - 1) / kBlockRows * kBlockRows;
  const std::size_t needed = (whole + Descent<NarrowStep>::kSpareRows) * stride_ + NarrowStep::kMostCells;
  std::visit([&]<class Step>(const UnsetHugeVector<Step>&) { cells_in<Step>(room, needed); }, steps_);
  room.slot.resize(std::max(room.slot.size(), whole * forest_.trees()));
}

void DeepWalk::read(CellColumns cells, std::size_t from, std::size_t rows, Room& room) const {
  std::visit([&]<class Step>(const UnsetHugeVector<Step>&) { read_as<Step>(cells, from, rows, room); }, steps_);
  if (plan_.trees.empty()) return;  // all rows start at the top, in slot 0
  answer(plan_, cells, rows, room.answers);
  std::uint8_t* slot = room.slot.data() + from * forest_.trees();
  for (const Circuit& circuit : plan_.trees) {
    find_slots(circuit, plan_.questions_of(circuit, room.answers.missing), room.answers.yes.data(), slot);
    slot += kBlockRows;
  }
}

template <class Step>
void DeepWalk::add_values(std::size_t t, const typename Step::Cell* cells, std::size_t rows, double* score) const {
  const std::size_t width = forest_.width();
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  if (!forest_.output.empty()) score += forest_.output[t];
  for (std::size_t r = 0; r < rows; ++r, cells += stride_, score += outputs) {
    std::size_t vector = *reinterpret_cast<const typename Step::Found*>(cells);
    if (Step::kSaysPlace) vector = vector_[first_[t] + vector];
    if (!singles_.empty() && singles_[vector].output != kMany) {
      score[singles_[vector].output] += singles_[vector].value;
    } else {
      const double* says = forest_.values.data() + vector * width;
      for (std::size_t o = 0; o < width; ++o) score[o] += says[o];
    }
  }
}

template <class Step>
void DeepWalk::walk(const UnsetHugeVector<Step>& steps, std::size_t rows, double* score, Room& room) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  const std::size_t trees = forest_.trees(), parts = (rows + kBlockRows - 1) / kBlockRows;
  for (std::size_t t = 0; t < trees; ++t) {
    const std::span<const Step> next(steps.data() + first_[t + 1], t + 1 < trees ? first_[t + 2] - first_[t + 1] : 0);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t from = part * kBlockRows, some = std::min(kBlockRows, rows - from);
      typename Step::Cell* cells = cells_in<Step>(room) + from * stride_;
      const std::size_t begin = next.size() * part / parts, end = next.size() * (part + 1) / parts;
      descend(Descent<Step>{.steps = steps.data() + first_[t],
                            .sets = sets_.data(),
                            .start = start_.data() + t * kSlots,
                            .slot = room.slot.data() + from * trees + t * kBlockRows,
                            .cells = cells,
                            .stride = stride_,
                            .rows = some,
                            .soon = std::as_bytes(next.subspan(begin, end - begin))});
      add_values<Step>(t, cells, some, score + from * outputs);
    }
  }
}

void DeepWalk::score(std::size_t rows, double* score, Room& room) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  // Adding 0 makes -0 a 0, as it would become by any number that a tree says: from here on zeros need not be added.
  for (std::size_t i = 0; i < rows * outputs; ++i) score[i] = forest_.base[i % outputs] + 0.0;
  std::visit([&](const auto& steps) { walk(steps, rows, score, room); }, steps_);
}

}  // namespace wald
