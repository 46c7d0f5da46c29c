#include "model/deep_cells.h"

#include <algorithm>

namespace wald {

namespace {

// A cell of each row. Those of rows that lie side by side are written at once, whether or not the last are there.
template <class Step, class CellOf>
void put_cells(typename Step::Cell* to, std::size_t stride, std::size_t rows, const CellOf& cell_of) {
  constexpr std::size_t kRows = Step::kRowsTogether;
  for (std::size_t r = 0; r < rows; r += kRows, to += kRows * stride) {
    std::array<typename Step::Cell, kRows> group;
    for (std::size_t j = 0; j < kRows; ++j) group[j] = cell_of(r + j);
    std::ranges::copy(group, to);
  }
}

}  // namespace

// Circuits ask for some of the cuts.
void DeepCells::find_asked(Column& column) const {
  const auto asked = std::ranges::find(plan_->cuts, column.column, &CutQuestions::column);
  column.asked = static_cast<std::size_t>(asked - plan_->cuts.begin());
  if (asked == plan_->cuts.end() || asked->count == column.cuts.count) return;
  for (std::size_t k = 0, place = 0; k <= column.cuts.count; ++k) {
    column.place.push_back(static_cast<std::uint16_t>(place));
    if (place < asked->count && k < column.cuts.count && asked->cuts[place] == column.cuts.cuts[k]) ++place;
  }
}

bool DeepCells::find(const Model& model, const Asked& asked, const CircuitPlan& plan, bool missing) {
  missing_ = missing;
  plan_ = &plan;
  cell_.assign(2 * asked.of.size(), 0);
  std::size_t most_cells = 1;  // where numbers are missing
  for (std::uint32_t c = 0; c < asked.of.size(); ++c) {
    if (asked.of[c] == 0) continue;
    most_cells += (asked.of[c] & Asked::kLeft) != 0 && (asked.of[c] & Asked::kRight) != 0 ? 2 : 1;
    Column& column = columns_.emplace_back(Column{.column = c, .category = (asked.of[c] & Asked::kSet) != 0});
    column.asks_left = !missing || (asked.of[c] & Asked::kLeft) != 0;
    column.asks_right = missing && (asked.of[c] & Asked::kRight) != 0;
    sets_ = sets_ || column.category;
    most_levels_ = std::max(most_levels_, model.schema.columns[c].level.size());
    if (column.category && model.schema.columns[c].level.empty()) return false;  // its sets have no words
    if (column.category) continue;
    column.cuts.cuts = model.forest().cuts[c];
    divide(column.cuts);
    find_asked(column);
    most_cuts_ = std::max(most_cuts_, column.cuts.count);
  }
  // Rows with missing numbers must have somewhere to go, so that both kinds of cells fit or none.
  return std::max(most_levels_, most_cuts_) <= WideStep::kMostCuts &&
         std::max(most_cells, number(0, 1)) <= WideStep::kMostCells;
}

std::size_t DeepCells::number(std::size_t codes, std::size_t first) {
  codes_ = codes;
  std::size_t next = first;
  for (Column& c : columns_) {
    c.left = c.right = next;
    if (c.category || c.asks_left) next += width(c);
    if (!c.category && c.asks_right) c.right = next, next += width(c);
    cell_[2 * c.column] = static_cast<std::uint32_t>(c.left);
    cell_[2 * c.column + 1] = static_cast<std::uint32_t>(c.right);
  }
  return stride_ = next;
}

template <class Step>
bool DeepCells::read_numbers(const Step& step, const Column& column, const double* cell, std::size_t rows,
                             typename Step::Cell* to, Answers& answers) const {
  std::array<std::uint32_t, kBlockRows> place;
  const bool some_missing = any_missing(cell, rows);
  if (!missing_ && some_missing) return false;
  find_places(column.cuts, cell, rows, place.data());
  std::fill(place.begin() + static_cast<std::ptrdiff_t>(rows), place.end(), 0u);
  const auto put = [&](std::size_t at, std::uint32_t missing, std::uint32_t first) {
    std::array<std::uint32_t, kBlockRows> code;
    for (std::size_t r = 0; r < kBlockRows; ++r) code[r] = first + place[r];
    for (std::size_t r = 0; some_missing && r < rows; ++r)
      if (cell[r] != cell[r]) code[r] = missing;
    if constexpr (requires { step.last(); }) {
      const std::uint32_t last = step.last();
      for (std::uint32_t w = 0, before = 0; w < width(column); ++w, before += static_cast<std::uint32_t>(codes_))
        put_cells<Step>(to + (at + w) * Step::kRowsTogether, stride_, rows, [&, before](std::size_t r) {
          return step.level(std::min(std::max(code[r], before) - before, last));
        });
    } else {
      put_cells<Step>(to + at * Step::kRowsTogether, stride_, rows,
                      [&](std::size_t r) { return step.number(code[r]); });
    }
  };
  if (column.asks_left) put(column.left, 0, 1);
  if (column.asks_right) put(column.right, Step::kTop, 0);
  if (column.asked == plan_->cuts.size()) return true;
  if (!column.place.empty())
    for (std::size_t r = 0; r < rows; ++r) place[r] = column.place[place[r]];
  answer_places(*plan_, column.asked, cell, place.data(), some_missing, rows, answers);
  return true;
}

template <class Step>
bool DeepCells::read(const Step& step, CellColumns cells, std::size_t rows, typename Step::Cell* to,
                     Answers& answers) const {
  // Rows that are not there are walked too, to fill up a group.
  std::fill(to + rows / Step::kRowsTogether * Step::kRowsTogether * stride_, to + kBlockRows * stride_,
            typename Step::Cell{});
  if constexpr (requires { step.last(); })
    for (std::size_t r = 0; r < kBlockRows; ++r) to[first_cell<Step>(r, stride_)] = step.level(step.last());
  else if constexpr (requires { Step::kLastCode; })
    for (std::size_t r = 0; r < kBlockRows; ++r) to[first_cell<Step>(r, stride_)] = step.level(Step::kLastCode);
  begin_answers(*plan_, answers);
  for (const Column& column : columns_) {
    const double* cell = cells[column.column];
    if (!column.category) {
      if (!read_numbers(step, column, cell, rows, to, answers)) return false;
      continue;
    }
    if constexpr (requires { step.level(0u); })
      for (std::size_t r = 0; r < rows; ++r)
        to[first_cell<Step>(r, stride_) + column.left * Step::kRowsTogether] =
            step.level(cell[r] != cell[r] ? 0 : 1 + static_cast<std::uint32_t>(cell[r]));
  }
  end_answers(*plan_, cells, rows, answers);
  return true;
}
template bool DeepCells::read(const NarrowStep&, CellColumns, std::size_t, NarrowStep::Cell*, Answers&) const;
template bool DeepCells::read(const WideStep&, CellColumns, std::size_t, WideStep::Cell*, Answers&) const;
template bool DeepCells::read(const FewMaskStep&, CellColumns, std::size_t, FewMaskStep::Cell*, Answers&) const;
template bool DeepCells::read(const ManyMaskStep&, CellColumns, std::size_t, ManyMaskStep::Cell*, Answers&) const;
template bool DeepCells::read(const SetStep&, CellColumns, std::size_t, SetStep::Cell*, Answers&) const;

}  // namespace wald
