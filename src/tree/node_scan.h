// A node while it may still be split, and its splits, offered column by column: from its full histogram, or from its
// rows where these are few.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "tree/choose.h"
#include "tree/columns.h"
#include "tree/criterion.h"
#include "tree/grow.h"
#include "tree/histogram.h"
#include "tree/partition.h"
#include "tree/scan.h"
#include "tree/scan_few.h"
#include "tree/scan_levels.h"
#include "tree/surrogate.h"

namespace wald {

// Least rows of a leaf, for a criterion whose sums do not count rows (Newton). Counting them in every histogram would
// slow the hot loop for an option that is seldom used. So splits are chosen without; only the favourite is checked, and
// counted only where its second derivatives do not prove that it has enough; a column whose favourite has too few rows
// is looked at again with the rows counted.
template <class C>
concept RationsRows = requires(const C& c) {
  { c.least } -> std::convertible_to<LeastRows>;
  { c.proven_rows(Sums{}) } -> std::same_as<double>;  // at least so many rows have these sums
};

// The criterion with the rows of a node as one more sum; a side of too few is worth nothing.
template <class C>
struct Rationed : C {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  int width() const { return C::width() + 1; }
  double score(Sums s, double weight) const {
    if (s.back() < C::least.needed()) return kNone;
    return C::score(s.first(s.size() - 1), weight);
  }
};

// Whether both sides of a split have rows enough. `all`: of the node, as LeastRows counts.
template <RationsRows C>
bool enough_rows(const Binned& x, const Split& split, std::span<const Row> rows, Sums total, std::int64_t all,
                 const C& criterion) {
  std::vector<std::int64_t> right(total.begin(), total.end());
  for (std::size_t k = 0; k < right.size(); ++k) right[k] -= split.left_sums[k];
  const double wanted = criterion.least.rows;
  if (criterion.proven_rows(split.left_sums) >= wanted && criterion.proven_rows(right) >= wanted) return true;
  const std::int64_t left = weight_left(x, split, rows, criterion.least.weight), needed = criterion.least.needed();
  return left >= needed && all - left >= needed;
}

// Offers the splits of one column whose sides have rows enough.
template <RationsRows C>
void scan_rationed(const Binned& x, std::span<const Row> rows, std::int64_t all, const ColumnSums& node,
                   const C& criterion, double parent, Greedy& choose) {
  const Rationed<C> judge{criterion};
  const auto width = static_cast<std::size_t>(judge.width());
  const BinnedColumn& column = x.columns[node.column];
  std::vector<std::int64_t> sums(static_cast<std::size_t>(column.codes) * width), left, right;
  std::vector<std::int64_t> total(node.total.begin(), node.total.end());
  total.push_back(all);
  with_codes(x, node.column, [&](auto code) {
    for (const Row r : rows) {
      std::int64_t* into = sums.data() + code[r] * width;
      criterion.add(criterion.part(r), into);
      into[width - 1] += criterion.least.of(r);
    }
  });
  std::vector<std::uint16_t> codes;
  occupied(sums.data(), column.codes, static_cast<int>(width), codes);
  ColumnSums counted = node;
  counted.codes = codes, counted.sums = sums.data(), counted.total = total;
  if (codes.size() <= 1) return;
  if (column.type == ColumnType::Number) scan_numbers<0>(counted, judge, parent, choose, left, right);
  else if constexpr (RulesLevels<C>) LevelScan<Rationed<C>, Greedy>(counted, judge, parent, choose, left, right).scan();
  else scan_categories<0>(counted, judge, parent, choose, left, right);
  if (choose.any) choose.chosen.left_sums.pop_back();
}

inline Greedy* first_choice(std::span<Greedy> found) {
  Greedy* top = nullptr;
  for (Greedy& f : found)
    if (f.any && (top == nullptr || top->better(f.chosen.gain, f.chosen.noise))) top = &f;
  return top;
}

// Gives `best` the best split that has rows enough of those found in the columns drawn.
template <RationsRows C>
void merge_rationed(const Binned& x, std::span<const Row> rows, Sums total, const C& criterion, const GrowOptions& how,
                    double parent, std::span<const std::uint32_t> drawn, std::span<Greedy> found, Greedy& best) {
  const std::int64_t all = criterion.least.of(rows);
  std::vector<bool> counted(drawn.size());
  while (Greedy* top = first_choice(found.first(drawn.size()))) {
    const auto i = static_cast<std::size_t>(top - found.data());
    if (counted[i] || enough_rows(x, settled(x, top->chosen), rows, total, all, criterion)) return best.merge(*top);
    counted[i] = true, top->any = false;
    const ColumnSums node{.column = drawn[i],
                          .total = total,
                          .rows = rows.size(),
                          .rule = how.missing,
                          .direction = how.monotone.empty() ? 0 : how.monotone[drawn[i]]};
    scan_rationed(x, rows, all, node, criterion, parent, *top);
  }
}

namespace growing {

struct Open {  // a node that may still be split
  std::uint32_t node = 0;
  int depth = 0;
  std::uint64_t path = 1;           // names the node by the way to it, whoever grows it
  std::size_t first = 0, last = 0;  // its rows
  std::vector<std::int64_t> total;
  Histogram histogram;  // empty = count when needed
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();  // of its value
  Meeting::Groups groups;                                 // that hold all columns above
  std::uint32_t above = 0;                                // the column its parent was split by
  bool pure = false;                                      // its rows' targets are all alike
  std::optional<Split> split;
  Placed placed;   // once it is divided by surrogates
  CodesSeen seen;  // of the column of its split, once divided by a set that missing values are in
  std::size_t rows() const { return last - first; }
};

inline std::uint64_t child_path(std::uint64_t path, bool right) {
  return (path * 2 + right) * 0x9E3779B97F4A7C15u ^ path >> 29;
}

// A criterion whose node values can be held within bounds (monotone splits).
template <class C>
concept HasBounds = requires { typename C::Bounded; };
// A criterion that judges splits by the rows themselves, not by sums of them (medians).
template <class C>
concept JudgesRows = requires(const C& c, std::span<const Row> rows) { c.ranked(rows); };
// What such a one keeps of a node.
template <class C>
struct RankedOf {
  struct type {};
};
template <JudgesRows C>
struct RankedOf<C> {
  using type = decltype(std::declval<const C&>().ranked({}));
};
// A criterion that judges a split against the whole node it divides, and may refuse it (chi-square).
template <class C>
concept JudgesWithin = requires(const C& c, Sums node) {
  c.within(node);
  { c.refuses(node, 1.0) } -> std::same_as<bool>;
};

// Where rows lie, and who knows what they add.
template <Criterion C>
struct Place {
  const Binned& x;
  std::vector<Row>&rows, &spare;
  const C& criterion;
  std::size_t first = 0;  // of the tree's rows
  std::span<const Row> rows_of(const Open& open) const {
    return std::span<const Row>(rows).subspan(open.first, open.rows());
  }
};

template <Criterion C>
class NodeScan {
 public:
  NodeScan(const Place<C>& place, const BinLayout& layout, const GrowOptions& how)
      : place_(place), layout_(layout), how_(how) {}

