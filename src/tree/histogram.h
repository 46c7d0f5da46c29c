// Sums per bin. A large node keeps a full histogram of every column, and its larger child's is the parent's less the
// smaller child's. A node of fewer rows than bins fills a scratch column and remembers which bins it touched, so that
// nothing is cleared or scanned that holds no row.
//
// Full histograms are wide: `width` whole numbers of 64 bits a bin. Where a criterion can pack what a row adds into one
// word, rows are counted in blocks so short that no packed field can overflow, and each block is then added to the wide
// sums: one addition a cell instead of `width`, in half the memory.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"

namespace wald {

// Where each column's bins lie in a full histogram: bin b of column c starts at (start[c] + b) * width.
struct BinLayout {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> by_columns;  // columns that are not in by_rows, neither a byte nor a word
  static constexpr std::uint32_t kNoByte = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> byte;  // of each column in by_rows
  int most = 0;                     // codes of the widest column
  explicit BinLayout(const Binned& x) : start{0}, byte(x.columns.size(), kNoByte) {
    start.reserve(x.columns.size() + 1);
    std::vector<bool> in_rows(x.columns.size());
    for (std::uint32_t k = 0; k < x.by_rows.width; ++k)
      byte[x.by_rows.column[k]] = k, in_rows[x.by_rows.column[k]] = true;
    for (const auto& word : x.by_rows.words) in_rows[word.column] = true;
    for (std::uint32_t c = 0; c < x.columns.size(); ++c) {
      start.push_back(start.back() + static_cast<std::size_t>(x.columns[c].codes));
      most = std::max(most, x.columns[c].codes);
      if (!in_rows[c] && x.columns[c].codes > 1) by_columns.push_back(c);
    }
  }
  std::size_t bins() const { return start.back(); }
};

using Histogram = std::vector<std::int64_t>;

// A node of more rows keeps a full histogram; one of fewer is summed up column by column, in the bins it touches. It
// decides more than the cost: a bin whose rows add nothing is empty to a full histogram.
inline std::size_t most_touched(const Binned& x, std::size_t bins, std::size_t width) {
  constexpr std::size_t kLargestHistogram = 32u << 20;  // bytes; beyond this columns are summed up one at a time
  // A table of so few rows, but many values: their order is found once a fit (few_newton.cpp), so no node needs more.
  constexpr std::size_t kSmallTable = 512, kManyValues = 64;
  if (bins * width * sizeof(std::int64_t) > kLargestHistogram) return std::numeric_limits<std::size_t>::max();
  const std::size_t twice = (2 * bins - 1) / x.columns.size();
  return x.rows <= kSmallTable && twice >= kManyValues ? std::max<std::size_t>(twice, x.rows) : twice;
}

inline void subtract(Histogram& from, const Histogram& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

// Histograms no longer needed, kept for the next node: asking the system for fresh memory costs more than the counting.
class Histograms {
 public:
  Histogram take(std::size_t size) {  // holding anything
    Histogram out;
    {
      const std::lock_guard lock(mutex_);
      if (!kept_.empty()) out = std::move(kept_.back()), kept_.pop_back();
    }
    out.resize(size);
    return out;
  }
  void give(Histogram histogram) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(histogram));
  }

 private:
  std::mutex mutex_;
  std::vector<Histogram> kept_;
};

template <class C>
concept Packs = requires(const C& c, const typename C::Part& part, std::uint64_t word, std::int64_t* into) {
  { c.packed_rows() } -> std::same_as<std::size_t>;  // so many words can be added before a field overflows; 0 = none
  { c.pack(part) } -> std::same_as<std::uint64_t>;
  { c.unpack(word, into) };  // into += the sums in the word
};

template <class C>
concept Widens = requires(const C& c, const typename C::Part& part, TwoSums cell, std::int64_t* into) {
  { c.widen(part) } -> std::same_as<TwoSums>;
  { c.unpack(cell, into) };
};

// Either way rows are added to cells, and these then to the sums.
template <class C>
concept HasCells = (Packs<C> || Widens<C>) && requires(const C& c) {
  { c.source(Row{}) } -> std::convertible_to<const void*>;  // where what the row adds lies
};

template <class C>
std::size_t packed_rows(const C& criterion) {
  if constexpr (Packs<C>) return criterion.packed_rows();
  else return 0;
}
// What a row adds to a cell of that kind.
template <class Cell, HasCells C>
Cell cell_of(const C& criterion, const typename C::Part& part) {
  if constexpr (std::same_as<Cell, TwoSums>) return criterion.widen(part);
  else return criterion.pack(part);
}

