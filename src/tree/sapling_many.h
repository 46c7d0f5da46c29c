// Sums of more than two classes. What a cut gains needs the squares of all counts, on both sides: they are kept up to
// date entry by entry, (n + w)^2 = n^2 + w (2 n + w), so that a cut costs no more with many classes than with few.
#pragma once
#include <span>
#include <vector>

#include "tree/sapling_scan.h"

namespace wald::sapling {

class ManyScan {
 public:
  using Entry = ClassEntry;

  ManyScan(const Gini& gini, int most_codes)
      : gini_(gini),
        counted_(gini.row_weight.empty()),
        classes_(static_cast<std::size_t>(gini.classes)),
        total_(classes_),
        left_(classes_),
        cells_(classes_ * static_cast<std::size_t>(most_codes)),
        start_(static_cast<std::size_t>(most_codes)) {
    touched_.resize(most_codes);
  }
  int outputs() const { return gini_.classes; }
  Entry entry(const Drawn& d) const {
    return {d.row, static_cast<std::uint16_t>(gini_.label[d.row]), static_cast<std::uint16_t>(d.count)};
  }
  static double gain_unit() { return 1; }

  void open(std::span<const Entry> entries) {
    entries_ = entries;
    std::ranges::fill(total_, 0);
    for (const Entry& e : entries) total_[e.label] += weight_of(e);
    all_ = squares_ = 0;
    for (const std::int64_t n : total_) all_ += n, squares_ += counted_ ? n * n : 0;
  }
  double weight() const { return static_cast<double>(all_) * gini_.unit(); }
  double score() const { return gini_.score(total_, weight()); }
  bool pure() const { return total_[entries_[0].label] == all_; }
  void leaf(std::span<double> out) const { gini_.leaf(total_, out); }

  void scan(const CodeColumn& column, Choice& choice) {
    with_codes(column, [&](const auto* code) {
      if (column.type == ColumnType::Category) categories(code, column.number, choice);
      else if (entries_.size() >= classes_ * static_cast<std::size_t>(column.codes)) many(code, column, choice);
      else few(code, column.number, choice);
    });
  }
  void judge(const CodeColumn& column, const Goes& goes, Choice& choice, Split& split) {
    clear();
    with_codes(column, [&](const auto* code) {
      goes.with([&](auto test) {
        for (const Entry& e : entries_)
          if (test(code[e.row])) put(e.label, weight_of(e));
      });
    });
    Offer offer{.parent = choice.parent};
    if (!weigh(offer, choice.greedy)) return;
    if (Split* taken = choice.greedy.offer(offer)) {
      split.gain = taken->gain, split.noise = taken->noise;
      std::swap(*taken, split);
    }
  }

 private:
  std::int64_t weight_of(const Entry& e) const { return counted_ ? e.count : gini_.row_weight[e.row] * e.count; }

  void clear() {
    std::ranges::fill(left_, 0);
    left_all_ = left_squares_ = 0, right_squares_ = squares_;
  }
  void put(std::size_t label, std::int64_t w) {
    const std::int64_t before = left_[label];
    if (counted_) {
      left_squares_ += w * (2 * before + w);
      right_squares_ -= w * (2 * (total_[label] - before) - w);
    }
    left_[label] = before + w;
    left_all_ += w;
  }
  bool weigh(Offer& offer, const Greedy& greedy) {
    const double wl = offer.left_weight = static_cast<double>(left_all_) * gini_.unit();
    const double wr = offer.right_weight = static_cast<double>(all_ - left_all_) * gini_.unit();
    if (!greedy.admits(wl, wr)) return false;
    if (counted_) {
      offer.left = static_cast<double>(left_squares_) / wl, offer.right = static_cast<double>(right_squares_) / wr;
    } else {
      right_.resize(classes_);
      for (std::size_t k = 0; k < classes_; ++k) right_[k] = total_[k] - left_[k];
      offer.left = gini_.score(left_, wl), offer.right = gini_.score(right_, wr);
    }
    return true;
  }
  template <class Put>
  void walk(std::uint32_t column, double missing, Choice& choice, Put put_code) {
    if (codes_.size() < 2) return;
    walk_numbers(
        column, codes_, missing, choice, [&] { clear(); }, put_code,
        [&](Offer& offer, const Greedy& greedy) { return weigh(offer, greedy); });
  }

