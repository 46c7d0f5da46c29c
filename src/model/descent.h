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

inline constexpr std::uint32_t kRestCode = 63;  // in the cell that leaves ask for, Step::kRestCell of a row

// Few columns, thresholds, nodes and vectors of values, as most forests of classes have. A leaf says its vector.
struct NarrowStep {
  using Cell = std::uint16_t;
  using Found = std::uint16_t;  // what a leaf says, at the beginning of a row
  static constexpr std::size_t kRestCell = 1, kFirstCell = 2;
  static constexpr std::size_t kMostCells = 256, kMostCuts = 254, kMostSteps = 1 << 16, kMostVectors = 256;
  static constexpr std::uint32_t kTop = 255;  // a code above all that a test asks for
  static constexpr bool kSaysPlace = false, kSets = false;
  std::uint32_t word;

  static constexpr std::size_t place(std::size_t k) { return k; }  // of the k-th node
  static constexpr std::size_t steps(std::size_t nodes) { return nodes; }
  static void leaf(NarrowStep* steps, std::size_t k, std::size_t vector) { test(steps, k, k, vector, kTop); }
  static void test(NarrowStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most) {
    steps[k].word = static_cast<std::uint32_t>(left << 16 | most << 8 | cell);
  }
  static Cell number(std::uint32_t code) { return static_cast<Cell>(code << 8); }
  static Cell level(std::uint32_t code) { return static_cast<Cell>(code); }

  static std::uint32_t next(const NarrowStep* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const std::uint32_t word = steps[at].word;
    return (word - row[word & 0xFF]) >> 16;
  }
  // Whether it is no leaf; writes what it says, which means nothing if so. A leaf asks for the cell of its vector's
  // number, whatever that is, also of the next rows: what is written must be no greater than its greatest code.
  static bool goes_on(const NarrowStep* steps, std::uint32_t at, Found& says) {
    const std::uint32_t word = steps[at].word;
    says = static_cast<Found>(word & 0xFF);
    return (word & 0xFFFF) < kTop << 8;
  }
};

// Whatever has no sets. A leaf says its place.
struct WideStep {
  using Cell = std::uint32_t;
  using Found = std::uint32_t;
  static constexpr std::size_t kRestCell = 1, kFirstCell = 2;
  static constexpr std::size_t kMostCells = 1 << 16, kMostCuts = 0xFFF0;
  // Of kTop a code; of the others what stands in place of the greatest code, above all codes.
  static constexpr std::uint32_t kTop = 0xFFFC, kSet = 0xFFFD, kLongSet = 0xFFFE, kLeaf = 0xFFFF;
  static constexpr bool kSaysPlace = true, kSets = false;
  std::uint64_t word;

  static constexpr std::size_t place(std::size_t k) { return k; }
  static constexpr std::size_t steps(std::size_t nodes) { return nodes; }
  static void leaf(WideStep* steps, std::size_t k, std::size_t) { test(steps, k, k, kRestCell, kLeaf); }
  static void test(WideStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most) {
    steps[k].word = word_of(left, cell, most);
  }
  static std::uint64_t word_of(std::size_t left, std::size_t cell, std::size_t most) {
    return std::uint64_t{left} << 32 | most << 16 | cell;
  }
  static Cell number(std::uint32_t code) { return code << 16; }
  static Cell level(std::uint32_t code) { return code; }

  static std::uint32_t next(const WideStep* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const std::uint64_t word = steps[at].word;
    return static_cast<std::uint32_t>((word - row[word & 0xFFFF]) >> 32);
  }
  static bool goes_on(const WideStep* steps, std::uint32_t at, Found& says) {
    says = at;
    return (steps[at].word >> 16 & 0xFFFF) != kLeaf;
  }
};

// Sets of few levels too. There a bit of `right` for each code says whether it goes right. A column of numbers has a
// cell for every 63 codes, which counts from 0 to 63 those codes that are not greater: so a threshold is a set as well.
// A leaf says its vector, which is its `right`: the bit of kRestCode is 0. A place counts eight bytes, so that those of
// two children follow each other.
struct MaskSteps {
  using Cell = std::uint8_t;
  using Found = std::uint32_t;
  static constexpr std::size_t kRestCell = 4, kFirstCell = 5;
  static constexpr std::size_t kMostCells = 256, kWindow = 63;  // codes of a cell
  static constexpr std::uint32_t kTop = ~std::uint32_t{0};
  static constexpr bool kSaysPlace = false, kSets = true;
  struct Asks {
    std::uint32_t cell, left;
  };
  // Of the right child, and of the left one.
  Asks asks[2];
  std::uint64_t right[2];

