// Sums per bin. A large node keeps a full histogram of every column, and its larger child's is the parent's less the
// smaller child's. A node of fewer rows than bins fills a scratch column and remembers which bins it touched, so that
// nothing is cleared or scanned that holds no row.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/criterion.h"

namespace wald {

// Where each column's bins lie in a full histogram: bin b of column c starts at (start[c] + b) * width.
struct Layout {
  std::vector<std::size_t> start;
  int most = 0;  // codes of the widest column
  explicit Layout(const Binned& x) : start{0} {
    for (const BinnedColumn& c : x.columns)
      start.push_back(start.back() + static_cast<std::size_t>(c.codes)), most = std::max(most, c.codes);
  }
  std::size_t bins() const { return start.back(); }
};

using Histogram = std::vector<std::int64_t>;

template <class C, class Code>
void fill(const std::vector<Code>& code, std::span<const Row> rows, const typename C::Part* part, const C& criterion,
          std::int64_t* sums) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto p = part[i];  // read before the sums are touched: they might alias for all the compiler knows
    criterion.add(p, sums + code[rows[i]] * width);
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
};

template <class C, class Code>
void fill_touched(const std::vector<Code>& code, std::span<const Row> rows, const typename C::Part* part,
                  const C& criterion, Scratch& scratch) {
  const auto width = static_cast<std::size_t>(criterion.width());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = code[rows[i]];
    const auto p = part[i];
    scratch.touched.add(c);
    criterion.add(p, scratch.sums.data() + c * width);
  }
  scratch.touched.take(scratch.codes);
}

inline void clear_touched(Scratch& scratch, int width) {
  for (const std::uint16_t code : scratch.codes)
    std::fill_n(scratch.sums.data() + static_cast<std::size_t>(code) * static_cast<std::size_t>(width), width, 0);
}

}  // namespace wald
