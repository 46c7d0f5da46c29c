// The cuts of a column of numbers in a node of few rows, without putting them in order: each row is compared with each
// cut, many cuts at a time. For rows that count, of two classes, or of more and then class by class.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "tree/sapling_rows.h"

namespace wald::sapling {

constexpr std::size_t kMostCompared = 128;   // rows; more are sooner put in order
constexpr std::int64_t kMostCounted = 255;   // that they count for: then all sums of squares fit 16 bits
constexpr std::size_t kComparedAtOnce = 32;  // cuts at most; rooms are multiples of it

struct ClassRun {
  std::uint16_t end, upto;  // of the rows of a class, and what those up to there count for
};

struct ComparedRows {
  const std::uint8_t *code, *count;  // of each row
  std::size_t rows;
  std::uint16_t all;  // of the node
  double least;       // that a side must count for, above 0
  // Of two classes: the rows' counts for the second, else null, and their sum.
  const std::uint8_t* ones;
  std::uint16_t second;
  // Of more: where they are, the squares of what they count for, and scratch, kComparedAtOnce a row.
  const ClassRun* runs;
  std::size_t classes;
  std::uint16_t squares;
  std::uint8_t* upto;
};
struct ComparedCuts {
  const std::uint8_t* code;  // the last on the left
  std::size_t count;
  std::uint16_t *all, *squares, *right_squares;  // that lie left; of the classes on the left, on the right
  float* score;                                  // of both sides, rounded once; below 0: a side has too little
  std::uint64_t* best;                           // bits of the cuts of the greatest score
};
// Fills in the cuts; gives the greatest score.
float compare_rows(const ComparedRows&, const ComparedCuts&);

enum class Compared { Alike, Missing, Done };  // one code only; a code of 0, which is not for here; cuts were offered

// The rows of a node for all columns that it looks at.
template <bool kTwoClasses>
class ComparedNode {
 public:
  static bool suits(const CodeColumn& column, std::size_t rows, std::int64_t all) {
    return rows <= kMostCompared && all <= kMostCounted && column.narrow != nullptr;
  }
  void forget() { rows_ = 0; }
  // Entries of more than two classes lie class by class.
  template <class Entry>
  Compared scan(const CodeColumn& column, std::span<const Entry> entries, Choice& choice) {
    // Bytes may be written anywhere, as far as the compiler knows: what it is to keep is not read from elsewhere.
    const std::uint8_t *const from = column.narrow, first = from[entries[0].place];
    std::uint8_t* const into = code_.data();
    const Entry* const entry = entries.data();
    const std::size_t rows = entries.size();
    std::uint32_t differ = 0, least = first;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t c = from[entry[i].place];
      into[i] = static_cast<std::uint8_t>(c);
      differ |= c ^ first, least = std::min(least, c);
    }
    if (differ == 0) return Compared::Alike;
    if (least == 0) return Compared::Missing;
    if (rows_ == 0) take(entries);
    const float most = judge(column.codes, choice.greedy.min_leaf);
    if (most < 0 || (choice.greedy.any && most * (1 + 0x1p-20) < choice.parent + choice.greedy.chosen.gain))
      return Compared::Done;
    for (const std::uint8_t i : in_order()) offer(i, column.number, choice);
    return Compared::Done;
  }

 private:
  static constexpr std::size_t kMost = kMostCompared;

