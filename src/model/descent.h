// Many rows down one deep tree, each step a few instructions on whole numbers, no branch: see deep.h.
//
// A row is cells: one a column and way of missing values, each with the code of what the column says. A step's word has
// a cell's number in its lowest part, above it the greatest code that goes left, above that the place of the left
// child. Codes stand in the cells where the word has that greatest code, so that
//   (word - cell) >> (bits below the child's place)
// is the left child's place, or one less where the code is greater: the right child lies before the left one. A leaf
// leads to itself, because no code exceeds its greatest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace wald {

inline constexpr std::size_t kFoundCell = 0, kRestCell = 1, kFirstCell = 2;  // of a row; kRestCell: what leaves ask
inline constexpr std::uint32_t kRestBit = 63;                                // in kRestCell, as a level's code

// Few columns, thresholds, nodes and vectors of values, as most forests of classes have. A leaf says its vector.
struct NarrowStep {
  using Cell = std::uint16_t;
  static constexpr std::size_t kMostCells = 256, kMostCuts = 254, kMostSteps = 1 << 16, kMostVectors = 256;
  static constexpr std::uint32_t kTop = 255;  // a code above all that a test asks for
  std::uint32_t word;

  static NarrowStep leaf(std::size_t place, std::size_t vector) { return test(place, vector, kTop); }
  static NarrowStep test(std::size_t left, std::size_t cell, std::size_t most) {
    return {static_cast<std::uint32_t>(left << 16 | most << 8 | cell)};
  }
  static Cell number(std::uint32_t code) { return static_cast<Cell>(code << 8); }
  static Cell level(std::uint32_t code) { return static_cast<Cell>(code); }

  static std::uint32_t next(const NarrowStep* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const std::uint32_t word = steps[at].word;
    return (word - row[word & 0xFF]) >> 16;
  }
  // Whether it is no leaf; writes what it says, which means nothing if so.
  static bool goes_on(const NarrowStep* steps, std::uint32_t at, Cell& says) {
    const std::uint32_t word = steps[at].word;
    says = static_cast<Cell>(word & 0xFF);
    return (word >> 8 & 0xFF) != kTop;
  }
};

// Whatever has no sets. A leaf says its place.
struct WideStep {
  using Cell = std::uint32_t;
  static constexpr std::size_t kMostCells = 1 << 16, kMostCuts = 0xFFF0;
  // Of kTop a code; of the others what stands in place of the greatest code, above all codes.
  static constexpr std::uint32_t kTop = 0xFFFC, kSet = 0xFFFD, kLongSet = 0xFFFE, kLeaf = 0xFFFF;
  std::uint64_t word;

  static WideStep leaf(std::size_t place, std::size_t) { return test(place, kRestCell, kLeaf); }
  static WideStep test(std::size_t left, std::size_t cell, std::size_t most) {
    return {std::uint64_t{left} << 32 | most << 16 | cell};
  }
  static Cell number(std::uint32_t code) { return code << 16; }
  static Cell level(std::uint32_t code) { return code; }

  static std::uint32_t next(const WideStep* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const std::uint64_t word = steps[at].word;
    return static_cast<std::uint32_t>((word - row[word & 0xFFFF]) >> 32);
  }
  static bool goes_on(const WideStep* steps, std::uint32_t at, Cell& says) {
    says = at;
    return (steps[at].word >> 16 & 0xFFFF) != kLeaf;
  }
};

// Sets too: the bit of `right` that a cell names by its lowest six bits sends a row right as well. A level's code
// stands in those, a number's above them, where its own bit is the lowest, 0 in a test of a threshold. A leaf says its
// vector.
struct SetStep {
  using Cell = std::uint32_t;
  static constexpr std::size_t kMostCells = WideStep::kMostCells, kMostCuts = WideStep::kMostCuts;
  static constexpr std::uint32_t kTop = WideStep::kTop;
  std::uint64_t right;
  WideStep asks;

  static SetStep leaf(std::size_t place, std::size_t vector) { return {vector, WideStep::leaf(place, vector)}; }
  static SetStep test(std::size_t left, std::size_t cell, std::size_t most) {
    return {0, WideStep::test(left, cell, most)};
  }
  static Cell number(std::uint32_t code) { return WideStep::number(code); }
  static Cell level(std::uint32_t code) { return WideStep::level(code); }

  static std::uint32_t next(const SetStep* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const SetStep& s = steps[at];
    const std::uint32_t cell = row[s.asks.word & 0xFFFF];
    return static_cast<std::uint32_t>((s.asks.word - cell) >> 32) -
           static_cast<std::uint32_t>(s.right >> (cell % 64) & 1);
  }
  static bool goes_on(const SetStep* steps, std::uint32_t at, Cell& says) {
    says = static_cast<Cell>(steps[at].right);
    return (steps[at].asks.word >> 16 & 0xFFFF) != WideStep::kLeaf;
  }
};
static_assert(sizeof(SetStep) == 16);

// Sets of more codes than a word has bits too: those lie elsewhere, and `right` is where.
struct LongSetStep : SetStep {
  static LongSetStep leaf(std::size_t place, std::size_t vector) { return {SetStep::leaf(place, vector)}; }
  static LongSetStep test(std::size_t left, std::size_t cell, std::size_t most) {
    return {SetStep::test(left, cell, most)};
  }
  static std::uint32_t next(const LongSetStep* steps, const std::uint64_t* sets, const Cell* row, std::uint32_t at) {
    const SetStep& s = steps[at];
    const std::uint32_t cell = row[s.asks.word & 0xFFFF];
    const bool is_long = (s.asks.word >> 16 & 0xFFFF) == WideStep::kLongSet;
    const std::uint64_t* words = is_long ? sets + s.right + cell / 64 : &s.right;
    return static_cast<std::uint32_t>((s.asks.word - cell) >> 32) -
           static_cast<std::uint32_t>(*words >> (cell % 64) & 1);
  }
  static bool goes_on(const LongSetStep* steps, std::uint32_t at, Cell& says) {
    says = static_cast<Cell>(steps[at].right);
    return (steps[at].asks.word >> 16 & 0xFFFF) != WideStep::kLeaf;
  }
};

// Some rows of a tree.
template <class Step>
struct Descent {
  static constexpr std::size_t kMostRows = 512,
                               kSpareRows = 1;  // behind kMostRows rows of cells there must be some more

  const Step* steps;                // the first is a leaf
  const std::uint64_t* sets;        // of LongSetStep
  const std::uint32_t* start;       // the step that each slot stands for
  const std::uint8_t* slot;         // of each row; read up to the next multiple of eight
  typename Step::Cell* cells;       // row x cell
  std::size_t stride, rows;         // cells from one row to the next; at most kMostRows
  std::span<const std::byte> soon;  // memory that will be wanted next, fetched meanwhile
};
// What the leaf says that a row ends in is written into the row's kFoundCell.
template <class Step>
void descend(const Descent<Step>&);

}  // namespace wald
