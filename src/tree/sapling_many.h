// Sums of more than two classes. What a cut gains needs the squares of all counts, on both sides: they are kept up to
// date entry by entry, (n + w)^2 = n^2 + w (2 n + w), so that a cut costs no more with many classes than with few.
#pragma once
#include <span>
#include <vector>

#include "tree/sapling_scan.h"

namespace wald::sapling {

template <class AnEntry>
class ManyScan {
 public:
  using Entry = AnEntry;
  using Part = Entry;
  static constexpr bool kCounted = std::is_same_v<Entry, ClassEntry>;  // every row weighs 1

  // Whether a node of so many rows has its classes counted code by code; else its rows are put in order.
  static bool counts(std::size_t rows, std::size_t classes, int codes) {
    return rows >= classes * static_cast<std::size_t>(codes);
  }

  // counted: the most codes of a column that is counted.
  ManyScan(const Gini& gini, int most_codes, int counted)
      : gini_(gini),
        classes_(static_cast<std::size_t>(gini.classes)),
        total_(classes_),
        left_(classes_),
        right_(classes_),
        cells_(2 * classes_ * static_cast<std::size_t>(counted)),
        start_(static_cast<std::size_t>(most_codes)) {
    touched_.resize(most_codes);
  }
  int outputs() const { return gini_.classes; }
  Entry entry(const Drawn& d) const {
    const auto label = static_cast<std::uint16_t>(gini_.label[d.row]);
    if constexpr (kCounted) return {d.row, label, static_cast<std::uint16_t>(d.count)};
    else return {d.row, label, gini_.row_weight[d.row] * d.count};
  }
  static Part part(const Entry& e) { return e; }
  static double gain_unit() { return 1; }

  void open(const NodeRows<Entry, Part>& rows) {
    rows_ = rows, entries_ = rows.entries;
    std::ranges::fill(total_, 0);
    for (const Entry& e : entries_) total_[e.label] += e.weight();
    all_ = squares_ = 0;
    for (const std::int64_t n : total_) all_ += n, squares_ += kCounted ? n * n : 0;
  }
  double weight() const { return static_cast<double>(all_) * gini_.unit(); }
  double score() const { return gini_.score(total_, weight()); }
  static constexpr bool kMostIsPure = true;
  double most_gain() const { return weight() - score(); }  // both sides of one class each
  bool pure() const { return total_[entries_[0].label] == all_; }
  void leaf(std::span<double> out) const { gini_.leaf(total_, out); }

  bool scan(const CodeColumn& column, Choice& choice) {
    const bool ordered = rows_.at != nullptr, numbers = column.type == ColumnType::Number;
    const bool counted = counts(ordered ? rows_.in_order(column) : entries_.size(), classes_, column.codes);
    if (!numbers) return categories(column, choice);
    if (counted) return many(column, choice);
    if (!(ordered ? take_in_order(column) : put_in_order(column))) return false;
    walk_sorted(column, choice);
    return true;
  }
  void judge(const CodeColumn& column, const Goes& goes, Choice& choice, Split& split) {
    Left left(*this);
    with_codes(column, [&](const auto* code) {
      goes.with([&](auto test) {
        for (const Entry& e : entries_)
          if (test(code[e.place])) left.put(e.label, e.weight());
      });
    });
    Offer offer{.parent = choice.parent};
    if (!weigh(left, offer, choice)) return;
    if (Split* taken = choice.greedy.offer(offer)) {
      split.gain = taken->gain, split.noise = taken->noise;
      std::swap(*taken, split);
    }
  }

 private:
  // The left side of a cut; what it has not is on the right.
  struct Left {
    std::int64_t* count;
    const std::int64_t* total;
    std::size_t classes;
    std::int64_t all = 0, squares = 0, right_squares;
    explicit Left(ManyScan& scan)
        : count(scan.left_.data()), total(scan.total_.data()), classes(scan.classes_), right_squares(scan.squares_) {
      std::fill_n(count, classes, 0);
    }
    void put(std::size_t label, std::int64_t w) {
      const std::int64_t before = count[label];
      if constexpr (kCounted) {
        squares += w * (2 * before + w);
        right_squares -= w * (2 * (total[label] - before) - w);
      }
      count[label] = before + w;
      all += w;
    }
  };

