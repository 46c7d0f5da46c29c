// Counts a node's rows in several columns in one pass. An entry is read once for all of them; and an addition to a cell
// waits for the last one to it, which where most rows have one code is the row before: in the meantime other columns,
// and another row that has cells of its own, are counted.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace wald::sapling {

constexpr std::size_t kTogether = 4;  // columns at most

// Cells of the columns, each with room for kRoom, of which the second half is for the second half of the rows. Where
// they lie is known beforehand, so that a loop over rows need only remember where they begin.
template <class Cell, std::size_t kRoom>
class CellsTogether {
 public:
  Cell* of(std::size_t place) { return cells_.data() + place * kRoom; }

  // Counts entries by the codes of columns, kTogether at most, each of which needs kRoom / 2 cells or less; or, if
  // not halved, kRoom. put(cells, code, entry) adds an entry.
  template <class Entry, class Put>
  void count(std::span<const Entry> entries, std::span<const std::uint8_t* const> codes, bool halved, Put put) {
    switch (codes.size()) {
      case 4:
        return halved ? count<4, true>(entries, codes, put) : count<4, false>(entries, codes, put);
      case 3:
        return halved ? count<3, true>(entries, codes, put) : count<3, false>(entries, codes, put);
      case 2:
        return halved ? count<2, true>(entries, codes, put) : count<2, false>(entries, codes, put);
      case 1:
        return halved ? count<1, true>(entries, codes, put) : count<1, false>(entries, codes, put);
      default:
        return;
    }
  }
  // What so many cells of the second half have goes to the first.
  void join(std::size_t place, std::size_t cells) {
    Cell *const first = of(place), *const second = first + kRoom / 2;
    for (std::size_t i = 0; i < cells; ++i) first[i] += std::exchange(second[i], Cell{});
  }
  void clear(std::size_t place) { std::fill_n(of(place), kRoom, Cell{}); }

 private:
  template <std::size_t kColumns, bool kHalved, class Entry, class Put>
  void count(std::span<const Entry> entries, std::span<const std::uint8_t* const> codes, Put put) {
    std::array<const std::uint8_t*, kColumns> code;  // where nobody else sees it
    std::copy_n(codes.begin(), kColumns, code.begin());
    const std::size_t half = entries.size() / 2;
    const Entry *const first = entries.data(), *const second = first + half;
    Cell* const cells = cells_.data();
    for (std::size_t i = 0; i < half; ++i) {
      const Entry a = first[i], b = second[i];
      for (std::size_t k = 0; k < kColumns; ++k) put(cells + k * kRoom, code[k][a.place], a);
      for (std::size_t k = 0; k < kColumns; ++k)
        put(cells + k * kRoom + (kHalved ? kRoom / 2 : 0), code[k][b.place], b);
    }
    if (entries.size() % 2 == 0) return;
    const Entry last = entries.back();
    for (std::size_t k = 0; k < kColumns; ++k) put(cells + k * kRoom, code[k][last.place], last);
  }

  std::vector<Cell> cells_ = std::vector<Cell>(kTogether * kRoom);  // all zero between uses
};

// Which columns were counted together, until each is asked for.
class CountedAhead {
 public:
  bool any() const { return waiting_ > 0; }
  void put(std::size_t place, std::uint32_t column) { column_[place] = column, ++waiting_; }
  // The place of a column; kTogether: it is not among them.
  std::size_t take(std::uint32_t column) {
    if (waiting_ == 0) return kTogether;
    const auto at = static_cast<std::size_t>(std::ranges::find(column_, column) - column_.begin());
    if (at < kTogether) column_[at] = kNone, --waiting_;
    return at;
  }
  // Calls clear(place) for those that nobody asked for.
  template <class Clear>
  void forget(Clear clear) {
    for (std::size_t i = 0; i < kTogether; ++i)
      if (std::exchange(column_[i], kNone) != kNone) clear(i);
    waiting_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  std::array<std::uint32_t, kTogether> column_ = {kNone, kNone, kNone, kNone};
  std::size_t waiting_ = 0;
};

// --- columns of two values -------------------------------------------------------------------------------------------

struct CodeColumn;
struct ClassEntry;
struct TwoEntry;

// Of a class that the node has.
struct ClassBits {
  std::uint32_t label = 0;
  std::int64_t ones = 0;           // what rows with the bit count for
  std::size_t begin = 0, end = 0;  // of its words
};

// Counts a node's rows in columns whose codes are bits of a word. The words of its rows are fetched once for all of
// these columns; a column is then counted many rows at a time.
class BitCounts {
 public:
  static constexpr std::size_t kAtOnce = 8;  // words: those of a class are filled up with zeros to a multiple of it

  void forget() { fetched_ = nullptr; }  // the next rows are those of another node
  // Class by class. Entries of more than two lie so.
  std::span<const ClassBits> count(std::span<const ClassEntry>, const CodeColumn&);
  std::span<const ClassBits> count(std::span<const TwoEntry>, const CodeColumn&);

 private:
  void fetch(std::span<const ClassEntry>, const CodeColumn&);
  void fetch(std::span<const TwoEntry>, const CodeColumn&);
  std::uint64_t* add_class(std::uint32_t label, std::size_t most);  // where its words go; rows at most
  void end_class(std::size_t rows);
  template <class Entry>
  std::span<const ClassBits> count_by(std::span<const Entry>, const CodeColumn&);

  const std::uint8_t* fetched_ = nullptr;  // which of the words; nullptr: none
  std::vector<std::uint64_t> word_;        // a row each, its count above the bits
  std::vector<ClassBits> classes_;
};

}  // namespace wald::sapling
