// The rows of a small subtree, copied so that what its nodes read over and over lies together.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <vector>

#include "tree/sapling.h"
#include "tree/sapling_scan.h"

namespace wald::sapling {

std::vector<CodeColumn> code_columns(const Binned&);  // those of more than one code

// Which columns may still differ among the rows of an open node. One whose rows are found alike is alike for all nodes
// below, and is neither looked at nor kept in order there.
class Varied {
 public:
  explicit Varied(std::size_t columns) : words_(columns / 64 + 1), now_(words_) {
    for (std::size_t k = 0; k < columns; ++k) now_[k / 64] |= std::uint64_t{1} << (k % 64);
    all_ = now_;
  }
  // What is known is kept by the place of a node among the open ones, a stack.
  void begin() { now_ = all_; }
  void take(std::size_t open) { std::copy_n(kept_.begin() + at(open), words_, now_.begin()); }
  void give(std::size_t open) {
    if (kept_.size() < (open + 1) * words_) kept_.resize((open + 1) * words_);
    std::copy_n(now_.begin(), words_, kept_.begin() + at(open));
  }
  bool has(std::size_t column) const { return now_[column / 64] >> (column % 64) & 1; }
  void drop(std::size_t column) { now_[column / 64] &= ~(std::uint64_t{1} << (column % 64)); }
  // body(column), ascending, as long as it says true. Columns may be dropped meanwhile.
  template <class Body>
  void each(Body body) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = now_[w]; bits != 0; bits &= bits - 1)
        if (!body(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)))) return;
  }

 private:
  std::ptrdiff_t at(std::size_t open) const { return static_cast<std::ptrdiff_t>(open * words_); }

  std::size_t words_;
  std::vector<std::uint64_t> all_, now_, kept_;
};

// Its codes; and, for nodes that look at many columns, its rows in the order of each column's codes, which children
// inherit by a stable partition: so no node has to put anything in order. An entry's place in the block is where its
// codes are found from where those of the first row are.
class Block {
 public:
  static constexpr std::size_t kRows = 512;

  // Both must outlive it.
  Block(const RowMajor& by_rows, const std::vector<CodeColumn>& columns, bool ordered)
      : by_rows_(by_rows), columns_(columns) {
    whole_ = by_rows_.width == columns_.size() && by_rows_.width <= kMostWalkedByRows;
    if (whole_ && !ordered && by_rows_.width <= kMostCopiedByRows) spacing_ = by_rows_.width;
    std::size_t wide = 0;
    int most = 1;
    for (const CodeColumn& c : columns_) wide += c.narrow == nullptr, most = std::max(most, c.codes);
    narrow_.resize((columns_.size() - wide) * kRows), wide_.resize(wide * kRows);
    if (ordered) sorted_.resize(columns_.size() * kRows), start_.resize(static_cast<std::size_t>(most));
    order_.resize(sorted_.size());
    std::uint8_t* narrow = narrow_.data();
    std::uint16_t *next = wide_.data(), *order = order_.data();
    for (CodeColumn c : columns_) {
      if (c.narrow != nullptr) c.narrow = std::exchange(narrow, narrow + (spacing_ > 1 ? 1 : kRows));
      else c.wide = std::exchange(next, next + kRows);
      if (ordered) c.order = std::exchange(order, order + kRows);
      copied_.push_back(c);
    }
  }
  // Takes the entries' rows in, and has their places stand for them from now on. The rows of small tables come again,
  // tree after tree, and are still there.
  template <class Entry>
  void take(std::span<Entry> entries) {
    if (!holds<Entry>(entries)) {
      if (spacing_ > 1) copy_rows<Entry>(entries);
      else if (whole_) turn_rows<Entry>(entries);
      else gather_columns<Entry>(entries);
      rows_ = entries.size();
      for (std::size_t j = 0; j < rows_; ++j) origin_[j] = entries[j].place;
      if (!sorted_.empty()) sort();
    }
    for (std::size_t j = 0; j < rows_; ++j) entries[j].place = static_cast<std::uint32_t>(j * spacing_);
    for (std::size_t from = 0; from < sorted_.size(); from += kRows)
      std::copy_n(sorted_.data() + from, rows_, order_.data() + from);
  }
  const std::vector<CodeColumn>& columns() const { return copied_; }
  Row origin(std::uint32_t place) const { return origin_[place / spacing_]; }

  // Of the places from `first` on in the order of each varied column, those to the left come first.
  void divide(std::size_t first, std::size_t rows, const Varied&);
  std::uint8_t& goes_left(std::uint32_t place) { return left_[place]; }

 private:
  static constexpr std::size_t kMostCopiedByRows = 64;  // a line of the cache
  static constexpr std::size_t kAtOnce = 16;            // places divided

  template <class Entry>
  bool holds(std::span<const Entry> entries) const {
    return entries.size() == rows_ && std::equal(entries.begin(), entries.end(), origin_.begin(),
                                                 [](const Entry& e, Row r) { return e.place == r; });
  }
  void sort();  // all places in the order of each column

  template <class Entry>
  void copy_rows(std::span<const Entry> entries) {
    std::uint8_t* to = narrow_.data();
    for (const Entry& e : entries) std::copy_n(by_rows_.of(e.place), spacing_, to), to += spacing_;
  }
  template <class Entry>
  void turn_rows(std::span<const Entry> entries) {
    const std::size_t columns = columns_.size();
    for (std::size_t j = 0; j < entries.size(); ++j) {
      const std::uint8_t* from = by_rows_.of(entries[j].place);
      std::uint8_t* to = narrow_.data() + j;
      for (std::size_t k = 0; k < columns; ++k, to += kRows) *to = from[k];
    }
  }
  template <class Entry>
  void gather_columns(std::span<const Entry> entries) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto gather = [&](const auto* from, auto* to) {
        for (std::size_t j = 0; j < entries.size(); ++j) to[j] = from[entries[j].place];
      };
      if (columns_[k].narrow != nullptr) gather(columns_[k].narrow, const_cast<std::uint8_t*>(copied_[k].narrow));
      else gather(columns_[k].wide, const_cast<std::uint16_t*>(copied_[k].wide));
    }
  }

  const RowMajor& by_rows_;
  const std::vector<CodeColumn>& columns_;
  std::vector<CodeColumn> copied_;
  bool whole_ = false;       // every column is in by_rows
  std::size_t spacing_ = 1;  // of places; more than 1: codes lie row by row
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint16_t> wide_;
  std::vector<std::uint16_t> sorted_, order_, start_;  // sorted_: before any node was divided
  std::size_t rows_ = 0;
  std::array<Row, kRows> origin_;  // the row that lies at a place
  std::array<std::uint8_t, kRows + kAtOnce> left_{};
  std::array<std::uint16_t, kRows + kAtOnce> right_{};
};

}  // namespace wald::sapling