  bool weigh(const Left& left, Offer& offer, const Choice& choice) {
    const double wl = offer.left_weight = static_cast<double>(left.all) * gini_.unit();
    const double wr = offer.right_weight = static_cast<double>(all_ - left.all) * gini_.unit();
    if (!choice.greedy.admits(wl, wr)) return false;
    if constexpr (kCounted) {
      const double l = static_cast<double>(left.squares), r = static_cast<double>(left.right_squares);
      if (!choice.could_win(l, r, wl, wr)) return false;
      offer.left = l / wl, offer.right = r / wr;
    } else {
      for (std::size_t k = 0; k < classes_; ++k) right_[k] = total_[k] - left_[k];
      offer.left = gini_.score(left_, wl), offer.right = gini_.score(right_, wr);
    }
    return true;
  }
  template <class Put>
  void walk(std::uint32_t column, std::int64_t missing, Choice& choice, Put put_code) {
    walk_numbers(
        column, std::span(code_).first(used_), static_cast<double>(missing) * gini_.unit(), choice,
        [&](bool) { return Left(*this); }, put_code,
        [&](const Left& left, Offer& offer) { return weigh(left, offer, choice); });
  }

  // Counts per code and class. Every other row has cells of its own, so that rows alike do not wait for each other.
  void count(const CodeColumn& column) {
    const std::size_t classes = classes_, n = entries_.size();
    const Entry* entries = entries_.data();
    std::int64_t *cells = cells_.data(), *others = cells + cells_.size() / 2;
    with_codes(column, [=](const auto* code) {
      const auto add = [=](std::int64_t* to, const Entry& e) { to[code[e.place] * classes + e.label] += e.weight(); };
      for (std::size_t i = 0; i + 1 < n; i += 2) add(cells, entries[i]), add(others, entries[i + 1]);
      if (n % 2 != 0) add(cells, entries[n - 1]);
    });
    for (std::size_t c = 0; c < static_cast<std::size_t>(column.codes) * classes; ++c)
      cells[c] += std::exchange(others[c], 0);
    occupied(cells, column.codes, gini_.classes, code_);
    used_ = code_.size();
  }
  void clear_cells() {
    for (const std::uint16_t c : code_) std::fill_n(cells_.data() + c * classes_, classes_, 0);
  }
  // Each says whether there are two different codes.
  bool many(const CodeColumn& column, Choice& choice) {
    count(column);
    const std::int64_t missing = code_[0] == 0 ? ClassCounts::total(std::span(cells_).first(classes_)) : 0;
    if (used_ > 1)
      walk(column.number, missing, choice, [&](std::size_t i, Left& left) {
        const std::int64_t* cell = cells_.data() + code_[i] * classes_;
        for (std::size_t k = 0; k < left.classes; ++k)
          if (cell[k] != 0) left.put(k, cell[k]);
      });
    clear_cells();
    return used_ > 1;
  }
  bool categories(const CodeColumn& column, Choice& choice) {
    if (!codes_.read(column, entries_)) return false;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& e = entries_[i];
      const std::uint16_t code = codes_.data()[i];
      cells_[code * classes_ + e.label] += e.weight();
      touched_.add(code);
    }
    touched_.take(code_);
    scan_categories<0>(
        {.column = column.number, .codes = code_, .sums = cells_.data(), .total = total_, .rule = choice.rule}, gini_,
        choice.parent, choice.greedy, left_, right_);
    clear_cells();
    return true;
  }

