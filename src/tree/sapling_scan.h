// Offers the splits of one column of a sapling's node to the chooser: those of scan.h, in the same order.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/histogram.h"
#include "tree/sapling_sums.h"
#include "tree/sapling_two.h"
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
  // In a block that has orders: its places in the order of their codes, node by node, without those of one code that
  // most of the block's rows have, if there is one.
  const std::uint16_t* order = nullptr;
  std::uint32_t common = 0;
};

template <class Body>
decltype(auto) with_codes(const CodeColumn& column, Body body) {
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
  Take walk(const Code* code, const std::uint16_t* order, std::size_t n, std::uint32_t common, std::uint16_t* codes,
            Take take) const {
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
    bits_.assign(static_cast<std::size_t>(codes) / 64 + 1, 0);
    if (missing_left_) bits_[0] = 1;
    for (const std::uint16_t level : split.left) bits_[(level + 1u) / 64] |= std::uint64_t{1} << ((level + 1u) % 64);
  }
  // Calls body with a test of codes.
  template <class Body>
  void with(Body body) const {
    if (set_) body([bits = bits_.data()](std::uint32_t c) { return (bits[c / 64] >> (c % 64) & 1) != 0; });
    else if (missing_left_) body([bin = bin_](std::uint32_t c) { return c <= bin; });
    else body([bin = bin_](std::uint32_t c) { return c - 1u < bin; });  // 0 becomes the greatest
  }

 private:
  bool set_ = false, missing_left_ = true;
  std::uint32_t bin_ = 0;
  std::vector<std::uint64_t> bits_;
};

// A chooser with what every offer of a node shares.
struct Choice {
  Greedy greedy = {};
  double parent = 0;
  MissingRule rule = MissingRule::Learn;
  // Whether a split could be the favourite whose children of weights wl and wr score left / wl and right / wr: a cheap
  // question that spares nearly all splits the divisions. Its rounding is finer than the chooser's own allowance.
  bool could_win(double left, double right, double wl, double wr) const {
    return !greedy.any || left * wr + right * wl > (parent + greedy.chosen.gain) * (wl * wr);
  }
};

// The walk of scan.h over cuts of numbers. begin(missing_left) gives a left side without rows; put(i, left) adds those
// of codes[i] to it; judge(left, offer) gives weights and scores of both sides, or says that the cut is out of the
// question. The side is a value that nobody else sees, so that what it counts stays in registers.
template <class Begin, class Put, class Judge>
void walk_numbers(std::uint32_t column, std::span<const std::uint16_t> codes, double missing, Choice& choice,
                  Begin begin, Put put, Judge judge) {
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
    rank_keys(key_, n, sorted_);
    return {sorted_, n};
  }

 private:
  std::vector<std::uint16_t> code_;
  std::uint32_t key_[kFew] = {}, sorted_[kFew] = {};
};

// --- targets whose sums are a pair -----------------------------------------------------------------------------------

template <class Kind>
class PairScan {
 public:
  using Entry = typename Kind::Entry;
  using Cell = typename Kind::Cell;
  using Part = Cell;
  static constexpr bool kCounted = std::is_same_v<Kind, TwoCounted>;

  PairScan(const Kind& kind, int most_codes)
      : kind_(kind),
        cells_(2 * static_cast<std::size_t>(most_codes)),
        code_(static_cast<std::size_t>(most_codes) + kFew),
        upto_(static_cast<std::size_t>(most_codes) + kFew) {
    if constexpr (kCounted) gain_.resize(upto_.size());
    touched_.resize(most_codes);
  }
  int outputs() const { return kind_.outputs(); }
  Entry entry(const Drawn& d) const { return kind_.entry(d); }
  static Part part(const Entry& e) {
    Cell cell{};
    Kind::add(cell, e);
    return cell;
  }
  double gain_unit() const { return kind_.gain_unit(); }

  void open(const NodeRows<Entry, Part>& rows) {
    rows_ = rows, entries_ = rows.entries;
    all_ = {};
    for (const Entry& e : entries_) Kind::add(all_, e);
    total_ = Kind::sums(all_), pure_ = kind_.pure(total_, entries_);
  }
  double weight() const { return kind_.weight(total_); }
  double score() const { return kind_.score(total_, weight()); }
  static constexpr bool kMostIsPure = Kind::kMostIsPure;
  double most_gain() const { return kind_.most_gain(entries_, weight(), score()); }  // of any way to divide the rows
  bool pure() const { return pure_; }
  void leaf(std::span<double> out) const { kind_.leaf(total_, entries_, pure_, out); }

