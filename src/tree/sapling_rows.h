// The rows of a sapling's node as its scans see them, column by column, and what the scans share.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "tree/choose.h"
#include "tree/histogram.h"
#include "tree/scan.h"

namespace wald::sapling {

struct CodeColumn {
  std::uint32_t number = 0;  // in the table
  std::uint32_t index = 0;   // among those of more than one code
  ColumnType type = ColumnType::Number;
  int codes = 1;
  const std::uint8_t* narrow = nullptr;
  const std::uint16_t* wide = nullptr;
  const BinnedColumn* binned = nullptr;
  // Of place 0, if a bit of a place's word tells its code: the word, bytes from one place to the next, which bit.
  const std::uint8_t* word = nullptr;
  std::uint32_t word_step = 0, bit = 0;
  // In a block that has orders: its places in the order of their codes, node by node, without those of one code that
  // most of the block's rows have, if there is one.
  const std::uint16_t* order = nullptr;
  std::uint32_t common = 0;
};

template <class Body>
[[gnu::always_inline]] inline decltype(auto) with_codes(const CodeColumn& column, Body body) {
  return column.narrow != nullptr ? body(column.narrow) : body(column.wide);
}

constexpr std::uint32_t kNoCode = 0xFFFF'FFFF;  // greater than any

// The rows of a node, and where they stand in the orders of a block's columns.
template <class Entry, class Part>
class NodeRows {
 public:
  std::span<const Entry> entries;
  const Part* at = nullptr;             // what the entry at a place adds; nullptr: there are no orders
  std::size_t first = 0;                // in every order
  const std::uint16_t* rare = nullptr;  // of each column: rows in its order, those that have not its common code
  bool by_class = false;                // entries lie class by class
  const Part* placed = nullptr;         // `at`, whether or not there are orders; nullptr: places are rows of the table

  std::size_t in_order(const CodeColumn& column) const { return rare[column.index]; }
  // Goes through the rows in the order of a column's codes: take(i, k, part), the row being the i-th of those in the
  // order and its code the k-th of the different ones, which are listed in `codes`; take.rest(k) for all other rows
  // together. Gives what it was given, with the number of codes in take.used; 1, and nothing taken, where all are
  // alike. Without a branch on whether the code is a new one, which would be mistaken every other time.
  template <class Take>
  Take walk(const CodeColumn& column, std::uint16_t* codes, Take take) const {
    return with_codes(column, [&](const auto* code) {
      return walk(code, column.order + first, in_order(column), column.common, codes, take);
    });
  }

 private:
  template <class Code, class Take>
  [[gnu::always_inline]] Take walk(const Code* code, const std::uint16_t* order, std::size_t n, std::uint32_t common,
                                   std::uint16_t* codes, Take take) const {
    const bool has_common = n < entries.size();
    take.used = 1;
    if (n == 0 || (!has_common && code[order[0]] == code[order[n - 1]])) return take;
    std::size_t i = 0, k = ~std::size_t{0};
    std::uint32_t last = kNoCode, end = has_common ? common : kNoCode;
    for (;;) {
      for (; i < n; ++i) {
        const std::uint16_t place = order[i];
        const std::uint32_t c = code[place];
        if (c > end) break;
        k += c != last, last = c;
        codes[k] = static_cast<std::uint16_t>(c);
        take(i, k, at[place]);
      }
      if (end == kNoCode) break;
      codes[++k] = static_cast<std::uint16_t>(common);
      take.rest(k);
      end = kNoCode;
    }
    take.used = k + 1;
    return take;
  }
};

// Which rows a split sends to the left.
class Goes {
 public:
  void set(const Split& split, int codes) {
    set_ = split.set, missing_left_ = split.missing_left, bin_ = split.bin;
    if (!set_) return;
    few_ = static_cast<std::size_t>(codes) <= byte_.size();
    if (few_) {
      std::fill_n(byte_.begin(), codes, std::uint8_t{0});
      byte_[0] = missing_left_;
      for (const std::uint16_t level : split.left) byte_[level + 1u] = 1;
      return;
    }
    bits_.assign(static_cast<std::size_t>(codes) / 64 + 1, 0);
    if (missing_left_) bits_[0] = 1;
    for (const std::uint16_t level : split.left) bits_[(level + 1u) / 64] |= std::uint64_t{1} << ((level + 1u) % 64);
  }
  // Calls body with a test of codes, which gives 1 or 0.
  template <class Body>
  void with(Body body) const {
    if (set_ && few_) body([byte = byte_.data()](std::uint32_t c) { return byte[c]; });
    else if (set_) body([bits = bits_.data()](std::uint32_t c) { return bits[c / 64] >> (c % 64) & 1; });
    else if (missing_left_) body([bin = bin_](std::uint32_t c) { return c <= bin; });
    else body([bin = bin_](std::uint32_t c) { return c - 1u < bin; });  // 0 becomes the greatest
  }

