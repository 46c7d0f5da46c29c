// Sums of more than two classes. What a cut gains needs the squares of all counts, on both sides: they are kept up to
// date entry by entry, (n + w)^2 = n^2 + w (2 n + w), so that a cut costs no more with many classes than with few.
#pragma once
#include <span>
#include <vector>

#include "tree/sapling_classes.h"
#include "tree/sapling_compare.h"
#include "tree/sapling_scan.h"

namespace wald::sapling {

template <class AnEntry>
class ManyScan {
 public:
  using Entry = AnEntry;
  using Part = Entry;
  static constexpr bool kCounted = std::is_same_v<Entry, ClassEntry>;  // every row weighs 1
  static constexpr bool kGrouped = kCounted;                           // rows lie class by class
  static constexpr std::size_t kTogether = sapling::kTogether;

  // Whether a node of so many rows has its classes counted code by code; else its rows are put in order, or are in it.
  static bool counts(std::size_t rows, std::size_t classes, int codes, bool ordered = false) {
    const std::size_t least = ordered ? 2 + classes / 16 : 1 + classes / 32;
    return kCounted && rows > kFew && (ordered ? rows : 2 * rows) >= least * static_cast<std::size_t>(codes);
  }

  // counted: the most codes of a column of numbers that is counted; levels: of one of categories.
  ManyScan(const Gini& gini, int most_codes, int counted, int levels)
      : gini_(gini),
        classes_(static_cast<std::size_t>(gini.classes)),
        total_(classes_),
        left_(classes_),
        right_(classes_),
        counted_(classes_, counted),
        cuts_(static_cast<std::size_t>(most_codes)),
        cells_(classes_ * static_cast<std::size_t>(levels)),
        start_(static_cast<std::size_t>(most_codes)) {
    touched_.resize(most_codes);
  }
  int outputs() const { return gini_.classes; }
  const Gini& gini() const
    requires kCounted
  {
    return gini_;
  }
  Entry entry(const Drawn& d) const {
    const auto label = static_cast<std::uint16_t>(gini_.label[d.row]);
    if constexpr (kCounted) return {d.row, label, static_cast<std::uint16_t>(d.count)};
    else return {d.row, label, gini_.row_weight[d.row] * d.count};
  }
  static Part part(const Entry& e) { return e; }
  static double gain_unit() { return 1; }

  void open(const NodeRows<Entry, Part>& rows) {
    rows_ = rows, entries_ = rows.entries;
    if constexpr (kCounted) { compared_.forget(), counted_.forget_ahead(), bits_.forget(); }
    std::ranges::fill(total_, 0);
    runs_.count(entries_, rows_.by_class, total_);
    all_ = squares_ = 0;
    for (const std::int64_t n : total_) all_ += n, squares_ += kCounted ? n * n : 0;
  }
  double weight() const { return static_cast<double>(all_) * gini_.unit(); }
  double score() const {
    if constexpr (kCounted) return static_cast<double>(squares_) / weight();
    else return gini_.score(total_, weight());
  }
  static constexpr bool kMostIsPure = true;
  double most_gain() const { return weight() - score(); }  // both sides of one class each
  bool pure() const { return total_[entries_[0].label] == all_; }
  void leaf(std::span<double> out) const { gini_.leaf(total_, out); }
  // Whether leaves of one class say it, whatever their weight.
  bool pure_say_class() const
    requires kCounted
  {
    return gini_.smoothing == 0;
  }
  // That the leaf speaks for; -1: for more than one.
  int only_class() const { return gini_.smoothing == 0 && pure() ? entries_[0].label : -1; }

  // Whether columns had better be counted together; and does so, as far as that suits them, with those about to be
  // scanned, kTogether at most.
  bool looks_ahead() const
    requires kCounted
  {
    return rows_.at == nullptr && entries_.size() > kMostCompared && all_ < ClassCells::kMost;
  }
  void look_ahead(std::span<const CodeColumn* const> columns)
    requires kCounted
  {
    several_.clear();
    for (const CodeColumn* column : columns)
      if (!by_bits(*column) && column->type == ColumnType::Number && counts(entries_.size(), classes_, column->codes))
        several_.push_back(column);
    counted_.count_ahead(entries_, several_);
  }