  template <class Entry>
  void take(std::span<const Entry> entries) {
    if constexpr (kTwoClasses) take_two(entries);
    else take_runs(entries);
  }
  template <class Entry>
  void take_two(std::span<const Entry> entries) {
    std::uint32_t all = 0, second = 0;
    std::uint8_t *count = count_.data(), *ones = ones_.data();
    for (const Entry e : entries) {
      const auto here = static_cast<std::uint32_t>(e.weight());
      *ones++ = static_cast<std::uint8_t>(e.second()), *count++ = static_cast<std::uint8_t>(here);
      all += here, second += e.second();
    }
    rows_ = entries.size(), all_ = static_cast<std::uint16_t>(all), second_ = static_cast<std::uint16_t>(second);
  }
  template <class Entry>
  void take_runs(std::span<const Entry> entries) {
    std::uint32_t last = kNoCode, sum = 0;
    std::size_t k = ~std::size_t{0};
    std::uint8_t *const count = count_.data(), *at = count;
    ClassRun* const run = run_.data();
    for (const Entry e : entries) {  // without a branch on whether the class is a new one
      k += e.label != last, last = e.label;
      sum += e.count;
      *at++ = static_cast<std::uint8_t>(e.count);
      run[k] = {static_cast<std::uint16_t>(at - count), static_cast<std::uint16_t>(sum)};
    }
    rows_ = entries.size(), classes_ = k + 1, all_ = static_cast<std::uint16_t>(sum);
    std::uint32_t squares = 0, before = 0;
    for (std::size_t i = 0; i <= k; ++i) {
      const std::uint32_t total = run[i].upto - std::exchange(before, run[i].upto);
      squares += total * total;
    }
    squares_ = static_cast<std::uint16_t>(squares);
  }
  // One cut after each row, or, where these are fewer, after each code.
  float judge(int codes, double min_leaf) {
    cut_ = code_.data(), cuts_ = rows_;
    if (static_cast<std::size_t>(codes) < rows_) cut_ = kEach.data(), cuts_ = static_cast<std::size_t>(codes) - 1;
    return compare_rows(
        {code_.data(), count_.data(), rows_, all_, std::max(min_leaf, 0.5), kTwoClasses ? ones_.data() : nullptr,
         second_, run_.data(), classes_, squares_, upto_.data()},
        {cut_, cuts_, left_.data(), squares_left_.data(), squares_right_.data(), score_.data(), best_.data()});
  }
  // The cuts of the greatest score as rounded, by code: the first of the best is taken.
  std::span<const std::uint8_t> in_order() {
    std::size_t found = 0;
    for (std::size_t w = 0; w * 64 < cuts_; ++w)
      for (std::uint64_t bits = best_[w]; bits != 0; bits &= bits - 1)
        order_[found++] = static_cast<std::uint8_t>(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
    const auto out = std::span(order_).first(found);
    if (found > 1 && cut_ != kEach.data()) std::ranges::sort(out, {}, [this](std::uint8_t i) { return cut_[i]; });
    return out;
  }
  void offer(std::size_t i, std::uint32_t column, Choice& choice) {
    const double wl = left_[i], wr = all_ - left_[i];
    const double l = squares_left_[i], r = squares_right_[i];
    if (!choice.could_win(l, r, wl, wr)) return;
    Split* split = choice.greedy.offer({l / wl, r / wr, choice.parent, wl, wr});
    if (split == nullptr) return;
    split->column = column, split->missing_left = wl >= wr;
    const std::uint8_t bin = cut_[i];
    std::uint8_t over = 0xFF;  // the next code is so much more, and one
    for (std::size_t j = 0; j < rows_; ++j) over = std::min(over, static_cast<std::uint8_t>(code_[j] - bin - 1));
    split->bin = bin, split->next = bin + over + 1u;
  }

  static constexpr std::array<std::uint8_t, kMost> kEach = [] {
    std::array<std::uint8_t, kMost> out{};
    for (std::uint8_t i = 0; i < kMost; ++i) out[i] = static_cast<std::uint8_t>(i + 1);
    return out;
  }();

  std::size_t rows_ = 0, classes_ = 0, cuts_ = 0;
  std::uint16_t all_ = 0, second_ = 0, squares_ = 0;
  const std::uint8_t* cut_ = nullptr;
  std::array<ClassRun, kMost> run_;
  std::array<std::uint8_t, kMost> code_ = {}, count_, ones_, order_;
  std::array<std::uint16_t, kMost> left_, squares_left_, squares_right_;
  std::array<float, kMost> score_;
  std::array<std::uint64_t, kMost / 64> best_;
  std::array<std::uint8_t, kMost * kComparedAtOnce> upto_;
};

}  // namespace wald::sapling