  static constexpr std::size_t place(std::size_t k) { return k / 2 * 4 + k % 2; }
  static constexpr std::size_t steps(std::size_t nodes) { return (nodes + 1) / 2; }
  static void leaf(MaskSteps* steps, std::size_t k, std::size_t vector) { set(steps, k, k, kRestCell, vector); }
  static void test(MaskSteps* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most) {
    set(steps, k, left, cell + most / kWindow, ~std::uint64_t{0} << (most % kWindow + 1));
  }
  static void set(MaskSteps* steps, std::size_t k, std::size_t left, std::size_t cell, std::uint64_t right) {
    steps[k / 2].asks[k % 2] = {static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(place(left))};
    steps[k / 2].right[k % 2] = right;
  }
  static Cell level(std::uint32_t code) { return static_cast<Cell>(code); }

  static std::uint32_t next(const MaskSteps* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const Asks& asks = asks_at(steps, at);
    const std::uint64_t right = right_at(steps, at) >> (row[asks.cell] % 64);
    return asks.left - static_cast<std::uint32_t>(right & 1);
  }
  static bool goes_on(const MaskSteps* steps, std::uint32_t at, Found& says) {
    says = static_cast<Found>(right_at(steps, at));
    return asks_at(steps, at).cell != kRestCell;
  }

 private:
  static const Asks& asks_at(const MaskSteps* steps, std::uint32_t at) {
    return reinterpret_cast<const Asks*>(steps)[at];
  }
  static std::uint64_t right_at(const MaskSteps* steps, std::uint32_t at) {
    return reinterpret_cast<const std::uint64_t*>(steps)[at + std::size_t{2}];
  }
};

// Sets of any number of levels, and numbers beside them as in WideStep. The bit of `right` that a cell names by its
// lowest six bits sends a row right too: a level's code stands in those, a number's above them, where its own bit is
// the lowest, 0 in a test of a threshold. Where a set has more codes than a word has bits, `right` is where its words
// are.
struct SetStep {
  using Cell = std::uint32_t;
  using Found = std::uint32_t;
  static constexpr std::size_t kRestCell = WideStep::kRestCell, kFirstCell = WideStep::kFirstCell;
  static constexpr std::uint32_t kTop = WideStep::kTop;
  static constexpr bool kSaysPlace = false, kSets = true;
  std::uint64_t right, word;

  static constexpr std::size_t place(std::size_t k) { return k; }
  static constexpr std::size_t steps(std::size_t nodes) { return nodes; }
  static void leaf(SetStep* steps, std::size_t k, std::size_t vector) {
    steps[k] = {vector, WideStep::word_of(k, kRestCell, WideStep::kLeaf)};
  }
  static void test(SetStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most) {
    steps[k] = {0, WideStep::word_of(left, cell, most)};
  }
  static void set(SetStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::uint64_t right,
                  bool is_long) {
    steps[k] = {right, WideStep::word_of(left, cell, is_long ? WideStep::kLongSet : WideStep::kSet)};
  }
  static Cell number(std::uint32_t code) { return WideStep::number(code); }
  static Cell level(std::uint32_t code) { return WideStep::level(code); }

  static std::uint32_t next(const SetStep* steps, const std::uint64_t* sets, const Cell* row, std::uint32_t at) {
    const SetStep& s = steps[at];
    const std::uint32_t cell = row[s.word & 0xFFFF];
    const bool is_long = (s.word >> 16 & 0xFFFF) == WideStep::kLongSet;
    const std::uint64_t* words = is_long ? sets + s.right + cell / 64 : &s.right;
    return static_cast<std::uint32_t>((s.word - cell) >> 32) - static_cast<std::uint32_t>(*words >> (cell % 64) & 1);
  }
  static bool goes_on(const SetStep* steps, std::uint32_t at, Found& says) {
    says = static_cast<Found>(steps[at].right);
    return (steps[at].word >> 16 & 0xFFFF) != WideStep::kLeaf;
  }
};

// Some rows of a tree.
template <class Step>
struct Descent {
  static constexpr std::size_t kMostRows = 512,
                               kSpareRows = 1;  // behind kMostRows rows of cells there must be some more

  const Step* steps;                // the first is a leaf
  const std::uint64_t* sets;        // of SetStep
  const std::uint32_t* start;       // the step that each slot stands for
  const std::uint8_t* slot;         // of each row; read up to the next multiple of eight
  typename Step::Cell* cells;       // row x cell
  std::size_t stride, rows;         // cells from one row to the next; at most kMostRows
  std::span<const std::byte> soon;  // memory that will be wanted next, fetched meanwhile
};
// What the leaf says that a row ends in is written where the row begins.
template <class Step>
void descend(const Descent<Step>&);

}  // namespace wald
