#include "model/engine.h"

#include <algorithm>

namespace wald {
namespace {

constexpr std::size_t kTreesTogether = 8;  // trees that one row walks down side by side

// A column of numbers without thresholds is in no test, though perhaps in a linear term; of categories one cannot tell
// without reading every node.
std::vector<std::uint32_t> columns_read(const Model& model) {
  std::vector<bool> in_terms(model.schema.columns.size());
  for (const Term& term : model.forest().terms) in_terms[term.column] = true;
  std::vector<std::uint32_t> out;
  for (std::uint32_t c = 0; c < in_terms.size(); ++c)
    if (model.schema.columns[c].type == ColumnType::Category || !model.forest().cuts[c].empty() || in_terms[c])
      out.push_back(c);
  return out;
}

}  // namespace

Engine::Engine(const Model& model, bool circuits)
    : model_(model),
      forest_(model.forest()),
      asked_(forest_),
      walker_(forest_, asked_),
      plan_(circuits ? plan_circuits(model) : CircuitPlan{}),
      whole_(model, asked_, plan_, false, circuits),
      columns_(columns_read(model)) {}

bool Engine::score_deep(std::size_t rows, DeepWalk::Cells cells, double* into, DeepWalk::GoesOn goes_on) const {
  const std::size_t before = rows_asked_.fetch_add(rows, std::memory_order_relaxed);
  const bool again = whole_.worth(before);
  if (!again && !whole_.worth(rows)) return false;
  std::size_t done = 0;
  if (!wants_any_.load(std::memory_order_relaxed)) done = whole_.score(0, rows, again, cells, into, goes_on);
  if (done == rows) return true;
  wants_any_.store(true, std::memory_order_relaxed);
  std::call_once(made_any_, [this] { any_.emplace(model_, asked_, plan_, true); });
  any_->score(done, rows, again, cells, into, goes_on);
  return true;
}

void Engine::score(CellColumns cells, std::size_t rows, double* score, Room& room) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  room.score.resize(outputs * kBlockRows);
  for (std::size_t o = 0; o < outputs; ++o)
    std::fill_n(room.score.begin() + static_cast<std::ptrdiff_t>(o * kBlockRows), kBlockRows, forest_.base[o]);
  if (!plan_.trees.empty()) answer(plan_, cells, rows, room.answers);
  for (std::size_t t = 0; t < forest_.trees(); ++t) add_tree(t, cells, rows, room);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t o = 0; o < outputs; ++o) *score++ = room.score[o * kBlockRows + row];
}

void Engine::add_tree(std::size_t t, CellColumns cells, std::size_t rows, Room& room) const {
  if (plan_.trees.empty()) {
    std::fill_n(room.at.begin(), rows, 0u);
    return walk_down(t, cells, rows, room);
  }
  const Circuit& circuit = plan_.trees[t];
  find_slots(circuit, plan_.questions_of(circuit, room.answers.missing), room.answers.yes.data(), room.slot.data());
  if (circuit.whole) {
    const std::size_t first = forest_.output.empty() ? 0 : forest_.output[t];
    for (std::size_t o = 0; o < forest_.width(); ++o)
      add_says(plan_.says.data() + circuit.says + (o << circuit.depth), room.slot.data(),
               room.score.data() + (first + o) * kBlockRows);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) room.at[row] = plan_.node[circuit.slot + room.slot[row]];
  walk_down(t, cells, rows, room);
}