  // full: the node has a histogram; else its rows are read.
  void begin(const Open& open, bool full) {
    full_ = full;
    if (!full_) read_parts(open);
  }
  double score_of(const Open& open) {
    if constexpr (JudgesRows<C>) {
      ranked_ = criterion_.ranked(place_.rows_of(open));
      return criterion_.score(ranked_);
    }
    if constexpr (JudgesWithin<C>) return score(criterion_.within(open.total), open.total);
    if constexpr (HasBounds<C>)
      if (!how_.monotone.empty()) return score(typename C::Bounded{criterion_, open.low, open.high}, open.total);
    return score(criterion_, open.total);
  }
  int direction_of(std::uint32_t column) const { return how_.monotone.empty() ? 0 : how_.monotone[column]; }

  void offer(const Open& open, std::uint32_t column, double parent, Scratch& scratch, Greedy& choose) const {
    const BinnedColumn& binned = x_.columns[column];
    if (binned.codes <= 1) return;
    if constexpr (JudgesRows<C>) return criterion_.scan(ranked_, binned, column, how_.missing, choose);
    if constexpr (ScansFew<C>) {
      const std::uint32_t byte = layout_.byte[column];
      const bool at_once = how_.monotone.empty() && binned.type == ColumnType::Number && criterion_.fits_doubles();
      if (at_once && full_)
        return scan_numbers_at_once({column, open.histogram.data() + layout_.start[column] * width_,
                                     static_cast<std::size_t>(binned.codes), open.total, how_.missing},
                                    criterion_, parent, choose, scratch.cuts);
      if (at_once && !full_ && byte != BinLayout::kNoByte && !surrogates() && open.rows() <= kTurnedRows) {
        const FewColumn few{.column = column, .total = open.total, .rule = how_.missing};
        const FewRows<C> rows{x_.by_rows, byte, place_.rows_of(open), near_ ? nullptr : codes_.data(), parts_.data()};
        if (open.rows() <= criterion_.packed_rows())
          return scan_few<std::uint64_t>(few, rows, criterion_, parent, choose, scratch);
        if constexpr (Widens<C>) return scan_few<TwoSums>(few, rows, criterion_, parent, choose, scratch);
      }
    }
    ColumnSums sums{.column = column, .total = open.total, .rows = open.rows(), .rule = how_.missing};
    if (full_) {
      sums.sums = open.histogram.data() + layout_.start[column] * width_;
      occupied(sums.sums, binned.codes, static_cast<int>(width_), scratch.codes);
    } else {
      const std::span<const Row> rows = place_.rows_of(open);
      const auto fill = [&](auto code_of) {
        fill_touched<C>(rows.size(), code_of, parts_.data(), criterion_, scratch);
      };
      if (const std::uint32_t byte = layout_.byte[column]; byte != BinLayout::kNoByte && turns(open))
        fill([code = codes_.data() + byte * rows.size()](std::size_t i) { return code[i]; });
      else with_codes(x_, column, [&](auto code) { fill([&](std::size_t i) { return code[rows[i]]; }); });
      sums.sums = scratch.sums.data();
    }
    sums.codes = scratch.codes;
    if (surrogates() && sums.has_missing()) {
      scan_known(binned.type, sums, scratch, choose);
    } else if (scratch.codes.size() > 1) {
      if (!how_.monotone.empty()) scan_bounded(open, binned.type, sums, parent, scratch, choose);
      else if (width_ == 2) scan_column<2>(binned.type, sums, judge(open.total), parent, scratch, choose);
      else scan_column<0>(binned.type, sums, judge(open.total), parent, scratch, choose);
    }
    if (!full_) clear_touched(scratch, static_cast<int>(width_));
  }