// Packed cells a column has when counted by rows, whatever its codes. Not 256: columns of few codes would all keep
// their cells in the same few sets of the cache.
constexpr std::size_t kByRowsCells = 256 + 8;
inline std::size_t packed_cells(std::size_t bytes) { return bytes * kByRowsCells; }
constexpr std::size_t kLine = 64;       // bytes of the cache
constexpr std::size_t kStripe = kLine;  // bytes of a row counted at a time: more packed cells drive each other out

// A row to be added: where its codes lie, and what goes to the cell of each.
template <class Cell>
struct Addend {
  const std::uint8_t* code;
  Cell word;
};
constexpr std::size_t kAddedTogether = 8;  // rows whose codes wait in the first-level cache; twice as many are slower

// cells[kByRowsCells k + code[k]] += word for each row and column k. Every other row, from the first on, puts
// aside[k] further what it adds, of which no byte overflows; the others put it nothing[k] = 0 further. Reads up to
// seven bytes more of each.
template <class Cell>
using AddRows = void (*)(std::span<const Addend<Cell>>, const std::uint8_t* aside, const std::uint8_t* nothing,
                         Cell* cells);

// For so many columns, at most kStripe; puts_aside: else neither aside nor nothing is read.
template <class Cell>
AddRows<Cell> row_adder(std::size_t columns, bool puts_aside);

// The rows of a node lie anywhere in the table. What they need is fetched in two steps: far ahead into the second-level
// cache, which waits for many lines at once, and shortly before its turn into the first, which waits for few. With one
// step, into the first, nodes of a sixteenth of the rows took two and a half times as long.
constexpr std::size_t kFarAhead = 64, kShortlyAhead = 8;
enum Near : int { kSecondLevel = 2, kFirstLevel = 3 };  // as __builtin_prefetch counts

// These are not to be left to the compiler: it takes a function that only fetches for one that does nothing. The last
// byte by itself, since the first may lie anywhere in its line: without, 500,000 x 90 took two thirds longer.
template <Near kNear>
[[gnu::always_inline]] inline void fetch_codes(const std::uint8_t* code, std::size_t bytes) {
  for (std::size_t k = 0; k + 1 < bytes; k += kLine) __builtin_prefetch(code + k, 0, kNear);
  __builtin_prefetch(code + bytes - 1, 0, kNear);
}
template <HasCells C>
[[gnu::always_inline]] inline void fetch_row(const std::uint8_t* code, std::size_t bytes, Row row, const C& criterion) {
  fetch_codes<kSecondLevel>(code, bytes);
  __builtin_prefetch(criterion.source(row), 0, kSecondLevel);
}

template <class Cell>
void add_words(const std::uint8_t* code, std::span<const RowBytes::Word> words, Cell word, Cell* __restrict cells) {
  for (const RowBytes::Word& w : words) {
    std::uint16_t c;
    std::memcpy(&c, code, sizeof c);
    cells[w.cell + c] += word, code += sizeof c;
  }
}

constexpr std::size_t kManyRows = 1024;  // fewer do not pay for adding up what was put aside

// cells[kByRowsCells k + code] += the packed part of each row, for the k-th of its bytes from `first` to `last`; with
// the last byte its words are counted too, in the cells behind. In a column of few codes every other row of many is put
// aside in cells that its codes do not reach; the next row would wait for this one where both have the same code.
template <class Cell, HasCells C>
void fill_by_rows(const RowBytes& x, std::span<const Row> rows, const C& criterion, std::size_t first, std::size_t last,
                  Cell* __restrict cells) {
  const std::size_t columns = last - first, stride = x.stride;
  const bool puts_aside = x.any_aside && rows.size() >= kManyRows;
  const AddRows<Cell> add = row_adder<Cell>(columns, puts_aside);
  const std::span words = last == x.width ? std::span(x.words) : std::span<const RowBytes::Word>();
  const std::size_t bytes = (words.empty() ? last : x.bytes()) - first;  // of what is fetched
  const std::uint8_t* const codes = x.code.data() + first;
  const auto code_of = [&](Row row) { return codes + row * stride; };
  for (const Row row : rows.first(std::min(rows.size(), kFarAhead))) fetch_row(code_of(row), bytes, row, criterion);
  std::array<Addend<Cell>, kAddedTogether> some;
  for (std::size_t at = 0; at < rows.size(); at += some.size()) {
    const std::size_t count = std::min(some.size(), rows.size() - at);
    for (std::size_t i = 0; i < count; ++i) {
      if (at + i + kFarAhead < rows.size()) {
        const Row later = rows[at + i + kFarAhead];
        fetch_row(code_of(later), bytes, later, criterion);
      }
      const Row row = rows[at + i];
      some[i] = {code_of(row), cell_of<Cell>(criterion, criterion.part(row))};
      fetch_codes<kFirstLevel>(some[i].code, bytes);
    }
    add(std::span(some).first(count), x.aside.data() + first, x.nothing.data() + first, cells);
    if (!words.empty())
      for (std::size_t i = 0; i < count; ++i)
        add_words(some[i].code + columns, words, some[i].word, cells + packed_cells(columns));
  }
  if (!puts_aside) return;
  for (std::size_t k = first; k < last; ++k, cells += kByRowsCells)
    if (x.aside[k] > 0)
      for (std::size_t c = 0; c < RowBytes::kFewCodes; ++c) cells[c] += std::exchange(cells[c + x.aside[k]], Cell{});
}