  // Many rows: counts per code and class.
  template <class Code>
  void many(const Code* code, const CodeColumn& column, Choice& choice) {
    for (const Entry& e : entries_) cells_[code[e.row] * classes_ + e.label] += weight_of(e);
    occupied(cells_.data(), column.codes, gini_.classes, codes_);
    const double missing = weight_at(0);
    walk(column.number, missing, choice, [&](std::uint16_t c) {
      const std::int64_t* cell = cells_.data() + c * classes_;
      for (std::size_t k = 0; k < classes_; ++k)
        if (cell[k] != 0) put(k, cell[k]);
    });
    clear_cells();
  }
  double weight_at(std::size_t code) const {
    return gini_.weight(std::span(cells_).subspan(code * classes_, classes_));
  }
  void clear_cells() {
    for (const std::uint16_t c : codes_) std::fill_n(cells_.data() + c * classes_, classes_, 0);
  }

  // Few rows: sorted by code.
  template <class Code>
  void few(const Code* code, std::uint32_t column, Choice& choice) {
    struct Where {
      std::uint32_t begin, end;
    };
    for (const Entry& e : entries_) {
      touched_.add(code[e.row]);
      ++start_[code[e.row]];
    }
    touched_.take(codes_);
    std::uint32_t at = 0;
    for (const std::uint16_t c : codes_) at += std::exchange(start_[c], at);
    sorted_.resize(entries_.size());
    for (const Entry& e : entries_) sorted_[start_[code[e.row]]++] = e;  // now start_ is where each code ends
    std::int64_t missing = 0;
    for (std::uint32_t i = 0; codes_[0] == 0 && i < start_[0]; ++i) missing += weight_of(sorted_[i]);
    std::uint32_t from = 0, first = codes_[0] == 0 ? start_[0] : 0;
    walk(column, static_cast<double>(missing) * gini_.unit(), choice, [&](std::uint16_t c) {
      if (c == 0) from = 0;
      else if (c == codes_[codes_[0] == 0 ? 1 : 0]) from = first;
      for (; from < start_[c]; ++from) put(sorted_[from].label, weight_of(sorted_[from]));
    });
    for (const std::uint16_t c : codes_) start_[c] = 0;
  }

  template <class Code>
  void categories(const Code* code, std::uint32_t column, Choice& choice) {
    for (const Entry& e : entries_) {
      cells_[code[e.row] * classes_ + e.label] += weight_of(e);
      touched_.add(code[e.row]);
    }
    touched_.take(codes_);
    if (codes_.size() > 1)
      scan_categories<0>({.column = column, .codes = codes_, .sums = cells_.data(), .total = total_, .rule = choice.rule},
                         gini_, choice.parent, choice.greedy, left_, right_);
    clear_cells();
  }

  const Gini& gini_;
  const bool counted_;  // every row weighs 1
  const std::size_t classes_;
  std::vector<std::int64_t> total_, left_, right_;
  std::int64_t all_ = 0, squares_ = 0, left_all_ = 0, left_squares_ = 0, right_squares_ = 0;
  std::vector<std::int64_t> cells_;   // class counts per code; all zero between uses
  std::vector<std::uint32_t> start_;  // per code; all zero between uses
  std::vector<Entry> sorted_;
  Touched touched_;
  std::vector<std::uint16_t> codes_;  // occupied, ascending
  std::span<const Entry> entries_;
};

}  // namespace wald::sapling