 private:
  bool surrogates() const { return how_.missing == MissingRule::Surrogates; }
  bool turns(const Open& open) const { return !JudgesRows<C> && open.rows() <= kTurnedRows && !near_; }
  void read_parts(const Open& open) {
    parts_.clear();
    for (const Row r : place_.rows_of(open)) parts_.push_back(criterion_.part(r));
    if (turns(open)) turn(x_.by_rows, place_.rows_of(open), codes_);
  }
  // As if the rows that miss the column were not there.
  void scan_known(ColumnType type, ColumnSums sums, Scratch& scratch, Greedy& choose) const {
    std::vector<std::int64_t> known(sums.total.begin(), sums.total.end());
    for (std::size_t k = 0; k < known.size(); ++k) known[k] -= sums.sums[k];
    sums.total = known, sums.codes = sums.values();
    if (sums.codes.size() > 1) scan_column<0>(type, sums, judge(known), score(judge(known), known), scratch, choose);
  }
  decltype(auto) judge(Sums node) const {
    if constexpr (JudgesWithin<C>) return criterion_.within(node);
    else return (criterion_);
  }
  void scan_bounded(const Open& open, ColumnType type, ColumnSums& sums, double parent, Scratch& scratch,
                    Greedy& choose) const {
    if constexpr (HasBounds<C>) {
      sums.direction = direction_of(sums.column);
      scan_column<2>(type, sums, typename C::Bounded{criterion_, open.low, open.high}, parent, scratch, choose);
    }
  }
  template <std::size_t Width, class Judge>
  void scan_column(ColumnType type, const ColumnSums& sums, const Judge& judge, double parent, Scratch& scratch,
                   Greedy& choose) const {
    if constexpr (JudgesAtOnce<Judge> && std::same_as<Judge, C>)  // bounds are not judged at once
      if (type == ColumnType::Number && judge.fits_doubles())
        return scan_numbers_at_once(sums, judge, parent, choose, scratch.cuts);
    if (type == ColumnType::Number) scan_numbers<Width>(sums, judge, parent, choose, scratch.left, scratch.right);
    else if constexpr (RulesLevels<Judge>)
      LevelScan<Judge, Greedy>(sums, judge, parent, choose, scratch.left, scratch.right).scan();
    else scan_categories<Width>(sums, judge, parent, choose, scratch.left, scratch.right);
  }

  const Place<C>& place_;
  const BinLayout& layout_;
  const GrowOptions& how_;
  const Binned& x_ = place_.x;
  const C& criterion_ = place_.criterion;
  const std::size_t width_ = static_cast<std::size_t>(criterion_.width());
  const bool near_ = lies_near(x_.by_rows);
  bool full_ = false;
  std::vector<typename C::Part> parts_;  // of the node being looked at, ...
  std::vector<std::uint8_t> codes_;      // ... column by column, in the order of by_rows
  typename RankedOf<C>::type ranked_;    // the node's rows, for a criterion that judges those
};

}  // namespace growing
}  // namespace wald
