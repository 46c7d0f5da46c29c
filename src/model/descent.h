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
  static constexpr bool kSaysPlace = false;
  std::uint32_t word = 0;

  static constexpr std::size_t place(std::size_t k) { return k; }  // of the k-th node
  static constexpr std::size_t steps(std::size_t nodes) { return nodes; }
  static void leaf(NarrowStep* steps, std::size_t k, std::size_t vector) { test(steps, k, k, vector, kTop, 0); }
  static void test(NarrowStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most,
                   std::uint64_t) {
    steps[k].word = static_cast<std::uint32_t>(left << 16 | most << 8 | cell);
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
  static constexpr bool kSaysPlace = true;
  std::uint64_t word = 0;

  static constexpr std::size_t place(std::size_t k) { return k; }
  static constexpr std::size_t steps(std::size_t nodes) { return nodes; }
  static void leaf(WideStep* steps, std::size_t k, std::size_t) { test(steps, k, k, kRestCell, kLeaf, 0); }
  static void test(WideStep* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most,
                   std::uint64_t) {
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
  static bool is_leaf(std::uint64_t word) { return (word >> 16 & 0xFFFF) == kLeaf; }
  static bool goes_on(const WideStep* steps, std::uint32_t at, Cell& says) {
    says = at;
    return !is_leaf(steps[at].word);
  }
};

// Sets too: the bit of `right` that a cell names by its lowest six bits sends a row right as well. A level's code
// stands in those, a number's above them, where its own bit is the lowest, 0 in a test of a threshold. A leaf says its
// vector, which is its `right`: the bit that the cell it asks for names is the highest. A place counts whole words, so
// that those of two children follow each other.
struct alignas(32) SetSteps {
  using Cell = std::uint32_t;
  static constexpr std::uint32_t kTop = WideStep::kTop;
  static constexpr bool kSaysPlace = false;
  std::uint64_t word[2] = {}, right[2] = {};  // of the right child, and of the left one

  static constexpr std::size_t place(std::size_t k) { return k / 2 * 4 + k % 2; }
  static constexpr std::size_t steps(std::size_t nodes) { return (nodes + 1) / 2; }
  static void leaf(SetSteps* steps, std::size_t k, std::size_t vector) {
    test(steps, k, k, kRestCell, WideStep::kLeaf, vector);
  }
  static void test(SetSteps* steps, std::size_t k, std::size_t left, std::size_t cell, std::size_t most,
                   std::uint64_t right) {
    steps[k / 2].word[k % 2] = WideStep::word_of(place(left), cell, most), steps[k / 2].right[k % 2] = right;
  }
  static Cell number(std::uint32_t code) { return WideStep::number(code); }
  static Cell level(std::uint32_t code) { return WideStep::level(code); }

  static std::uint32_t next(const SetSteps* steps, const std::uint64_t*, const Cell* row, std::uint32_t at) {
    const std::uint64_t* words = steps->word + at;
    const std::uint64_t word = words[0], right = words[2];
    const std::uint32_t cell = row[word & 0xFFFF];
    return static_cast<std::uint32_t>((word - cell) >> 32) - static_cast<std::uint32_t>(right >> (cell % 64) & 1);
  }
  static bool goes_on(const SetSteps* steps, std::uint32_t at, Cell& says) {
    const std::uint64_t* words = steps->word + at;
    says = static_cast<Cell>(words[2]);
    return !WideStep::is_leaf(words[0]);
  }
};

// Sets of more codes than a word has bits too: those lie elsewhere, and `right` is where.
struct LongSetSteps : SetSteps {
  static std::uint32_t next(const SetSteps* steps, const std::uint64_t* sets, const Cell* row, std::uint32_t at) {
    const std::uint64_t* words = steps->word + at;
    const std::uint64_t word = words[0];
    const std::uint32_t cell = row[word & 0xFFFF];
    const bool is_long = (word >> 16 & 0xFFFF) == WideStep::kLongSet;
    const std::uint64_t* right = is_long ? sets + words[2] + cell / 64 : words + 2;
    return static_cast<std::uint32_t>((word - cell) >> 32) - static_cast<std::uint32_t>(*right >> (cell % 64) & 1);
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