  // Says whether the rows have two different codes.
  bool scan(const CodeColumn& column, Choice& choice) {
    if (rows_.at != nullptr) {
      if (!fill_in_order(column)) return false;
    } else {
      if (counts(column) ? !count(column) : !codes_.read(column, entries_)) return false;
      if (!counts(column)) fill();
    }
    if (column.type == ColumnType::Number) numbers(column.number, choice);
    else categories(column.number, choice);
    return true;
  }
  // The one split given.
  void judge(const CodeColumn& column, const Goes& goes, Choice& choice, Split& split) const {
    Cell left{};
    with_codes(column, [&](const auto* code) {
      goes.with([&](auto test) {
        for (const Entry& e : entries_)
          if (test(code[e.place])) Kind::add(left, e);
      });
    });
    Offer offer{.parent = choice.parent};
    if (!weigh(Kind::sums(left), offer, choice)) return;
    if (Split* taken = choice.greedy.offer(offer)) {
      split.gain = taken->gain, split.noise = taken->noise;
      std::swap(*taken, split);
    }
  }

 private:
  // Whether a node has so many rows that every code is looked at.
  bool counts(const CodeColumn& column) const {
    return entries_.size() > kFew && 2 * entries_.size() >= static_cast<std::size_t>(column.codes);
  }
  // Lists the occupied codes, ascending, and what the rows up to each add up to. Says whether there are two.
  bool count(const CodeColumn& column) {
    const auto codes = static_cast<std::size_t>(column.codes), n = entries_.size();
    const Entry* entries = entries_.data();
    // Every other row has cells of its own, so that rows of one code do not wait for each other.
    Cell *cells = cells_.data(), *others = cells + codes, *upto = upto_.data(), sum{};
    with_codes(column, [=](const auto* code) {
      for (std::size_t i = 0; i + 1 < n; i += 2) {
        Kind::add(cells[code[entries[i].place]], entries[i]);
        Kind::add(others[code[entries[i + 1].place]], entries[i + 1]);
      }
      if (n % 2 != 0) Kind::add(cells[code[entries[n - 1].place]], entries[n - 1]);
    });
    std::size_t used = 0;
    for (std::size_t c = 0; c < codes; ++c) {
      Cell cell = std::exchange(cells[c], Cell{});
      cell += std::exchange(others[c], Cell{});
      const Pair s = Kind::sums(cell);
      code_[used] = static_cast<std::uint16_t>(c);
      upto[used] = sum += cell;
      used += (s.a | s.b) != 0;
    }
    used_ = used;
    return used > 1;
  }
  // The same where there are fewer rows than codes, or a few of them, whose codes are read.
  void fill() {
    const Entry* entries = entries_.data();
    const std::size_t n = entries_.size();
    const std::uint16_t* code = codes_.data();
    Cell *cells = cells_.data(), *upto = upto_.data(), sum{};
    std::size_t used = 0;
    if (n <= kFew) {
      std::uint32_t last = ~0u;
      for (const std::uint32_t key : codes_.sorted(n)) {  // without a branch, which would be mistaken every other time
        used += key >> 16 != last, last = key >> 16;
        Kind::add(sum, entries[key & 0xFFFF]);
        code_[used - 1] = static_cast<std::uint16_t>(last), upto[used - 1] = sum;
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) touched_.add(code[i]), Kind::add(cells[code[i]], entries[i]);
      touched_.take(listed_);
      for (const std::uint16_t c : listed_) code_[used] = c, upto[used++] = sum += std::exchange(cells[c], Cell{});
    }
    used_ = used;
  }
  // The same from a block's order. Says whether there are two different codes.
  bool fill_in_order(const CodeColumn& column) {
    struct Take {
      Cell* upto;
      Cell sum = {};
      std::size_t used = 0, common = ~std::size_t{0};
      void operator()(std::size_t, std::size_t k, const Cell& part) { sum += part, upto[k] = sum; }
      void rest(std::size_t k) { upto[k] = sum, common = k; }
    };
    const Take taken = rows_.walk(column, code_.data(), Take{upto_.data()});
    used_ = taken.used;
    const Cell rest = all_ - taken.sum;
    for (std::size_t k = taken.common; k < used_; ++k) upto_[k] += rest;
    return used_ > 1;
  }
  std::span<const std::uint16_t> occupied() const { return std::span(code_).first(used_); }

