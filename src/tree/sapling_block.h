// The rows of a small subtree, copied so that what its nodes read over and over lies together.
#pragma once
#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "tree/sapling.h"
#include "tree/sapling_rows.h"

namespace wald {
struct PlaceMarks;
}

namespace wald::sapling {

std::vector<CodeColumn> code_columns(const Binned&);  // those of more than one code

// Which columns may still differ among the rows of an open node. One whose rows are found alike is alike for all nodes
// below, and is neither looked at nor kept in order there. And, in a block that has orders, how many of the node's rows
// each column has there.
class Varied {
 public:
  explicit Varied(std::size_t columns) : words_(columns / 64 + 1), columns_(columns), now_(words_), rare_(2 * columns) {
    for (std::size_t k = 0; k < columns; ++k) now_[k / 64] |= std::uint64_t{1} << (k % 64);
    all_ = now_;
  }
  // What is known is kept by the place of a node among the open ones, a stack.
  void begin() { now_ = all_; }
  void take(std::size_t open, bool ordered) {
    std::copy_n(kept_.begin() + at(open, words_), words_, now_.begin());
    if (ordered) std::copy_n(kept_rare_.begin() + at(open, columns_), columns_, rare_.begin());
  }
  // ordered: with the counts of the open node, or, once it is divided, of its left child; or of the right one.
  void give(std::size_t open, bool ordered, bool right) {
    if (kept_.size() < (open + 1) * words_) kept_.resize((open + 1) * words_), kept_rare_.resize((open + 1) * columns_);
    std::copy_n(now_.begin(), words_, kept_.begin() + at(open, words_));
    if (ordered) std::copy_n(rare_.begin() + at(right, columns_), columns_, kept_rare_.begin() + at(open, columns_));
  }
  const std::uint16_t* rare() const { return rare_.data(); }
  std::uint16_t& rare(std::size_t column) { return rare_[column]; }
  std::uint16_t& right_rare(std::size_t column) { return rare_[columns_ + column]; }
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
  static std::ptrdiff_t at(std::size_t open, std::size_t size) { return static_cast<std::ptrdiff_t>(open * size); }

  std::size_t words_, columns_;
  std::vector<std::uint64_t> all_, now_, kept_;
  std::vector<std::uint16_t> rare_, kept_rare_;
};

// Its codes; and, for nodes that look at many columns, its rows in the order of each column's codes, which children
// inherit by a stable partition: so no node has to put anything in order. Rows that have a column's common code stay
// out of its order: where nearly all have it, there is next to nothing to do. An entry's place in the block is where
// its codes are found from where those of the first row are.
class Block {
 public:
  // Of at most so many rows, below 2^15. Both must outlive it.
  Block(const RowMajor& by_rows, const std::vector<CodeColumn>& columns, bool ordered, std::size_t rows)
      : by_rows_(by_rows), columns_(columns), most_(rows), origin_(rows), left_(rows + kAtOnce) {
    whole_ = by_rows_.width == columns_.size();
    if (whole_ && !ordered && by_rows_.width <= kMostCopiedByRows) {
      for (const CodeColumn& c : columns_)
        if (words_ == nullptr && c.word != nullptr) words_ = c.word, word_bytes_ = c.word_step;
      spacing_ = by_rows_.width + word_bytes_;
    }
    std::size_t wide = 0;
    int most = 1;
    for (const CodeColumn& c : columns_) wide += c.narrow == nullptr, most = std::max(most, c.codes);
    narrow_.resize((columns_.size() - wide + word_bytes_) * rows + kMostCopiedByRows), wide_.resize(wide * rows);
    if (ordered) {
      order_.resize(columns_.size() * rows + kAtOnce), start_.resize(2 * static_cast<std::size_t>(most));
      right_.resize(rows + kAtOnce), key_.resize(rows);
      sorted_.resize(order_.size()), sorted_rare_.resize(columns_.size());
    }
    std::uint8_t* narrow = narrow_.data();
    std::uint16_t *next = wide_.data(), *order = order_.data();
    for (CodeColumn c : columns_) {
      if (c.word != nullptr)
        c.word = word_bytes_ > 0 ? narrow_.data() + by_rows_.width + (c.word - words_) : nullptr, c.word_step = 1;
      if (c.narrow != nullptr) c.narrow = std::exchange(narrow, narrow + (spacing_ > 1 ? 1 : rows));
      else c.wide = std::exchange(next, next + rows);
      if (ordered) c.order = std::exchange(order, order + rows);
      copied_.push_back(c);
    }
  }
  std::size_t most_rows() const { return most_; }
  // Takes the entries' rows in, and has their places stand for them from now on; counts those in the order of each
  // column. The rows of small tables come again, tree after tree, and are still there.
  template <class Entry>
  void take(std::span<Entry> entries, Varied& varied) {
    if (!holds<Entry>(entries)) {
      rows_ = entries.size();
      for (std::size_t j = 0; j < rows_; ++j) origin_[j] = entries[j].place;
      copy_codes();
      if (!sorted_.empty()) sort();
    }
    for (std::size_t j = 0; j < rows_; ++j) entries[j].place = static_cast<std::uint32_t>(j * spacing_);
    for (std::size_t c = 0; c < sorted_rare_.size(); ++c) {
      varied.rare(c) = sorted_rare_[c];
      std::copy_n(sorted_.data() + c * most_, sorted_rare_[c], order_.data() + c * most_);
    }
  }
  const std::vector<CodeColumn>& columns() const { return copied_; }
  bool by_rows() const { return spacing_ > 1; }  // all codes of a row are neighbours, from its place on ...
  const std::uint8_t* codes() const { return narrow_.data(); }  // ... and behind the last there is room for a register
  // The rows of entries. Asked once how places are spaced: a division for each would take longer than all else.
  template <class Entry>
  void put_rows(std::span<const Entry> entries, Row* to) const {
    if (spacing_ == 1)
      for (const Entry& e : entries) *to++ = origin_[e.place];
    else
      for (const Entry& e : entries) *to++ = origin_[e.place / spacing_];
  }