// All rows take a step before any takes the next: the tree is read from memory for many rows at once instead of waiting
// for one after another.
void Engine::walk_down(std::size_t t, CellColumns cells, std::size_t rows, Room& room) const {
  const Node* nodes = forest_.tree(t).nodes.data();
  std::size_t left = rows;
  for (std::size_t row = 0; row < rows; ++row) room.moving[row] = static_cast<std::uint32_t>(row);
  while (left > 0) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const std::uint32_t row = room.moving[i], before = room.at[row];
      room.at[row] = walker_.step(nodes, before, [&](std::uint32_t column) { return cells[column][row]; });
      room.moving[kept] = row;
      kept += room.at[row] != before;
    }
    left = kept;
  }
  const std::size_t width = forest_.width();
  const bool plain = forest_.terms.empty();
  double* score = room.score.data() + (forest_.output.empty() ? 0 : forest_.output[t] * kBlockRows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Node& end = nodes[room.at[row]];
    const auto cell = [&](std::uint32_t column) { return cells[column][row]; };
    if (!plain || !end.is_leaf()) walker_.add(t, room.at[row], cell, room.score.data() + row, kBlockRows, room.walk);
    else
      for (std::size_t o = 0; o < width; ++o) score[o * kBlockRows + row] += forest_.values[end.ref * width + o];
  }
}

void Engine::find_row_slots(const std::uint8_t* yes, bool missing, std::uint8_t* slot) const {
  const std::uint16_t* questions = (missing ? plan_.ways : plan_.plain).data();
  const std::size_t trees = plan_.trees.size();
  std::size_t t = 0;
  for (; t + kTreesTogether <= trees; t += kTreesTogether) {
    const Circuit* tree = plan_.trees.data() + t;
    const std::uint16_t* q[kTreesTogether];
    std::size_t at[kTreesTogether] = {};
    int least = kMostLevels;
    for (std::size_t j = 0; j < kTreesTogether; ++j) {
      q[j] = questions + tree[j].question;
      least = std::min(least, tree[j].depth);
    }
    for (int d = 0; d < least; ++d) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kTreesTogether; ++j) at[j] = 2 * at[j] + 1 + yes[q[j][at[j]]];
    }
    for (std::size_t j = 0; j < kTreesTogether; ++j) {
      for (int d = least; d < tree[j].depth; ++d) at[j] = 2 * at[j] + 1 + yes[q[j][at[j]]];
      slot[t + j] = static_cast<std::uint8_t>(at[j] - ((std::size_t{1} << tree[j].depth) - 1));
      __builtin_prefetch(plan_.says.data() + tree[j].says + slot[t + j]);
    }
  }
  for (; t < trees; ++t) {
    const Circuit& tree = plan_.trees[t];
    std::size_t at = 0;
    for (int d = 0; d < tree.depth; ++d) at = 2 * at + 1 + yes[questions[tree.question + at]];
    slot[t] = static_cast<std::uint8_t>(at - ((std::size_t{1} << tree.depth) - 1));
  }
}

void Engine::score_row(std::span<const double> cells, double* score) const {
  thread_local std::vector<std::uint8_t> answers, slot;
  thread_local Walker::Room room;
  std::ranges::copy(forest_.base, score);
  const auto cell = [&](std::uint32_t column) { return cells[column]; };
  if (plan_.trees.empty()) {
    for (std::size_t t = 0; t < forest_.trees(); ++t) walker_.add(t, 0, cell, score, 1, room);
    return;
  }
  answers.resize(std::max(answers.size(), plan_.questions(true)));
  slot.resize(std::max(slot.size(), plan_.trees.size()));
  const bool missing = answer(plan_, cells, answers.data());
  find_row_slots(answers.data(), missing, slot.data());
  if (plan_.plain_sum) {
    double sum = score[0];
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) sum += plan_.says[plan_.trees[t].says + slot[t]];
    score[0] = sum;
    return;
  }
  for (std::size_t t = 0; t < plan_.trees.size(); ++t) add_slot(t, slot[t], cells, score, room);
}

void Engine::add_slot(std::size_t t, std::uint32_t slot, std::span<const double> cells, double* score,
                      Walker::Room& room) const {
  const Circuit& circuit = plan_.trees[t];
  const auto cell = [&](std::uint32_t column) { return cells[column]; };
  if (!circuit.whole) return walker_.add(t, plan_.node[circuit.slot + slot], cell, score, 1, room);
  if (!forest_.output.empty()) score += forest_.output[t];
  for (std::size_t o = 0; o < forest_.width(); ++o) score[o] += plan_.says[circuit.says + (o << circuit.depth) + slot];
}

}  // namespace wald