 private:
  bool set_ = false, few_ = false, missing_left_ = true;
  std::uint32_t bin_ = 0;
  std::array<std::uint8_t, 256> byte_;  // by code, where they are few ...
  std::vector<std::uint64_t> bits_;     // ... and else
};

// Sets the bits of the levels that go left; those that no row of the node has follow the missing values. right: the
// levels that rows have and that go right, where they are known.
template <class Entry>
void put_levels(const CodeColumn& column, const Split& split, std::span<const Entry> entries,
                const std::vector<std::uint16_t>* right, std::uint64_t* bits) {
  const auto levels = static_cast<std::size_t>(column.codes - 1);
  if (split.missing_left) {
    for (std::size_t level = 0; level < levels; level += 64)
      bits[level / 64] = levels - level < 64 ? (std::uint64_t{1} << (levels - level)) - 1 : ~std::uint64_t{0};
    if (right != nullptr)
      for (const std::uint16_t level : *right) bits[level / 64] &= ~(std::uint64_t{1} << (level % 64));
    else
      with_codes(column, [&](const auto* code) {
        if (levels < 64) {  // most often, and then they fit a register
          std::uint64_t present = 0;
          for (const Entry& e : entries) present |= std::uint64_t{1} << code[e.place];
          bits[0] &= ~(present >> 1);
          return;
        }
        for (const Entry& e : entries)
          if (const std::uint32_t c = code[e.place]; c > 0) bits[(c - 1) / 64] &= ~(std::uint64_t{1} << ((c - 1) % 64));
      });
  }
  for (const std::uint16_t level : split.left) bits[level / 64] |= std::uint64_t{1} << (level % 64);
}

// --- dividing the entries of a node ----------------------------------------------------------------------------------

constexpr std::size_t kDividedEntries = 8;  // at a time at most: so much may be written behind the last on the right

// Where words of 64 bits go next. `left` may be where they are read from, or before that.
struct DividedWords {
  std::uint64_t *left, *right;
};
// Divides n words by their marks, 1 for the left and 0 for the right; kDividedEntries more are 0.
DividedWords divide_words(const std::uint64_t* words, std::size_t n, const std::uint8_t* marks, DividedWords to);

// Puts the entries that go left first, each side in its order; gives how many do. goes_left(entry) says 1 or 0. spare:
// room for as many entries and kDividedEntries more. All are marked before any is moved, so that many wait at a time
// for their codes, which lie anywhere.
template <class Entry, class Test>
std::size_t divide_entries(std::span<Entry> entries, Entry* spare, Test goes_left) {
  constexpr std::size_t kMarked = 512;  // at a time
  static_assert(sizeof(Entry) == sizeof(std::uint64_t) && std::is_trivially_copyable_v<Entry>);
  std::array<std::uint8_t, kMarked + kDividedEntries> marks;
  auto* const words = reinterpret_cast<std::uint64_t*>(entries.data());
  DividedWords to{words, reinterpret_cast<std::uint64_t*>(spare)};
  for (std::size_t i = 0; i < entries.size(); i += kMarked) {
    const Entry* const some = entries.data() + i;
    const std::size_t n = std::min(kMarked, entries.size() - i);
    for (std::size_t k = 0; k < n; ++k) marks[k] = static_cast<std::uint8_t>(goes_left(some[k]));
    std::fill_n(marks.begin() + n, kDividedEntries, std::uint8_t{0});
    to = divide_words(words + i, n, marks.data(), to);
  }
  const auto left = static_cast<std::size_t>(to.left - words);
  std::copy_n(spare, entries.size() - left, entries.data() + left);
  return left;
}

// The same by codes; marks: of the entries' places, unless nobody asks.
template <class Entry, class Code, class Test>
std::size_t divide_marked(std::span<Entry> entries, Entry* spare, const Code* code, std::uint8_t* marks, Test test) {
  if constexpr (sizeof(Entry) == sizeof(std::uint64_t))
    if (marks == nullptr && entries.size() > kDividedEntries)
      return divide_entries(entries, spare, [=](const Entry& e) { return test(code[e.place]); });
  Entry* left = entries.data();
  for (const Entry& here : entries) {  // both are written, one moves on
    const Entry e = here;
    const std::size_t to_left = test(code[e.place]);
    if (marks != nullptr) marks[e.place] = static_cast<std::uint8_t>(to_left);
    spare[&here - left] = e, *left = e;
    left += to_left;
  }
  std::copy_n(spare, entries.data() + entries.size() - left, left);
  return static_cast<std::size_t>(left - entries.data());
}

// --- choosing --------------------------------------------------------------------------------------------------------

// A chooser with what every offer of a node shares.
struct Choice {
  Greedy greedy = {};
  double parent = 0;
  MissingRule rule = MissingRule::Learn;
  std::uint32_t right_of = kNoCode;         // the column, if any, of which it is known ...
  std::vector<std::uint16_t> right_levels;  // ... which levels, counted from 0, the favourite has on the right
  bool could_win(double left, double right, double wl, double wr) const {
    return greedy.could_win(left, right, wl, wr, parent);
  }
};

// The walk of scan.h over cuts of numbers. begin(missing_left) gives a left side without rows; put(i, left) adds those
// of codes[i] to it; judge(left, offer) gives weights and scores of both sides, or says that the cut is out of the
// question. The side is a value that nobody else sees, so that what it counts stays in registers.
template <class Begin, class Put, class Judge>
[[gnu::always_inline]] inline void walk_numbers(std::uint32_t column, std::span<const std::uint16_t> codes,
                                                double missing, Choice& choice, Begin begin, Put put, Judge judge) {
  const bool has_missing = codes[0] == 0;
  const std::size_t first = has_missing ? 1 : 0, last = codes.size();
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !has_missing) break;
    auto left = begin(missing_left);
    if (missing_left && has_missing) put(0, left);
    const std::size_t end = last - (missing_left || choice.rule == MissingRule::Majority ? 1 : 0);
    for (std::size_t i = first; i < end; ++i) {
      put(i, left);
      Offer offer{.parent = choice.parent};
      if (!judge(left, offer)) continue;
      const double wl = offer.left_weight, wr = offer.right_weight;
      const bool left_is_heavier = missing_left ? wl - missing >= wr : wl >= wr - missing;  // counting values only
      if (choice.rule == MissingRule::Majority && has_missing && missing_left != left_is_heavier) continue;
      Split* split = choice.greedy.offer(offer);
      if (split == nullptr) continue;
      split->column = column;
      split->missing_left = has_missing ? missing_left : left_is_heavier;
      split->bin = codes[i];
      split->next = i + 1 < last ? codes[i + 1] : 0;
    }
  }
}

