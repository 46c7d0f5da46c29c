// Many rows down one deep tree, each step a few instructions on whole numbers, no branch: see deep.h.
//
// A row is cells: one a column and way of missing values, each with the code of what the column says. A step is a word
// for each node of the tree, at the node's own place. It has a cell's number in its lowest part, above it what the
// greatest code that goes left lacks to the greatest of all, above that the place of the left child. Codes stand in the
// cells where the word has that part, so that
//   (word + cell) >> (bits below the child's place)
// is the left child's place, or one more where the code is greater: the right child's. A leaf leads to itself, because
// nothing is carried out of a part that is 0.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wald {

// kRowsAbreast: rows that take their steps together. Where a step is six instructions, sixteen; where it is more, more
// rows would have to leave the registers than is gained. kRowsTogether: rows whose cells lie side by side, cell by
// cell: eight where a cell is a byte, so that a processor finds all of them from one address. Where leaves say a byte,
// a place has at most kPlaceBits bits, the low half of a word has bits of asks() in tests alone, and below_says() bits
// below what a leaf says.

// Few columns, thresholds, nodes and vectors of values, as most forests of classes have. A leaf says its vector.
struct NarrowStep {
  using Word = std::uint32_t;
  using Cell = std::uint8_t;
  using Found = std::uint8_t;  // what a leaf says
  static constexpr std::size_t kMostCells = 256, kMostCuts = 254, kMostNodes = 1 << 16, kMostVectors = 256;
  static constexpr std::uint32_t kTop = 255;  // a code above all that a test asks for
  static constexpr bool kSaysPlace = false;
  static constexpr std::uint32_t kRowsAbreast = 16, kRowsTogether = 8;

  static Word leaf(std::uint32_t at, std::uint32_t vector) { return at << 16 | vector; }
  static Word test(std::uint32_t child, std::uint32_t cell, std::uint32_t most) {
    return child << 16 | (kTop - most) << 8 | cell;
  }
  static Cell number(std::uint32_t code) { return static_cast<Cell>(code); }

  static std::uint32_t next(Word word, const std::uint64_t*, const Cell* row) {
    return (word + (std::uint32_t{row[(word & 0xFF) * kRowsTogether]} << 8)) >> 16;
  }
  // Whether it is no leaf; writes what it says, which means nothing if so. A leaf asks for the cell of its vector's
  // number, whatever that is, also of the next rows.
  static bool goes_on(Word word, std::uint32_t, Found& says) {
    says = static_cast<Found>(word);
    return (word & asks()) != 0;
  }
  static constexpr std::uint32_t kPlaceBits = 16;
  static std::uint32_t asks() { return 0xFF00; }
  static std::uint32_t below_says() { return 0; }
};

// Whatever has no sets. A leaf says its place.
struct WideStep {
  using Word = std::uint64_t;
  using Cell = std::uint32_t;
  using Found = std::uint32_t;
  static constexpr std::size_t kMostCells = 1 << 16, kMostCuts = 0xFFF0;
  static constexpr std::uint32_t kTop = 0xFFFC;
  static constexpr bool kSaysPlace = true;
  static constexpr std::uint32_t kRowsAbreast = 16, kRowsTogether = 1;

  static Word leaf(std::uint32_t at, std::uint32_t) { return std::uint64_t{at} << 32; }
  static Word test(std::uint32_t child, std::uint32_t cell, std::uint32_t most) {
    return std::uint64_t{child} << 32 | (0xFFFF - most) << 16 | cell;
  }
  static Cell number(std::uint32_t code) { return code << 16; }

  static std::uint32_t next(Word word, const std::uint64_t*, const Cell* row) {
    return static_cast<std::uint32_t>((word + row[word & 0xFFFF]) >> 32);
  }
  static bool goes_on(Word word, std::uint32_t at, Found& says) {
    says = at;
    return (word & 0xFFFF'0000) != 0;
  }
};

// Sets of few levels too: above the cell's number there is a bit for each code, 1 where it goes right, above them the
// place of the left child; how many bits each has is as the forest needs it. A column of numbers has a cell for every
// so many codes, which counts from 0 on those codes that are not greater: so a threshold is a set as well. A leaf asks
// for the first cell, which has the last code in every row; there its bit is 0, and the bits below it say its vector.
// Says: a whole number that has room for the vectors' numbers.
template <class Says>
struct MaskStep {
  using Word = std::uint64_t;
  using Cell = std::uint8_t;  // the code's bit in a word
  using Found = Says;
  static constexpr std::uint32_t kTop = ~std::uint32_t{0};
  static constexpr bool kSaysPlace = false;
  static constexpr std::uint32_t kRowsAbreast = 8, kRowsTogether = 8;

  std::uint32_t cell_bits = 0, below_child = 0;                       // of a word
  std::uint32_t last() const { return below_child - cell_bits - 1; }  // code
  Cell level(std::uint32_t code) const { return static_cast<Cell>(cell_bits + code); }