  // Whether a column's rows are counted by bits.
  bool by_bits(const CodeColumn& column) const
    requires kCounted
  {
    return column.word != nullptr && rows_.by_class && entries_.size() > kMostCompared && all_ < ClassCells::kMost;
  }

  bool scan(const CodeColumn& column, Choice& choice) {
    if constexpr (kCounted)
      if (by_bits(column)) return scan_bits(column, choice);
    const bool ordered = rows_.at != nullptr, numbers = column.type == ColumnType::Number;
    if (!numbers) return categories(column, choice);
    if constexpr (kCounted)
      if (!ordered && ComparedNode<false>::suits(column, entries_.size(), all_))
        if (const auto found = compared_.scan(column, entries_, choice); found != Compared::Missing)
          return found == Compared::Done;
    if constexpr (kCounted)
      if (counts(ordered ? rows_.in_order(column) : entries_.size(), classes_, column.codes, ordered) &&
          all_ < ClassCells::kMost)
        return many(column, choice);
    if (!ordered && !codes_.read(column, entries_)) return false;
    if (!ordered && entries_.size() <= kFew) {
      list(codes_.sorted(entries_.size()));
      walk_sorted(column, choice);
      return true;
    }
    if (!(ordered ? take_in_order(column) : count_into_order(column))) return false;
    if (kCounted && !ordered && code_[0] != 0)
      walk_rows(
          column, entries_.size(), [this](std::size_t i) -> const Entry& { return sorted_[i]; },
          [this](std::size_t i) { return sorted_[i].place; }, choice);
    else walk_sorted(column, choice);
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

  // A left side, or a cut.
  template <class Side>
  bool weigh(const Side& left, Offer& offer, const Choice& choice) {
    const double wl = offer.left_weight = static_cast<double>(left.all) * gini_.unit();
    const double wr = offer.right_weight =
        static_cast<double>(static_cast<decltype(left.all)>(all_) - left.all) * gini_.unit();
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

  void clear_cells() {
    for (const std::uint16_t c : code_) std::fill_n(cells_.data() + c * classes_, classes_, 0);
  }
  // Each says whether there are two different codes.
  bool many(const CodeColumn& column, Choice& choice) {
    counted_.count(entries_, column);
    counted_.open(total_, squares_);
    const bool differ = all_ <= ClassCells::kMostJudged ? judge_counted(column, choice) : walk_counted(column, choice);
    counted_.clear(column.codes);
    return differ;
  }
  bool judge_counted(const CodeColumn& column, Choice& choice) {
    const CodesJudged judged = counted_.judge(column.codes, all_, std::max(choice.greedy.min_leaf, 0.5));
    if (counted_.judged().all[0] != 0) return walk_counted(column, choice);  // missing values go both ways
    if (judged.most >= 0 && choice.greedy.wants(judged.most * (1 + 0x1p-20) - choice.parent))
      offer_codes(counted_.judged(), column.number, choice);
    return judged.differ;
  }
  bool walk_counted(const CodeColumn& column, Choice& choice) {
    code_.resize(std::max(code_.size(), static_cast<std::size_t>(column.codes)));
    used_ = counted_.add_up(0, column.codes, code_.data(), cuts_.data());
    if (used_ == 1) return false;
    const double missing = code_[0] == 0 ? cuts_[0].all : 0;
    walk_numbers(
        column.number, std::span(code_).first(used_), missing, choice,
        [&](bool missing_left) {
          // Without the missing values, whose code is the least; they stay first in the list.
          if (!missing_left) counted_.add_up(1, column.codes, code_.data() + 1, cuts_.data() + 1);
          return ClassCut{};
        },
        [cuts = cuts_.data()](std::size_t i, ClassCut& left) { left = cuts[i]; },
        [&](const ClassCut& left, Offer& offer) { return weigh(left, offer, choice); });
    return true;
  }
  bool scan_bits(const CodeColumn& column, Choice& choice) {
    struct {
      std::int64_t all, squares = 0, right_squares = 0;
    } left{all_};
    for (const ClassBits& right : bits_.count(entries_, column)) {
      const std::int64_t ones = right.ones, rest = total_[right.label] - ones;
      left.all -= ones, left.squares += rest * rest, left.right_squares += ones * ones;
    }
    if (left.all == 0 || left.all == all_) return false;
    Offer offer{.parent = choice.parent};
    if (!weigh(left, offer, choice)) return true;
    Split* split = choice.greedy.offer(offer);
    if (split == nullptr) return true;
    split->column = column.number, split->missing_left = offer.left_weight >= offer.right_weight;
    split->bin = 1, split->next = 2;
    return true;
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

  // Row by row: whether a cut is after a row is one more condition of its being worth a closer look. Where rows are
  // few, so are those of a code, and nobody can foresee their number. No value is missing.
  template <class EntryOf, class CodeOf>
  void walk_rows(const CodeColumn& column, std::size_t n, EntryOf entry, CodeOf code_of, Choice& choice) {
    Left left(*this);
    const double all = static_cast<double>(all_);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const Entry& e = entry(i);
      left.put(e.label, e.weight());
      const double wl = static_cast<double>(left.all), wr = all - wl;
      const double l = static_cast<double>(left.squares), r = static_cast<double>(left.right_squares);
      const std::uint32_t code = code_of(i), next = code_of(i + 1);
      const bool wins = choice.could_win(l, r, wl, wr);
      if (!(static_cast<int>(code != next) & static_cast<int>(wins)) || !choice.greedy.admits(wl, wr)) continue;
      Split* split = choice.greedy.offer({l / wl, r / wr, choice.parent, wl, wr});
      if (split == nullptr) continue;
      split->column = column.number, split->missing_left = wl >= wr;
      split->bin = code, split->next = next;
    }
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
  // In order of their codes; end_[i] is where those of code_[i] end. Without a branch on whether a code is a new one,
  // which would be mistaken every other time.
  void list(std::span<const std::uint32_t> keys) {
    const std::size_t n = keys.size();
    if (code_.size() < n) code_.resize(n);
    if (end_.size() < n) end_.resize(n);
    if (sorted_.size() < n) sorted_.resize(n);
    std::uint32_t last = ~0u, at = 0;
    std::size_t used = 0;
    for (const std::uint32_t key : keys) {
      used += key >> 16 != last, last = key >> 16;
      sorted_[at++] = entries_[key & 0xFFFF];
      code_[used - 1] = static_cast<std::uint16_t>(last), end_[used - 1] = at;
    }
    used_ = used, common_ = kNone;
  }
  // The same for more rows. Says whether there are two different codes.
  bool count_into_order(const CodeColumn& column) {
    const auto codes = static_cast<std::size_t>(column.codes);
    const std::uint16_t* code = codes_.data();
    const Entry* entries = entries_.data();
    const std::size_t n = entries_.size();
    std::uint32_t* start = start_.data();
    code_.clear(), end_.clear();
    if (sorted_.size() < n) sorted_.resize(n);
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
    for (std::size_t i = 0; i < n; ++i) {  // with its code for its place, which it needs no more
      Entry& to = sorted[start[code[i]]++] = entries[i];
      to.place = code[i];
    }
    for (const std::uint16_t c : code_) end_.push_back(std::exchange(start[c], 0));
    used_ = code_.size(), common_ = kNone;
    return true;
  }

  const Gini& gini_;
  std::size_t classes_;
  std::vector<std::int64_t> total_, left_, right_;
  std::int64_t all_ = 0, squares_ = 0;
  ClassRuns<Entry> runs_;
  ClassCells counted_;
  std::vector<const CodeColumn*> several_;  // counted together
  std::vector<ClassCut> cuts_;              // after each of code_
  std::vector<std::int64_t> cells_;         // class counts per level; all zero between uses
  std::vector<std::uint32_t> start_;        // per code; all zero between uses
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
  ComparedNode<false> compared_;
  BitCounts bits_;
};

}  // namespace wald::sapling
