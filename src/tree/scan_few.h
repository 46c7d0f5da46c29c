// The scan of a column in a node of few rows, for criteria of two sums that fit one word: rows are added to the cells
// of their codes, the occupied cells are listed, summed up and emptied in one walk, and all cuts are judged at once.
// The offers are those of scan_numbers, in the same order.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "tree/histogram.h"
#include "tree/scan.h"

namespace wald {

// A table so small that it stays in the nearest cache: its rows are read where they lie.
constexpr std::size_t kNearBytes = 1u << 14;
inline bool lies_near(const RowBytes& x) { return x.width > 0 && x.code.size() <= kNearBytes; }

template <class C>
concept ScansFew = JudgesAtOnce<C> && Packs<C>;

// What offers need to know of a column besides its cuts.
struct FewColumn {
  std::uint32_t column = 0;
  Sums total;  // of the node
  MissingRule rule = MissingRule::Learn;
  std::int64_t missing[2] = {0, 0};  // sums of the rows that miss the column
  bool any_missing = false;

  // Where leaves must have some rows: how many there are up to each value, those that miss the column among them.
  const std::uint32_t* upto = nullptr;
  std::size_t rows = 0, missing_rows = 0, needed = 1;

  bool has_missing() const { return any_missing; }
  const std::int64_t* missing_sums() const { return missing; }
  // Takes the worth from cuts that leave a side too few rows; gives the largest of the others, and `most` where none
  // need be asked.
  double only_enough(std::span<double> gain, bool missing_left, double most) const {
    if (upto == nullptr) return most;
    most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < gain.size(); ++i) {
      const std::size_t left = upto[i] - (missing_left ? 0 : missing_rows);
      if (left < needed || rows - left < needed) gain[i] = -std::numeric_limits<double>::infinity();
      most = std::max(most, gain[i]);
    }
    return most;
  }
};

// Empties the cells and puts the running sums of the occupied ones behind each other; gives how many values there are.
// Codes are below 256, code 0 is missing.
template <ScansFew C, class Cell>
std::size_t sum_up(std::array<std::uint64_t, 4>& occupied, Cell* cells, FewColumn& x, Scratch& scratch) {
  x.any_missing = occupied[0] & 1;
  if (x.any_missing) C::unpack(std::exchange(cells[0], Cell{}), x.missing), occupied[0] ^= 1;
  constexpr std::size_t kMost = 256;
  scratch.cuts.fit(kMost);
  scratch.codes.resize(kMost);
  std::uint16_t* code = scratch.codes.data();
  std::int64_t *left = scratch.cuts.left.data(), sum[2] = {x.missing[0], x.missing[1]};
  for (std::size_t w = 0; w < occupied.size(); ++w)
    for (std::uint64_t bits = occupied[w]; bits != 0; bits &= bits - 1) {
      const std::size_t at = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      C::unpack(std::exchange(cells[at], Cell{}), sum);
      *code++ = static_cast<std::uint16_t>(at);
      *left++ = sum[0], *left++ = sum[1];
    }
  return static_cast<std::size_t>(code - scratch.codes.data());
}

// Offers the cuts after each of `count` values, whose codes and left sums are in the scratch; rows that miss the column
// are in all of those.
template <ScansFew C, Chooser Choose>
void offer_few(const FewColumn& x, std::size_t count, const C& criterion, double parent, Choose& choose,
               Scratch& scratch) {
  if (count == 0 || count + x.any_missing < 2) return;
  const auto favourite = [&](Split& split, std::size_t i) {
    split.bin = scratch.codes[i];
    split.next = i + 1 < count ? scratch.codes[i + 1] : 0;
  };
  offer_cuts(x, count, 0, true, criterion, parent, choose, scratch.cuts, favourite);
  if (!x.any_missing) return;
  for (std::size_t i = 0; i < 2 * count; ++i) scratch.cuts.left[i] -= x.missing[i % 2];
  offer_cuts(x, count, 0, false, criterion, parent, choose, scratch.cuts, favourite);
}

// The rows of a node: where their codes lie in the table, or, column by column, in `turned`; and what they add.
template <ScansFew C>
struct FewRows {
  const RowBytes& table;
  std::uint32_t byte = 0;  // of the column
  std::span<const Row> rows;
  const std::uint8_t* turned = nullptr;  // nullptr = in the table
  const typename C::Part* part = nullptr;
};

// Cells of words have room for criterion.packed_rows() rows.
template <class Cell, ScansFew C, Chooser Choose>
void scan_few(FewColumn x, const FewRows<C>& few, const C& criterion, double parent, Choose& choose, Scratch& scratch) {
  std::array<std::uint64_t, 4> occupied{};
  Cell* const cells = scratch.cells<Cell>().data();
  const auto add = [&](auto code_of) {
    for (std::size_t i = 0; i < few.rows.size(); ++i) {
      const std::size_t code = code_of(i);
      cells[code] += cell_of<Cell>(criterion, few.part[i]);
      occupied[code / 64] |= std::uint64_t{1} << (code % 64);
    }
  };
  if (few.turned != nullptr) add([code = few.turned + few.byte * few.rows.size()](std::size_t i) { return code[i]; });
  else add([&](std::size_t i) { return few.table.of(few.rows[i])[few.byte]; });
  const std::size_t count = sum_up<C>(occupied, cells, x, scratch);
  offer_few(x, count, criterion, parent, choose, scratch);
}

}  // namespace wald