  bool weigh(const Pair& left, Offer& offer, const Choice& choice) const {
    const Pair right = total_ - left;
    const double wl = offer.left_weight = kind_.weight(left), wr = offer.right_weight = kind_.weight(right);
    if (!choice.greedy.admits(wl, wr)) return false;
    if (!choice.could_win(kind_.squares(left), kind_.squares(right), wl, wr)) return false;
    offer.left = kind_.score(left, wl), offer.right = kind_.score(right, wr);
    return true;
  }

  void numbers(std::uint32_t column, Choice& choice) {
    if constexpr (kCounted)
      if (code_[0] != 0 && used_ > kJudgedInTurn && numbers_at_once(column, choice)) return;
    numbers_in_turn(column, choice);
  }
  // No value is missing. False, and nothing is offered, where that does not tell which cut is taken.
  bool numbers_at_once(std::uint32_t column, Choice& choice) {
    const std::size_t cuts = used_ - 1;
    const double least = std::max(choice.greedy.min_leaf, 0.5);  // counts are whole
    const double most = judge_two({upto_.data(), cuts, all_}, choice.parent, least, gain_.data());
    if (!choice.greedy.wants(most)) return true;
    return each_deciding({gain_.data(), cuts}, most, Greedy::noise_below(most, choice.parent), [&](std::size_t i) {
      Offer offer{.parent = choice.parent};
      if (!weigh(Kind::sums(upto_[i]), offer, choice)) return;
      Split* split = choice.greedy.offer(offer);
      if (split == nullptr) return;
      split->column = column, split->missing_left = offer.left_weight >= offer.right_weight;
      split->bin = code_[i], split->next = code_[i + 1];
    });
  }
  void numbers_in_turn(std::uint32_t column, Choice& choice) {
    struct Left {
      Cell but;  // the missing values, whose code is the least, where they go right
      Pair sums;
    };
    const Cell* upto = upto_.data();
    const double missing = code_[0] == 0 ? kind_.weight(Kind::sums(upto[0])) : 0;
    walk_numbers(
        column, occupied(), missing, choice,
        [&](bool missing_left) { return Left{missing_left ? Cell{} : upto[0], {}}; },
        [upto](std::size_t i, Left& left) { left.sums = Kind::sums(upto[i] - left.but); },
        [&](const Left& left, Offer& offer) { return weigh(left.sums, offer, choice); });
  }

  void categories(std::uint32_t column, Choice& choice) {
    wide_.resize(cells_.size());
    Cell before{};
    for (std::size_t i = 0; i < used_; ++i) {
      const Pair s = Kind::sums(upto_[i] - before);
      before = upto_[i];
      wide_[2 * std::size_t{code_[i]}] = s.a, wide_[2 * std::size_t{code_[i]} + 1] = s.b;
    }
    const std::int64_t total[2] = {total_.a, total_.b};
    kind_.categories({.column = column, .codes = occupied(), .sums = wide_.data(), .total = total, .rule = choice.rule},
                     choice.parent, choice.greedy, left_, right_);
  }

  Kind kind_;
  NodeCodes codes_;
  std::vector<Cell> cells_;  // a code's sums, room for two of each; all zero between uses
  Touched touched_;
  std::vector<std::uint16_t> listed_;
  std::vector<std::uint16_t> code_;  // the first `used_`: occupied, ascending ...
  std::vector<Cell> upto_;           // ... and the sums of each and those before it
  std::vector<double> gain_;         // of the cut after each
  std::size_t used_ = 0;
  std::vector<std::int64_t> wide_, left_, right_;
  NodeRows<Entry, Part> rows_;
  std::span<const Entry> entries_;  // of rows_
  Cell all_{};                      // of them
  Pair total_;                      // the same
  bool pure_ = false;
};

}  // namespace wald::sapling
