// Bins: every column as small whole numbers. Code 0 is missing; numbers get the codes 1 .. bins in order of value,
// categories keep their own (level + 1). As many bins as distinct values gives the exact search.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/huge.h"
#include "wald/result.h"
#include "wald/table.h"

namespace wald {

inline constexpr int kMaxBins = 65'535;  // of values; one more code for missing fits 16 bits

struct BinnedColumn {
  ColumnType type = ColumnType::Number;
  int codes = 1;                                                             // all codes are below this
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> code;  // one per row; 16 bits when codes > 256
  std::vector<double> lowest, highest;  // numbers: the least and the greatest training value of bin b at [b - 1]

  int at(Row row) const {
    return std::visit([row](const auto& c) { return static_cast<int>(c[row]); }, code);
  }
};

// The narrow columns (at most 256 codes) a second time, one row after the other: counting all columns of a row then
// reads one cache line instead of one a column.
struct RowLayout {
  std::size_t width = 0, stride = 0;
  // By byte: how far behind the cells of a column of few codes as many more lie, for every other row; else 0. And as
  // many zeros.
  static constexpr std::size_t kFewCodes = 32;
  std::vector<std::uint8_t> aside, nothing;
  bool any_aside = false;
  // Behind the bytes of a row: its codes in columns of more than 256, two bytes each. Where these are counted each has
  // cells of its own, one a code.
  struct Word {
    std::uint32_t column = 0;
    std::size_t cell = 0, codes = 0;  // its first cell, and how many
  };
  std::vector<Word> words;
  std::size_t word_cells = 0;
  std::size_t bytes() const { return width + sizeof(std::uint16_t) * words.size(); }
};
struct RowBytes : RowLayout {
  HugeVector<std::uint8_t> code;  // byte k of row r at [r * stride + k]; a word more, so that rows may be read in words
  void reserve(Row rows, std::size_t narrow);  // all zero
  const std::uint8_t* of(Row row) const { return code.data() + std::size_t{row} * stride; }
};
struct RowMajor : RowBytes {
  std::vector<std::uint32_t> column;                         // by byte, ascending
  std::size_t place(std::uint32_t column, bool word) const;  // of a column's code among a row's bytes
};
// The same with several columns in a byte (bundle.h).
struct Bundles : RowBytes {
  struct Member {
    std::uint32_t column = 0;
    std::array<std::uint8_t, 256> code{};  // of the column, by what the byte is
  };
  std::vector<std::vector<Member>> of_byte;
};

// Columns of numbers that have two values and no missing cell, as tables made of levels have many: a bit a row each, so
// that a word tells a row's codes in dozens of them.
struct TwoValued {
  static constexpr std::uint32_t kBits = 48;  // of a word that are used: the others are for whoever counts

  std::vector<std::uint32_t> column;  // the k-th is bit k % kBits of a row's word k / kBits: set where the code is 2
  std::size_t words = 0;              // of a row
  std::vector<std::uint64_t> word;    // row x words
};

struct Binned {
  Row rows = 0;
  std::vector<BinnedColumn> columns;
  RowMajor by_rows;      // empty where counting column by column is better
  Bundles bundles;       // empty where by_rows does as well
  TwoValued two_valued;  // empty where such columns are few
};

// The codes of a column where rows lie one after the other, by row.
template <class Code>
struct CodesInRows {
  const std::uint8_t* first = nullptr;
  std::size_t stride = 0;
  const std::uint8_t* operator+(Row row) const { return first + std::size_t{row} * stride; }  // where it lies
  Code operator[](Row row) const {
    Code out;
    std::memcpy(&out, *this + row, sizeof out);
    return out;
  }
};

// Calls body with the codes of a column, by row, wherever they lie: rows that were gathered (tree/gathered.h) are in
// by_rows alone.
template <class Body>
decltype(auto) with_codes(const Binned& x, std::uint32_t column, Body body) {
  return std::visit(
      [&](const auto& code) -> decltype(auto) {
        using Code = typename std::remove_cvref_t<decltype(code)>::value_type;
        if (!code.empty() || x.rows == 0) return body(code.data());
        return body(
            CodesInRows<Code>{x.by_rows.code.data() + x.by_rows.place(column, sizeof(Code) > 1), x.by_rows.stride});
      },
      x.columns[column].code);
}

// At most max_bins bins for a column of numbers: one per distinct value where they suffice, else quantiles, exact and
// found by counting on the order-preserving integer image of the values, so that neither the order of the rows
// nor the number of threads matters. A category column of more than kMaxBins levels is refused.
Result<Binned> bin(const Table&, int max_bins);

// The codes lie twice in memory, which is too dear for tables of very many columns.
inline constexpr std::size_t kMostByRows = 1u << 14;
RowMajor by_rows(const Binned&);
TwoValued two_valued(const Binned&);

// The quantile rule alone: how many of the ascending distinct values, given their counts, go into each bin.
std::vector<std::size_t> bin_sizes(const std::vector<std::size_t>& counts, int max_bins);

}  // namespace wald
