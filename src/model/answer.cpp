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

// The rows whose place is above k; of a missing one it is 0.
void rows_above(const std::uint32_t* place, std::uint32_t k, std::size_t rows, RowSet& into) {
  std::array<std::uint8_t, kBlockRows> is_above{};
  for (std::size_t row = 0; row < rows; ++row) is_above[row] = place[row] > k;
  auto* to = reinterpret_cast<std::uint8_t*>(into.word);
  for (std::size_t i = 0; i < kBlockRows / 8; ++i) {
    std::uint64_t eight = 0;  // bytes, whose lowest bits are moved to the top
    std::memcpy(&eight, is_above.data() + 8 * i, sizeof eight);
    to[i] = static_cast<std::uint8_t>(eight * 0x0102'0408'1020'4080 >> 56);
  }
}

// A row leaves the rows above the thresholds at the one that is its place; one beyond all, or missing, at the one that
// nobody asks.
void answer_many(const CutQuestions& asked, const std::uint32_t* place, const RowSet& missing, std::size_t rows,
                 RowSet* first) {
  std::memset(static_cast<void*>(first), 0, (asked.count + 1) * sizeof(RowSet));
  for (std::size_t row = 0; row < rows;)
    for (std::uint64_t bit = 1; bit != 0 && row < rows; bit <<= 1, ++row) first[place[row]].word[row / 64] ^= bit;
  RowSet above = first_rows(rows);
  for (std::size_t w = 0; w < kBlockWords; ++w) {
    above.word[w] ^= missing.word[w];
    first[0].word[w] ^= missing.word[w];
  }
  rows_beyond(first, asked.count, above);
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

// All unions of so many levels that follow each other: a set is one of each.
constexpr std::size_t kLevelsTogether = 5, kUnions = std::size_t{1} << kLevelsTogether;

RowSet united(RowSet some, const RowSet& more) {
  for (std::size_t w = 0; w < kBlockWords; ++w) some.word[w] |= more.word[w];
  return some;
}

void unite_levels(const RowSet* level, std::size_t levels, RowSet* unions) {
  for (std::size_t from = 0; from < levels; from += kLevelsTogether, unions += kUnions) {
    unions[0] = {};
    const std::size_t count = std::size_t{1} << std::min(kLevelsTogether, levels - from);
    for (std::size_t k = 1; k < count; ++k) unions[k] = united(unions[k & (k - 1)], level[from + std::countr_zero(k)]);
  }
}

void answer_set(const SetQuestion& asked, std::size_t levels, const RowSet& missing, const RowSet* unions,
                RowSet& into) {
  RowSet some;
  if (asked.missing_right) some = missing;
  for (std::uint64_t right = ~asked.left & (~0ull >> (64 - levels)); right != 0; right >>= kLevelsTogether)
    some = united(some, unions[right % kUnions]), unions += kUnions;
  into = some;
}

}  // namespace

// All rows take a step of the search before any takes the next, so that none waits for its own comparison.
void find_places(const CutQuestions& asked, const double* cell, std::size_t rows, std::uint32_t* place) {
  if (asked.count == 1) return find_places(asked.cuts[0], cell, rows, place);
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

void begin_answers(const CircuitPlan& plan, Answers& out) {
  out.yes.resize(std::max(out.yes.size(), plan.questions(false)));
  out.absent.resize(plan.cuts.size());
  out.missing = false;
}

void answer_places(const CircuitPlan& plan, std::size_t i, const double* cell, const std::uint32_t* place,
                   bool any_missing, std::size_t rows, Answers& out) {
  constexpr std::uint32_t kFewCuts = 4;  // for which each is asked of all rows
  const CutQuestions& asked = plan.cuts[i];
  RowSet& missing = out.absent[i] = {};
  for (std::size_t row = 0; any_missing && row < rows; ++row)
    if (cell[row] != cell[row]) missing.flip(row);
  out.missing = out.missing || any_missing;
  RowSet* first = out.yes.data() + asked.first;
  if (asked.count > kFewCuts) return answer_many(asked, place, missing, rows, first);
  for (std::uint32_t k = 0; k < asked.count; ++k) rows_above(place, k, rows, first[k]);
}

void answer(const CircuitPlan& plan, CellColumns cells, std::size_t rows, Answers& out) {
  begin_answers(plan, out);
  std::array<std::uint32_t, kBlockRows> place;
  for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
    const double* cell = cells[plan.cuts[i].column];
    find_places(plan.cuts[i], cell, rows, place.data());
    answer_places(plan, i, cell, place.data(), any_missing(cell, rows), rows, out);
  }
  end_answers(plan, cells, rows, out);
}

void end_answers(const CircuitPlan& plan, CellColumns cells, std::size_t rows, Answers& out) {
  if (out.missing) out.yes.resize(plan.questions(true));
  for (std::size_t i = 0; out.missing && i < plan.cuts.size(); ++i) {
    RowSet* from = out.yes.data() + plan.cuts[i].first;
    add_missing(from, plan.cuts[i].count, out.absent[i], from + plan.missing_on());
  }
  if (plan.sets.empty()) return;
  out.level.resize(plan.categories.back().first + plan.categories.back().levels + 1);
  std::vector<std::size_t> unions;  // where those of each column begin
  std::size_t all_unions = 0;
  for (const CategoryColumn& column : plan.categories) {
    unions.push_back(all_unions);
    all_unions += (column.levels + kLevelsTogether - 1) / kLevelsTogether * kUnions;
  }
  out.unions.resize(all_unions);
  for (std::size_t i = 0; i < unions.size(); ++i) {
    const CategoryColumn& column = plan.categories[i];
    find_levels(column, cells[column.column], rows, out.level.data() + column.first);
    unite_levels(out.level.data() + column.first, column.levels, out.unions.data() + unions[i]);
  }
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const SetQuestion& set = plan.sets[s];
    const CategoryColumn& column = plan.categories[set.column];
    answer_set(set, column.levels, out.level[column.first + column.levels], out.unions.data() + unions[set.column],
               out.yes[1 + plan.thresholds + s]);
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
