// The answers to a plan's questions, for a block of rows or for one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "model/circuit.h"

namespace wald {
namespace {

RowSet first_rows(std::size_t rows) {
  RowSet out;
  for (std::size_t row = 0; row < rows; row += 64)
    out.word[row / 64] = rows - row >= 64 ? ~0ull : (1ull << (rows - row)) - 1;
  return out;
}

constexpr std::uint32_t kPieces = 1024;

// Of a missing cell 0.
std::uint32_t piece_of(const CutQuestions& asked, double cell) {
  const double at = (cell - asked.low) * asked.pieces_per_unit;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(at > 0 ? std::min(at, kPieces - 1.0) : 0.0));
}

// A row leaves the rows above the thresholds at the one that is its place; one beyond all, or missing, at the one that
// nobody asks. Returns the missing.
RowSet answer_cuts(const CutQuestions& asked, const double* cell, std::size_t rows, RowSet* yes) {
  std::array<std::uint32_t, kBlockRows> place;
  find_places(asked, cell, rows, place.data());
  RowSet missing, above = first_rows(rows);
  if (any_missing(cell, rows))
    for (std::size_t row = 0; row < rows; ++row) {
      if (cell[row] == cell[row]) continue;
      place[row] = static_cast<std::uint32_t>(asked.count);
      missing.flip(row), above.flip(row);
    }
  RowSet* first = yes + asked.first;
  std::memset(static_cast<void*>(first), 0, (asked.count + 1) * sizeof(RowSet));
  for (std::size_t row = 0; row < rows;)
    for (std::uint64_t bit = 1; bit != 0 && row < rows; bit <<= 1, ++row) first[place[row]].word[row / 64] ^= bit;
  rows_beyond(first, asked.count, above);
  return missing;
}

void add_missing(const RowSet* from, std::size_t count, const RowSet& missing, RowSet* to) {
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t w = 0; w < kBlockWords; ++w) to[k].word[w] = from[k].word[w] | missing.word[w];
}

void find_levels(const CategoryColumn& column, const double* cell, std::size_t rows, RowSet* level) {
  std::fill(level, level + column.levels + 1, RowSet{});
  for (std::size_t row = 0; row < rows; ++row)
    level[cell[row] == cell[row] ? static_cast<std::size_t>(cell[row]) : column.levels].flip(row);
}

// Of the levels that go left and those that go right, the fewer are united.
void answer_set(const SetQuestion& asked, const CategoryColumn& column, const RowSet* level, const RowSet& all,
                RowSet& into) {
  const std::uint64_t right = ~asked.left & (~0ull >> (64 - column.levels));
  const bool by_left = std::popcount(asked.left) < std::popcount(right);
  const RowSet& missing = level[column.levels];
  RowSet some;
  for (std::uint64_t rest = by_left ? asked.left : right; rest != 0; rest &= rest - 1)
    for (std::size_t w = 0; w < kBlockWords; ++w) some.word[w] |= level[std::countr_zero(rest)].word[w];
  for (std::size_t w = 0; w < kBlockWords; ++w) {
    const std::uint64_t known = by_left ? all.word[w] & ~missing.word[w] & ~some.word[w] : some.word[w];
    into.word[w] = asked.missing_right ? known | missing.word[w] : known;
  }
}

}  // namespace

bool any_missing(const double* cell, std::size_t rows) {
  bool any = false;
  for (std::size_t row = 0; row < rows; ++row) any |= cell[row] != cell[row];
  return any;
}

// All rows take a step of the search before any takes the next, so that none waits for its own comparison.
void find_places(const CutQuestions& asked, const double* cell, std::size_t rows, std::uint32_t* place) {
  if (asked.before.size() == 1) {
    std::fill_n(place, rows, 0u);
  } else {
    for (std::size_t row = 0; row < rows; ++row) place[row] = piece_of(asked, cell[row]);
    for (std::size_t row = 0; row < rows; ++row) place[row] = asked.before[place[row]];
  }
  const double* cuts = asked.cuts.data();
  std::size_t count = asked.most;
  for (; count > 1; count -= count / 2) {
    const auto half = static_cast<std::uint32_t>(count / 2);
    for (std::size_t row = 0; row < rows; ++row) place[row] += cuts[place[row] + half - 1] < cell[row] ? half : 0;
  }
  for (std::size_t row = 0; row < rows; ++row) place[row] += cuts[place[row]] < cell[row];
}

void divide(CutQuestions& asked) {
  asked.count = asked.cuts.size();
  const auto finite = [](double x) { return std::isfinite(x); };
  const auto first = std::ranges::find_if(asked.cuts, finite);
  const auto last = std::find_if(asked.cuts.rbegin(), asked.cuts.rend(), finite);
  if (first != asked.cuts.end() && *first < *last)
    asked.low = *first, asked.pieces_per_unit = kPieces / (*last - *first);
  std::vector<std::uint16_t> in(asked.pieces_per_unit > 0 ? kPieces : 1);
  for (const double cut : asked.cuts) ++in[piece_of(asked, cut)];
  asked.most = std::ranges::max(in);
  std::exclusive_scan(in.begin(), in.end(), in.begin(), std::uint16_t{0});
  asked.before = std::move(in);
  asked.cuts.resize(asked.count + asked.most, std::numeric_limits<double>::infinity());
}

void answer(const CircuitPlan& plan, CellColumns cells, std::size_t rows, Answers& out) {
  out.yes.resize(std::max(out.yes.size(), plan.questions(false)));
  out.absent.resize(plan.cuts.size());
  out.missing = false;
  for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
    out.absent[i] = answer_cuts(plan.cuts[i], cells[plan.cuts[i].column], rows, out.yes.data());
    out.missing = out.missing || out.absent[i] != RowSet{};
  }
  if (out.missing) out.yes.resize(plan.questions(true));
  for (std::size_t i = 0; out.missing && i < plan.cuts.size(); ++i) {
    RowSet* from = out.yes.data() + plan.cuts[i].first;
    add_missing(from, plan.cuts[i].count, out.absent[i], from + plan.missing_on());
  }
  if (plan.sets.empty()) return;
  out.level.resize(plan.categories.back().first + plan.categories.back().levels + 1);
  for (const CategoryColumn& column : plan.categories)
    find_levels(column, cells[column.column], rows, out.level.data() + column.first);
  const RowSet all = first_rows(rows);
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const CategoryColumn& column = plan.categories[plan.sets[s].column];
    answer_set(plan.sets[s], column, out.level.data() + column.first, all, out.yes[1 + plan.thresholds + s]);
  }
}

bool answer(const CircuitPlan& plan, std::span<const double> cells, std::uint8_t* answers) {
  bool missing = false;
  answers[0] = 0;
  for (const CutQuestions& asked : plan.cuts) missing = missing || cells[asked.column] != cells[asked.column];
  for (const CutQuestions& asked : plan.cuts) {
    const double x = cells[asked.column];
    std::uint32_t place = 0;
    find_places(asked, &x, 1, &place);
    std::uint8_t* to = answers + asked.first;
    std::memset(to, 1, place);
    std::memset(to + place, 0, asked.count - place);
    if (missing && x == x) std::memcpy(to + plan.missing_on(), to, asked.count);
    else if (missing) std::memset(to + plan.missing_on(), 1, asked.count);
  }
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const SetQuestion& asked = plan.sets[s];
    const double x = cells[plan.categories[asked.column].column];
    answers[1 + plan.thresholds + s] =
        x == x ? !(asked.left >> static_cast<std::uint32_t>(x) & 1) : asked.missing_right;
  }
  return missing;
}

}  // namespace wald