  Word leaf(std::uint32_t at, std::uint32_t vector) const {
    return std::uint64_t{at} << below_child | std::uint64_t{vector} << cell_bits;
  }
  // The bits of the codes that go right, in a word.
  Word set(std::uint64_t right) const { return right << cell_bits & ((std::uint64_t{1} << below_child) - 1); }

  std::uint32_t next(Word word, const std::uint64_t*, const Cell* row) const {
    const std::uint64_t bit = row[(word & ((1u << cell_bits) - 1)) * kRowsTogether];
    auto next = static_cast<std::uint32_t>(word >> below_child);
#ifdef __x86_64__  // a bit that is added: two instructions, where the compiler finds three and a longer wait
    asm("bt %2, %1\n\tadc $0, %0" : "+r"(next) : "r"(word), "r"(bit) : "cc");
    return next;
#else
    return next + static_cast<std::uint32_t>(word >> (bit % 64) & 1);
#endif
  }
  bool goes_on(Word word, std::uint32_t, Found& says) const {
    says = static_cast<Found>((word & ((std::uint64_t{1} << below_child) - 1)) >> cell_bits);
    return (word & asks()) != 0;
  }
  static constexpr std::uint32_t kPlaceBits = 23;
  std::uint32_t asks() const { return (1u << cell_bits) - 1; }
  std::uint32_t below_says() const { return cell_bits; }
};

// Sets of any number of levels, and numbers beside them as in WideStep. The bit of `right` that a cell names by its
// lowest six bits sends a row right too: a level's code stands in those, a number's above them, where its own bit is
// the lowest, 0 in a test of a threshold. Where a set has more codes than a word has bits, `right` is where its words
// are. A leaf says its vector, which is its `right`, and asks for the first cell, which in every row names the last
// bit.
struct SetStep {
  struct Word {
    std::uint64_t right, word;
  };
  using Cell = std::uint32_t;
  using Found = std::uint32_t;
  static constexpr std::uint32_t kTop = WideStep::kTop, kLastCode = 63, kMostShort = 63;  // levels
  // In place of what the greatest code lacks, below that of all tests; adding a level to the cell's number may carry.
  static constexpr std::uint64_t kSet = 2 << 16, kLongSet = 4 << 16, kKind = 0xFFFF'0000;
  static constexpr bool kSaysPlace = false;
  static constexpr std::uint32_t kRowsAbreast = 8, kRowsTogether = 1;

  static Word leaf(std::uint32_t at, std::uint32_t vector) { return {vector, WideStep::leaf(at, 0)}; }
  static Word test(std::uint32_t child, std::uint32_t cell, std::uint32_t most) {
    return {0, WideStep::test(child, cell, most)};
  }
  static Word set(std::uint32_t child, std::uint32_t cell, std::uint64_t right, bool is_long) {
    return {right, std::uint64_t{child} << 32 | (is_long ? kLongSet : kSet) | cell};
  }
  static Cell number(std::uint32_t code) { return WideStep::number(code); }
  static Cell level(std::uint32_t code) { return code; }

  static std::uint32_t next(const Word& s, const std::uint64_t* sets, const Cell* row) {
    const std::uint32_t cell = row[s.word & 0xFFFF];
    const std::uint64_t* words = (s.word & kKind) == kLongSet ? sets + s.right + cell / 64 : &s.right;
    return static_cast<std::uint32_t>((s.word + cell) >> 32) + static_cast<std::uint32_t>(*words >> (cell % 64) & 1);
  }
  static bool goes_on(const Word& s, std::uint32_t, Found& says) {
    says = static_cast<Found>(s.right);
    return (s.word & kKind) != 0;
  }
};

using FewMaskStep = MaskStep<std::uint8_t>;
using ManyMaskStep = MaskStep<std::uint32_t>;

// Where the first cell of a row is; the next is kRowsTogether further on.
template <class Step>
std::size_t first_cell(std::size_t row, std::size_t stride) {
  constexpr std::size_t kRows = Step::kRowsTogether;
  return row / kRows * kRows * stride + row % kRows;
}

// Some rows of a tree.
template <class Step>
struct Descent {
  static constexpr std::size_t kMostRows = 512, kWholeRows = 16;

  Step step;
  const typename Step::Word* steps;
  const std::uint64_t* sets;         // of SetStep
  const std::uint32_t* start;        // the step that each slot stands for
  const std::uint8_t* slot;          // of each row; read up to the next multiple of kWholeRows, as are the cells
  const typename Step::Cell* cells;  // row x cell, but kRowsTogether rows side by side
  std::size_t stride, rows;          // cells from one row to the next; at most kMostRows
  // What the leaf says that a row ends in; written up to the next multiple of kWholeRows. May be `slot`.
  typename Step::Found* found;
};
void descend(const Descent<NarrowStep>&);
void descend(const Descent<WideStep>&);
void descend(const Descent<FewMaskStep>&);
void descend(const Descent<ManyMaskStep>&);
void descend(const Descent<SetStep>&);

}  // namespace wald