  static constexpr std::size_t kAtOnce = 64;  // places marked or divided
  // Marks the places that go left; false where that is to be found out entry by entry, into goes_left().
  bool mark(const CodeColumn& by, const Split&);
  std::uint8_t* goes_left() { return left_.data(); }  // by place
  // Puts the marked ones of some places first, all in their order; gives how many. spare: room for them and kAtOnce.
  std::size_t divide(std::span<std::uint32_t> places, std::uint32_t* spare) const;
  // Divides the order of each varied column between the children of the node whose rows are from `first` to `last`,
  // those of the right one from `middle` on. by: the column that the split is of.
  struct Middle {
    std::size_t first, middle, last;
    bool left, right;  // whether the child wants its order
  };
  void divide(const Middle&, const CodeColumn& by, const Split&, Varied&);

 private:
  static constexpr std::size_t kMostCopiedByRows = 64;  // a line of the cache

  template <class Entry>
  bool holds(std::span<const Entry> entries) const {
    return entries.size() == rows_ && std::equal(entries.begin(), entries.end(), origin_.begin(),
                                                 [](const Entry& e, Row r) { return e.place == r; });
  }
  void sort();  // all places in the order of each column
  template <class Code>
  std::size_t sort(CodeColumn&, const Code*, std::uint16_t* order);  // gives how many are in it
  void copy_codes();                                                 // of the rows that the places stand for
  void gather_columns(std::span<const Row>);

  const RowMajor& by_rows_;
  const std::vector<CodeColumn>& columns_;
  std::vector<CodeColumn> copied_;
  const std::size_t most_;
  std::size_t rows_ = 0;
  bool whole_ = false;                   // every column is in by_rows
  std::size_t spacing_ = 1;              // of places; more than 1: codes lie row by row ...
  const std::uint8_t* words_ = nullptr;  // ... and then the words of columns whose codes are bits, from these
  std::size_t word_bytes_ = 0;           // of a row
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint16_t> wide_;
  std::vector<std::uint16_t> order_, start_;
  std::vector<std::uint16_t> sorted_, sorted_rare_;  // order_, and its rows, before any node was divided
  std::vector<std::uint32_t> key_;
  std::vector<Row> origin_;  // the row that lies at a place
  std::vector<std::uint8_t> left_;
  std::shared_ptr<PlaceMarks> marks_;  // nobody shares it; whoever includes this need not see what it is
  bool is_marked_ = false;
  std::vector<std::uint16_t> right_;
};

// Where nobody finishes the small subtrees of a block in a way of his own.
struct NoTwigs {
  explicit NoTwigs(const auto&...) {}
  void begin(const auto&) {}
  static constexpr bool grow(const auto&...) { return false; }
};

}  // namespace wald::sapling