constexpr std::size_t kRankedAtOnce = 16;  // room for keys is asked for in multiples of this

// Writes n different keys in ascending order to `out`. `key` has room up to the next multiple of kRankedAtOnce, which
// is overwritten. Each key's place is the number of lesser ones: more comparisons than sorting takes, but none of them
// is a branch, and for some dozens of keys that is what counts.
void rank_keys(std::uint32_t* key, std::size_t n, std::uint32_t* out);

constexpr std::size_t kJudgedInTurn = 4;  // so many codes are judged one by one
constexpr std::size_t kFew = 32;          // so many rows are put in order by comparing each with each
static_assert(kFew % kRankedAtOnce == 0);

// The codes of a node's rows in one column.
class NodeCodes {
 public:
  // Whether there are two different ones.
  template <class Entry>
  bool read(const CodeColumn& column, std::span<const Entry> entries) {
    if (code_.size() < entries.size()) code_.resize(entries.size());
    return with_codes(column, [entries, into = code_.data()](const auto* code) {
      std::uint32_t differ = 0;
      const std::uint32_t first = code[entries[0].place];
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint32_t c = code[entries[i].place];
        into[i] = static_cast<std::uint16_t>(c);
        differ |= c ^ first;
      }
      return differ != 0;
    });
  }
  const std::uint16_t* data() const { return code_.data(); }

  // The first n <= kFew of them in order: key = code << 16 | i.
  std::span<const std::uint32_t> sorted(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) key_[i] = std::uint32_t{code_[i]} << 16 | static_cast<std::uint32_t>(i);
    if (n == 2) sorted_[0] = std::min(key_[0], key_[1]), sorted_[1] = std::max(key_[0], key_[1]);  // most often
    else rank_keys(key_, n, sorted_);
    return {sorted_, n};
  }

 private:
  std::vector<std::uint16_t> code_;
  std::uint32_t key_[kFew] = {}, sorted_[kFew] = {};
};

}  // namespace wald::sapling
