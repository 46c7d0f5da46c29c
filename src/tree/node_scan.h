// The splits of a node, offered column by column: from its full histogram, or from its rows where these are few.
#pragma once
#include <concepts>
#include <span>
#include <variant>
#include <vector>

#include "tree/choose.h"
#include "tree/histogram.h"
#include "tree/open.h"
#include "tree/scan.h"
#include "tree/scan_few.h"
#include "tree/scan_levels.h"

namespace wald::growing {

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

}  // namespace wald::growing
