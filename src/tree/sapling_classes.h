// Counts of classes per code of a column, and what they make of its cuts.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/sapling_rows.h"
#include "tree/sapling_together.h"

namespace wald::sapling {

struct ClassEntry;

// --- two classes -----------------------------------------------------------------------------------------------------

constexpr std::size_t kTwoAtOnce = 16;  // room for gains, and behind what lies left, is asked for beyond the last

struct TwoCuts {
  const std::uint64_t* upto;  // what lies left of each cut: counts of the first class, and of the second 32 bits higher
  std::size_t count;
  std::uint64_t all;  // of the node
};
// What each cut gains beyond the parent's score, minus infinity where a side has less than the least weight, which is
// above 0. Gives the most.
double judge_two(const TwoCuts&, double parent, double least, double* gain);
// Lists the cells that are not 0, and which they are, and makes them 0; gives their number. Reads and writes up to
// kTwoAtOnce behind the last, where cells are 0.
std::size_t list_occupied(std::uint32_t* cells, std::size_t codes, std::uint16_t* code, std::uint32_t* cell);

// --- more ------------------------------------------------------------------------------------------------------------

// The side of a cut up to a code, and the squares of the classes' counts on either side of it.
struct ClassCut {
  double all = 0, squares = 0, right_squares = 0;
};

// What adding up reads, and writes to `left`.
struct ClassSums {
  const std::int32_t* cells;
  std::size_t stride;
  const double* total;
  double* left;
  double squares;
};

// The cuts after each code, of counts so small that sums of their squares are whole numbers of 32 bits.
struct CodeCuts {
  const std::int32_t* cells;
  std::size_t stride;
  std::size_t codes;
  const std::int32_t* total;
  std::int32_t node, squares;  // what all count for, and the squares of the classes' counts
  double least;                // that a side must count for, above 0
  std::int32_t* parts[3];      // scratch, four numbers a code each
  std::int32_t *all, *left_squares, *right_squares;
  float* score;         // of both sides, to some 2^-21 of it; below 0: a side has too little
  std::uint64_t* near;  // bits of the codes whose score may be the greatest
};
struct CodesJudged {
  float most = -1;      // score
  bool differ = false;  // whether there are two codes
};

// Code by code, all classes at once. Counts below 2^25, so that sums of their squares are exact. Several columns may be
// counted together; they are judged in turn.
class ClassCells {
 public:
  static constexpr std::size_t kAtOnce = 8;  // classes; room is a multiple of it
  static constexpr std::int64_t kMost = 1 << 25;
  static constexpr std::int64_t kMostJudged = (1 << 15) - 1;

  ClassCells(std::size_t classes, int codes);
  // total: of each class in the node.
  void open(std::span<const std::int64_t> total, std::int64_t squares);
  // Counts a node's rows in a column, which is judged and cleared next.
  void count(std::span<const ClassEntry>, const CodeColumn&);
  // Counts them in several columns at once, as far as that suits them, of which count() then need only find one.
  void count_ahead(std::span<const ClassEntry>, std::span<const CodeColumn* const>);
  void forget_ahead();
  // Adds up from code `first` on: lists the codes that have rows, and the cut after each. Gives their number.
  std::size_t add_up(int first, int codes, std::uint16_t* code, ClassCut* cut);
  // Judges all cuts at once, of a node that counts for kMostJudged or less.
  CodesJudged judge(int codes, std::int64_t node, double least);
  const CodeCuts& judged() const { return judged_; }
  void clear(int codes);

 private:
  static constexpr std::size_t kMostTogether = 2048;  // cells of a column: all are to stay near the processor

  std::size_t size(int codes) const { return static_cast<std::size_t>(codes) * stride_; }

  std::size_t stride_;               // from one code to the next, a power of two
  std::vector<std::int32_t> cells_;  // code x class, of a column alone; all zero between uses
  CellsTogether<std::int32_t, kMostTogether> together_;
  CountedAhead ahead_;
  std::int32_t* now_ = nullptr;  // cells of the column that is judged
  std::vector<std::int32_t> whole_, room_;
  std::vector<float> score_;
  std::vector<std::uint64_t> near_;
  CodeCuts judged_ = {};
  std::vector<double> total_, left_;
  double squares_ = 0;  // of the totals
};

// --- from what is judged to what is chosen; no value is missing ------------------------------------------------------

inline Offer offer_of(const CodeCuts& x, std::size_t c, double parent) {
  const double wl = x.all[c], wr = x.node - x.all[c];
  return {x.left_squares[c] / wl, x.right_squares[c] / wr, parent, wl, wr};
}
inline void offer_code(const CodeCuts& x, std::size_t c, std::uint32_t column, Choice& choice) {
  const Offer offer = offer_of(x, c, choice.parent);
  Split* split = choice.greedy.offer(offer);
  if (split == nullptr) return;
  split->column = column, split->missing_left = offer.left_weight >= offer.right_weight;
  std::size_t next = c + 1;
  while (x.all[next] == x.all[c]) ++next;
  split->bin = static_cast<std::uint32_t>(c), split->next = static_cast<std::uint32_t>(next);
}
// Those that may be the best, once more and exactly; where that does not tell, all of them.
inline void offer_codes(const CodeCuts& x, std::uint32_t column, Choice& choice) {
  constexpr std::size_t kNear = 8;
  std::size_t near[kNear], found = 0;
  double gain[kNear], most = kNoGain;
  const auto occupied = [&](std::size_t c) { return x.all[c] != x.all[c - 1]; };
  const auto each = [&] {
    for (std::size_t c = 1; c < x.codes; ++c)
      if (x.score[c] >= 0 && occupied(c)) offer_code(x, c, column, choice);
  };
  for (std::size_t w = 0; w * 64 < x.codes; ++w)
    for (std::uint64_t bits = x.near[w]; bits != 0; bits &= bits - 1) {
      const std::size_t c = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
      if (!occupied(c)) continue;
      if (found == kNear) return each();
      near[found] = c, gain[found] = offer_of(x, c, choice.parent).gain(), most = std::max(most, gain[found++]);
    }
  const auto offer = [&](std::size_t i) { offer_code(x, near[i], column, choice); };
  if (!each_deciding({gain, found}, most, Greedy::noise_below(most, choice.parent), offer)) each();
}

}  // namespace wald::sapling