template <class Cell, HasCells C, class Codes>
void fill_packed(Codes code, std::span<const Row> rows, const C& criterion, Cell* __restrict cells) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kFarAhead < rows.size()) {
      __builtin_prefetch(criterion.source(rows[i + kFarAhead]), 0, kSecondLevel);
      __builtin_prefetch(code + rows[i + kFarAhead], 0, kSecondLevel);
    }
    if (i + kShortlyAhead < rows.size()) {
      __builtin_prefetch(criterion.source(rows[i + kShortlyAhead]), 0, kFirstLevel);
      __builtin_prefetch(code + rows[i + kShortlyAhead], 0, kFirstLevel);
    }
    cells[code[rows[i]]] += cell_of<Cell>(criterion, criterion.part(rows[i]));
  }
}

// Adds packed cells to wide sums and clears them.
template <class Cell, HasCells C>
void flush(std::span<Cell> cells, const C& criterion, std::int64_t* sums) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < cells.size(); ++i) criterion.unpack(cells[i], sums + i * width);
  std::ranges::fill(cells, Cell{});
}

// Puts packed cells over the wide sums of a criterion of two or onto them, takes them off others, and clears them.
enum class Pour { Nowhere, Over, Onto };
template <Pour kTo, bool kOff, class Cell, HasCells C>
void pour(std::span<Cell> cells, const C& criterion, std::int64_t* to, std::int64_t* off) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::int64_t sums[2] = {0, 0};
    criterion.unpack(cells[i], sums);
    if constexpr (kTo == Pour::Over) to[2 * i] = sums[0], to[2 * i + 1] = sums[1];
    if constexpr (kTo == Pour::Onto) to[2 * i] += sums[0], to[2 * i + 1] += sums[1];
    if constexpr (kOff) off[2 * i] -= sums[0], off[2 * i + 1] -= sums[1];
  }
  std::ranges::fill(cells, Cell{});
}

template <class C, class Code>
void fill(const std::vector<Code>& code, std::span<const Row> rows, const typename C::Part* part, const C& criterion,
          std::int64_t* sums) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto p = part[i];  // read before the sums are touched: they might alias for all the compiler knows
    criterion.add(p, sums + code[rows[i]] * width);
  }
}

// The same for several columns at once. Where a column has few codes, a row adds to the cell that the row before it has
// just added to, and waits for that; meanwhile the other columns are served.
constexpr std::size_t kFilledTogether = 4;
template <class C>
void fill_together(const std::array<const std::uint8_t*, kFilledTogether>& code, std::span<const Row> rows,
                   const typename C::Part* part, const C& criterion,
                   const std::array<std::int64_t*, kFilledTogether>& sums) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto p = part[i];
    const Row row = rows[i];
    for (std::size_t k = 0; k < kFilledTogether; ++k) criterion.add(p, sums[k] + code[k][row] * width);
  }
}

// The codes of a full column that hold anything, ascending.
inline void occupied(const std::int64_t* sums, int codes, int width, std::vector<std::uint16_t>& out) {
  out.clear();
  for (int code = 0; code < codes; ++code) {
    std::int64_t any = 0;
    for (int k = 0; k < width; ++k) any |= sums[static_cast<std::size_t>(code) * static_cast<std::size_t>(width) + k];
    if (any != 0) out.push_back(static_cast<std::uint16_t>(code));
  }
}

