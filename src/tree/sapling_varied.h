// Which columns may still differ among the rows of an open node. One whose rows are found alike is alike for all nodes
// below, and is neither looked at nor kept in order there.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace wald::sapling {

class Varied {
 public:
  explicit Varied(std::size_t columns) : words_(columns / 64 + 1), now_(words_) {
    for (std::size_t k = 0; k < columns; ++k) now_[k / 64] |= std::uint64_t{1} << (k % 64);
    all_ = now_;
  }
  // What is known is kept by the place of a node among the open ones, a stack.
  void begin() { now_ = all_; }
  void take(std::size_t open) { std::copy_n(kept_.begin() + at(open), words_, now_.begin()); }
  void give(std::size_t open) {
    if (kept_.size() < (open + 1) * words_) kept_.resize((open + 1) * words_);
    std::copy_n(now_.begin(), words_, kept_.begin() + at(open));
  }
  bool has(std::size_t column) const { return now_[column / 64] >> (column % 64) & 1; }
  void drop(std::size_t column) { now_[column / 64] &= ~(std::uint64_t{1} << (column % 64)); }
  // body(column), ascending, as long as it says true. Columns may be dropped meanwhile.
  template <class Body>
  void each(Body body) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = now_[w]; bits != 0; bits &= bits - 1)
        if (!body(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)))) return;
  }

 private:
  std::ptrdiff_t at(std::size_t open) const { return static_cast<std::ptrdiff_t>(open * words_); }

  std::size_t words_;
  std::vector<std::uint64_t> all_, now_, kept_;
};

}  // namespace wald::sapling
