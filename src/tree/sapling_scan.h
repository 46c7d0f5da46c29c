// Offers the splits of one column of a sapling's node to the chooser: those of scan.h, in the same order.
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/histogram.h"
#include "tree/sapling_sums.h"
#include "tree/scan.h"

namespace wald::sapling {

struct CodeColumn {
  std::uint32_t number = 0;
  ColumnType type = ColumnType::Number;
  int codes = 1;
  const std::uint8_t* narrow = nullptr;
  const std::uint16_t* wide = nullptr;
  const BinnedColumn* binned = nullptr;
};

template <class Body>
decltype(auto) with_codes(const CodeColumn& column, Body body) {
  return column.narrow != nullptr ? body(column.narrow) : body(column.wide);
}

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
};

// The walk of scan.h over cuts of numbers. put(code) adds a code's rows to the left side; judge() gives weights and
// scores of both sides.
template <class Clear, class Put, class Judge>
void walk_numbers(std::uint32_t column, std::span<const std::uint16_t> codes, double missing, Choice& choice,
                  Clear clear, Put put, Judge judge) {
  const bool has_missing = codes[0] == 0;
  const auto values = codes.subspan(has_missing ? 1 : 0);
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !has_missing) break;
    clear();
    if (missing_left && has_missing) put(0);
    const std::size_t cuts = values.size() - (missing_left || choice.rule == MissingRule::Majority ? 1 : 0);
    for (std::size_t i = 0; i < cuts; ++i) {
      put(values[i]);
      Offer offer{.parent = choice.parent};
      if (!judge(offer, choice.greedy)) continue;
      const double wl = offer.left_weight, wr = offer.right_weight;
      const bool left_is_heavier = missing_left ? wl - missing >= wr : wl >= wr - missing;  // counting values only
      if (choice.rule == MissingRule::Majority && has_missing && missing_left != left_is_heavier) continue;
      Split* split = choice.greedy.offer(offer);
      if (split == nullptr) continue;
      split->column = column;
      split->missing_left = has_missing ? missing_left : left_is_heavier;
      split->bin = values[i];
      split->next = i + 1 < values.size() ? values[i + 1] : 0;
    }
  }
}

// --- targets whose sums are a pair -----------------------------------------------------------------------------------

template <class Kind>
class PairScan {
 public:
  using Entry = typename Kind::Entry;
  using Cell = typename Kind::Cell;

  PairScan(const Kind& kind, int most_codes) : kind_(kind), cells_(static_cast<std::size_t>(most_codes)) {
    touched_.resize(most_codes);
  }
  int outputs() const { return kind_.outputs(); }
  Entry entry(const Drawn& d) const { return kind_.entry(d); }
  double gain_unit() const { return kind_.gain_unit(); }

  void open(std::span<const Entry> entries) {
    entries_ = entries;
    Cell all{};
    for (const Entry& e : entries) kind_.add(all, e);
    total_ = kind_.sums(all);
  }
  double weight() const { return kind_.weight(total_); }
  double score() const { return kind_.score(total_, weight()); }
  bool pure() const { return kind_.pure(total_, entries_); }
  void leaf(std::span<double> out) const { kind_.leaf(total_, entries_, out); }

  void scan(const CodeColumn& column, Choice& choice) {
    with_codes(column, [&](const auto* code) { fill(code, column.codes); });
    if (codes_.size() > 1) {
      if (column.type == ColumnType::Number) numbers(column.number, choice);
      else categories(column.number, choice);
    }
    for (const std::uint16_t c : codes_) cells_[c] = {};
  }
  // The one split given.
  void judge(const CodeColumn& column, const Goes& goes, Choice& choice, Split& split) const {
    Cell left{};
    with_codes(column, [&](const auto* code) {
      goes.with([&](auto test) {
        for (const Entry& e : entries_)
          if (test(code[e.row])) kind_.add(left, e);
      });
    });
    Offer offer{.parent = choice.parent};
    if (!weigh(kind_.sums(left), offer, choice.greedy)) return;
    if (Split* taken = choice.greedy.offer(offer)) {
      split.gain = taken->gain, split.noise = taken->noise;
      std::swap(*taken, split);
    }
  }

 private:
  template <class Code>
  void fill(const Code* code, int codes) {
    if (2 * entries_.size() >= static_cast<std::size_t>(codes)) {
      for (const Entry& e : entries_) kind_.add(cells_[code[e.row]], e);
      codes_.clear();
      for (int c = 0; c < codes; ++c)
        if (const Pair s = kind_.sums(cells_[static_cast<std::size_t>(c)]); (s.a | s.b) != 0)
          codes_.push_back(static_cast<std::uint16_t>(c));
      return;
    }
    for (const Entry& e : entries_) {
      const std::size_t c = code[e.row];
      kind_.add(cells_[c], e);
      touched_.add(c);
    }
    touched_.take(codes_);
  }

  bool weigh(const Pair& left, Offer& offer, const Greedy& greedy) const {
    const Pair right = total_ - left;
    const double wl = offer.left_weight = kind_.weight(left), wr = offer.right_weight = kind_.weight(right);
    if (!greedy.admits(wl, wr)) return false;
    offer.left = kind_.score(left, wl), offer.right = kind_.score(right, wr);
    return true;
  }

  void numbers(std::uint32_t column, Choice& choice) {
    Pair left;
    const double missing = codes_[0] == 0 ? kind_.weight(kind_.sums(cells_[0])) : 0;
    walk_numbers(
        column, codes_, missing, choice, [&] { left = {}; },
        [&](std::uint16_t c) { left += kind_.sums(cells_[c]); },
        [&](Offer& offer, const Greedy& greedy) { return weigh(left, offer, greedy); });
  }

  void categories(std::uint32_t column, Choice& choice) {
    wide_.resize(2 * cells_.size());
    for (const std::uint16_t c : codes_) {
      const Pair s = kind_.sums(cells_[c]);
      wide_[2 * std::size_t{c}] = s.a, wide_[2 * std::size_t{c} + 1] = s.b;
    }
    const std::int64_t total[2] = {total_.a, total_.b};
    kind_.categories({.column = column, .codes = codes_, .sums = wide_.data(), .total = total, .rule = choice.rule},
                     choice.parent, choice.greedy, left_, right_);
  }

  Kind kind_;
  std::vector<Cell> cells_;  // a code's sums; all zero between uses
  Touched touched_;
  std::vector<std::uint16_t> codes_;  // occupied, ascending
  std::vector<std::int64_t> wide_, left_, right_;
  std::span<const Entry> entries_;
  Pair total_;
};

}  // namespace wald::sapling