// A set of codes that lists itself in ascending order: one bit a code, and one bit for each 64 of those.
class Touched {
 public:
  void resize(int codes) {
    word_.assign(static_cast<std::size_t>(codes) / 64 + 1, 0);
    summary_.assign(word_.size() / 64 + 1, 0);
  }
  void add(std::size_t code) {
    word_[code / 64] |= std::uint64_t{1} << (code % 64);
    summary_[code / 4096] |= std::uint64_t{1} << (code / 64 % 64);
  }
  void take(std::vector<std::uint16_t>& out) {  // lists and empties the set
    out.clear();
    for (std::size_t s = 0; s < summary_.size(); ++s)
      for (std::uint64_t group = std::exchange(summary_[s], 0); group != 0; group &= group - 1) {
        const std::size_t w = 64 * s + static_cast<std::size_t>(std::countr_zero(group));
        for (std::uint64_t bits = std::exchange(word_[w], 0); bits != 0; bits &= bits - 1)
          out.push_back(static_cast<std::uint16_t>(64 * w + static_cast<std::size_t>(std::countr_zero(bits))));
      }
  }

 private:
  std::vector<std::uint64_t> word_, summary_;
};

// What one thread needs to look at a node; never shrinks, so that small nodes allocate nothing.
struct Scratch {
  std::vector<std::int64_t> sums;  // one column's, all zero between uses
  Touched touched;
  std::vector<std::uint16_t> codes;  // occupied, ascending
  std::vector<std::int64_t> left, right;
  std::size_t most_cells = 0;
  std::tuple<std::vector<std::uint64_t>, std::vector<TwoSums>> packed;  // all zero between uses
  CutSums cuts;
  void fit(const BinLayout& layout, const Binned& x, std::size_t width) {
    sums.resize(static_cast<std::size_t>(layout.most) * width);
    touched.resize(layout.most);
    const std::size_t by_rows = packed_cells(std::min(x.by_rows.width, kStripe)) + x.by_rows.word_cells;
    most_cells = std::max(static_cast<std::size_t>(layout.most), by_rows);
  }
  template <class Cell>
  std::span<Cell> cells() {
    auto& out = std::get<std::vector<Cell>>(packed);
    if (out.size() != most_cells) out.resize(most_cells);
    return out;
  }
};

constexpr std::size_t kTurnedRows = 512;  // more rows are no longer so far apart

// The bytes of some rows column by column: byte k of rows[i] at to[k * spacing + i]. The rows of a small node are
// spread over the table, and reading each column where it lies would fetch a cache line for every cell.
void turn(const RowBytes&, std::span<const Row> rows, std::uint8_t* to, std::size_t spacing);
// One column behind the other.
inline void turn(const RowBytes& x, std::span<const Row> rows, std::vector<std::uint8_t>& to) {
  to.resize(rows.size() * x.width);
  turn(x, rows, to.data(), rows.size());
}

// code_of(i): of the i-th of so many rows.
template <class C, class CodeOf>
void fill_touched(std::size_t rows, CodeOf code_of, const typename C::Part* part, const C& criterion,
                  Scratch& scratch) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t c = code_of(i);
    const auto p = part[i];
    scratch.touched.add(c);
    criterion.add(p, scratch.sums.data() + c * width);
  }
  scratch.touched.take(scratch.codes);
}

inline void clear_touched(Scratch& scratch, int width) {
  if (width == 2) {  // filling two cells a code costs more than two cells
    for (const std::uint16_t code : scratch.codes) scratch.sums[2 * code] = scratch.sums[2 * code + 1] = 0;
    return;
  }
  for (const std::uint16_t code : scratch.codes)
    std::fill_n(scratch.sums.data() + static_cast<std::size_t>(code) * static_cast<std::size_t>(width), width, 0);
}

namespace growing {
class Few;
class Gathered;
}  // namespace growing

// What is kept from tree to tree of one fit.
struct GrowScratch {
  std::optional<BinLayout> layout;                 // of the table, which is the same for all trees
  std::vector<std::unique_ptr<growing::Few>> few;  // one a thread, as of all below
  std::vector<std::unique_ptr<growing::Gathered>> copies;
  std::size_t cache = 40u << 20;  // bytes of a table that are taken to stay near without being gathered
  std::vector<Scratch> thread;
  Histograms histograms;
};

}  // namespace wald