  // Few rows: put in order of their codes; end_[i] is where those of code_[i] end. Says whether there are two.
  bool put_in_order(const CodeColumn& column) {
    if (!codes_.read(column, entries_)) return false;
    code_.clear(), end_.clear();
    sorted_.resize(std::max(sorted_.size(), entries_.size()));
    if (entries_.size() <= kFew) sort();
    else count_into_order(static_cast<std::size_t>(column.codes));
    used_ = code_.size(), common_ = kNone;
    return true;
  }
  // From a block's order. Says whether there are two different codes.
  bool take_in_order(const CodeColumn& column) {
    struct Take {
      Entry* sorted;
      std::uint32_t* end;
      std::size_t used = 0, common = kNone;
      void operator()(std::size_t i, std::size_t k, const Entry& e) {
        sorted[i] = e, end[k] = static_cast<std::uint32_t>(i + 1);
      }
      void rest(std::size_t k) { end[k] = k > 0 ? end[k - 1] : 0, common = k; }
    };
    const std::size_t n = rows_.in_order(column);
    if (code_.size() <= n) code_.resize(n + 1);
    if (end_.size() <= n) end_.resize(n + 1);
    if (sorted_.size() < n) sorted_.resize(n);
    const Take taken = rows_.walk(column, code_.data(), Take{sorted_.data(), end_.data()});
    used_ = taken.used, common_ = taken.common;
    if (common_ != kNone) count_common(n);
    return used_ > 1;
  }
  // What the n rows in order leave of the node.
  void count_common(std::size_t n) {
    rest_ = total_;
    for (std::size_t i = 0; i < n; ++i) rest_[sorted_[i].label] -= sorted_[i].weight();
  }
  void walk_sorted(const CodeColumn& column, Choice& choice) {
    const Entry* sorted = sorted_.data();
    const std::uint32_t* end = end_.data();
    std::int64_t missing = 0;
    if (code_[0] == 0) {
      for (std::uint32_t i = 0; i < end[0]; ++i) missing += sorted[i].weight();
      if (common_ == 0) missing = ClassCounts::total(rest_);
    }
    walk(column.number, missing, choice, [this, sorted, end, common = common_](std::size_t i, Left& left) {
      for (std::uint32_t at = i == 0 ? 0 : end[i - 1]; at < end[i]; ++at)
        left.put(sorted[at].label, sorted[at].weight());
      if (i == common)
        for (std::size_t k = 0; k < left.classes; ++k)
          if (rest_[k] != 0) left.put(k, rest_[k]);
    });
  }
  void sort() {
    std::uint32_t last = ~0u, at = 0;
    for (const std::uint32_t key : codes_.sorted(entries_.size())) {
      if (key >> 16 != last) {
        if (at > 0) end_.push_back(at);
        code_.push_back(static_cast<std::uint16_t>(last = key >> 16));
      }
      sorted_[at++] = entries_[key & 0xFFFF];
    }
    end_.push_back(at);
  }
  void count_into_order(std::size_t codes) {
    const std::uint16_t* code = codes_.data();
    const Entry* entries = entries_.data();
    const std::size_t n = entries_.size();
    std::uint32_t* start = start_.data();
    Entry* sorted = sorted_.data();
    for (std::size_t i = 0; i < n; ++i) ++start[code[i]];
    if (codes <= 4 * n) {
      for (std::size_t c = 0; c < codes; ++c)
        if (start[c] != 0) code_.push_back(static_cast<std::uint16_t>(c));
    } else {
      for (std::size_t i = 0; i < n; ++i) touched_.add(code[i]);
      touched_.take(code_);
    }
    std::uint32_t at = 0;
    for (const std::uint16_t c : code_) at += std::exchange(start[c], at);
    for (std::size_t i = 0; i < n; ++i) sorted[start[code[i]]++] = entries[i];
    for (const std::uint16_t c : code_) end_.push_back(std::exchange(start[c], 0));
  }

  const Gini& gini_;
  std::size_t classes_;
  std::vector<std::int64_t> total_, left_, right_;
  std::int64_t all_ = 0, squares_ = 0;
  std::vector<std::int64_t> cells_;   // class counts per code, room for two of each; all zero between uses
  std::vector<std::uint32_t> start_;  // per code; all zero between uses
  NodeCodes codes_;
  Touched touched_;
  std::vector<std::uint16_t> code_;  // the first `used_`: occupied, ascending
  std::size_t used_ = 0;
  std::vector<std::uint32_t> end_;
  std::vector<Entry> sorted_;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t common_ = kNone;  // which of the codes is the column's common one, whose rows are not among the sorted
  std::vector<std::int64_t> rest_;  // their classes
  NodeRows<Entry, Part> rows_;
  std::span<const Entry> entries_;  // of rows_
};

}  // namespace wald::sapling
