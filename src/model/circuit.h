// The tops of a forest's trees as circuits of bits: how many rows are walked down many trees at once.
//
// Trees of one forest ask the same questions over and over: 500 trees of depth 8 have 127,500 tests, but a table of 28
// columns in 255 bins knows only 7,112 different ones. So each question is asked once for a block of 512 rows, and the
// answers are kept as 512 bits. A tree then walks all rows of the block together: the answer that a row gets at depth d
// is picked from the 2^d answers of that depth by its answers above,
//   b_d = pick(b_0, pick(b_1, ...), pick(b_1, ...)),
// one vector instruction for 512 rows a node, and b_0 b_1 ... b_(D-1) is the number of the leaf. No branch, no gather
// but that of the leaf's value. Where a tree is deeper than D, asks something that is no bit (a child a level, missing
// values that go everywhere) or asks of a column with many levels, its circuit ends there, and the rows go on one by
// one from that node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wald/model.h"

namespace wald {

inline constexpr std::size_t kBlockRows = 512, kBlockWords = kBlockRows / 64;
inline constexpr int kMostLevels = 8;                  // of a circuit
inline constexpr std::size_t kMostQuestions = 24'000;  // their answers for a block, 1.5 MB, stay in the L2 cache
inline constexpr std::size_t kMostSetLevels = 64;      // of a column whose sets are worth a circuit

// Some rows of a block.
struct alignas(64) RowSet {
  std::uint64_t word[kBlockWords] = {};
  void flip(std::size_t row) { word[row / 64] ^= std::uint64_t{1} << (row % 64); }
  bool operator==(const RowSet&) const = default;
};

// Questions are numbered: 0 is never true; then come the thresholds, column by column, ascending, each column's
// followed by one that nobody asks, for rows beyond all; then the sets; then the thresholds once more with missing
// values going to child 1, which only blocks with missing cells need. A question is true where a row goes to child 1.
struct CutQuestions {
  std::uint32_t column = 0, first = 0;
  std::vector<double> cuts;

  // The line of numbers in equal pieces, or one, so that a cell is compared with the cuts of its own only. A cell's
  // piece is found by operations that keep order: a cut of an earlier piece is less than the cell, one of a later is
  // greater.
  double low = 0, pieces_per_unit = 0;
  std::vector<std::uint16_t> before;  // cuts before each piece
  std::size_t most = 0;               // in one piece
  std::size_t count = 0;              // of cuts; infinities follow them, so that `most` can be read anywhere
};
void divide(CutQuestions&);  // once its cuts are known
bool any_missing(const double* cell, std::size_t rows);
// place[row] = the number of cuts below the cell, of a missing one 0; of at most kBlockRows rows.
void find_places(const CutQuestions&, const double* cell, std::size_t rows, std::uint32_t* place);
void find_places(double cut, const double* cell, std::size_t rows, std::uint32_t* place);  // of one alone
struct SetQuestion {
  std::uint32_t column = 0;  // its place in CircuitPlan::categories
  bool missing_right = false;
  std::uint64_t left = 0;  // levels that go to child 0
};
struct CategoryColumn {
  std::uint32_t column = 0, levels = 0;
  std::size_t first = 0;  // of its levels among those of all columns; missing comes after them
};

struct Circuit {
  int depth = 0;
  std::uint32_t question = 0;  // its first in CircuitPlan::plain and ways: 2^depth - 1 of them, depth by depth
  std::uint32_t slot = 0;      // its first in CircuitPlan::node: 2^depth of them
  std::uint64_t says = 0;      // its first in CircuitPlan::says, where it is whole: 2^depth a number of a vector
  bool whole = false;          // every slot is a plain leaf, and `says` has what they say
};

struct CircuitPlan {
  std::vector<CutQuestions> cuts;
  std::vector<CategoryColumn> categories;
  std::vector<SetQuestion> sets;
  std::size_t thresholds = 0;              // in all columns
  std::vector<Circuit> trees;              // empty: the forest is not worth it
  std::vector<std::uint16_t> plain, ways;  // numbers of questions; ways: with the missing values' way
  std::vector<std::uint32_t> node;         // of a slot, in its tree
  std::vector<double> says;                // number of the vector x slot
  bool plain_sum = false;                  // one output, every circuit whole: the score is a sum of `says`

  std::size_t missing_on() const { return thresholds + sets.size(); }  // from a threshold's question to its second one
  std::size_t questions(bool missing) const { return 1 + missing_on() + (missing ? thresholds : 0); }
  const std::uint16_t* questions_of(const Circuit& circuit, bool missing) const {
    return (missing ? ways : plain).data() + circuit.question;
  }
};
CircuitPlan plan_circuits(const Model&);

// The cells of some rows: cells[column][row]. Columns that no test asks may be nullptr.
using CellColumns = std::span<const double* const>;

// Answers of a block of at most kBlockRows rows.
struct Answers {
  std::vector<RowSet> yes;     // of each question
  std::vector<RowSet> level;   // rows of each level of CircuitPlan::categories
  std::vector<RowSet> unions;  // of some levels each
  std::vector<RowSet> absent;  // rows whose cell is missing, of each of CircuitPlan::cuts
  bool missing = false;        // a cell that a threshold asks for; if not, the plain questions alone are answered
};
void answer(const CircuitPlan&, CellColumns cells, std::size_t rows, Answers&);
// The same piece by piece, for who knows the places among the cuts of each of CircuitPlan::cuts: begin, each i of
// these, end.
void begin_answers(const CircuitPlan&, Answers&);
void answer_places(const CircuitPlan&, std::size_t i, const double* cell, const std::uint32_t* place, bool any_missing,
                   std::size_t rows, Answers&);
void end_answers(const CircuitPlan&, CellColumns cells, std::size_t rows, Answers&);
// The same for one row, a byte a question; returns whether something is missing.
bool answer(const CircuitPlan&, std::span<const double> cells, std::uint8_t* answers);

// Turns sets of rows that leave at each of `count` thresholds into the rows beyond them, in place: rows ^= each in
// turn.
void rows_beyond(RowSet* sets, std::size_t count, const RowSet& rows);
// slot[row] = where the row leaves the circuit.
void find_slots(const Circuit&, const std::uint16_t* questions, const RowSet* answers, std::uint8_t* slot);
// score[row] += says[slot[row]], for kBlockRows rows.
void add_says(const double* says, const std::uint8_t* slot, double* score);

}  // namespace wald
