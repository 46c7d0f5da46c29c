// Offers the splits of a category to a criterion that has rules for levels (Newton). By the gains of training rows
// alone a column of many levels with few rows each would win every split: sorted by what their own rows say, levels
// divide any noise. Hence the rules: few levels are cut off one at a time; levels of too few rows stay together; all
// are drawn towards the node's mean before they are sorted; a set is judged with more l2; and its smaller side has few
// levels, unless they have many rows.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/fixed.h"
#include "prepare/bin.h"
#include "tree/grow_options.h"
#include "tree/scan.h"

namespace wald {

template <class C>
concept RulesLevels = requires(const C& c) {
  { c.levels } -> std::convertible_to<LevelRules>;
  { c.l2 } -> std::convertible_to<double>;
};

template <RulesLevels C, Chooser Choose>
class LevelScan {
 public:
  // left, right: scratch, as long as a node's sums.
  LevelScan(const ColumnSums& x, const C& criterion, double parent, Choose& choose, std::vector<std::int64_t>& left,
            std::vector<std::int64_t>& right)
      : x_(x), width_(x.total.size()), judge_(criterion), parent_(parent), choose_(choose), left_(left), right_(right) {
    left_.resize(width_), right_.resize(width_);
    missing_ = x.has_missing() ? criterion.weight(x.at(0)) : 0;
  }

  void scan() {
    const auto values = x_.values();
    if (values.size() <= static_cast<std::size_t>(judge_.levels.one_against_rest)) return each_against_rest();
    judge_.l2 += judge_.levels.l2;
    sets();
  }

 private:
  static constexpr std::uint16_t kFew = std::numeric_limits<std::uint16_t>::max();  // all levels of too few rows

  void each_against_rest() {
    for (const bool missing_left : {true, false}) {
      if (!missing_left && !x_.has_missing()) break;
      for (const std::uint16_t code : x_.values()) {
        begin(missing_left);
        add(x_.at(code));
        if (offer(missing_left)) take({&code, 1});
      }
    }
  }

  void sets() {
    std::vector<std::uint16_t> order;
    few_.assign(width_, 0), few_codes_.clear();
    const double least = judge_.levels.min_rows * judge_.weight(x_.total) / static_cast<double>(x_.rows);
    for (const std::uint16_t code : x_.values())
      if (judge_.weight(x_.at(code)) >= least) order.push_back(code);
      else put_to_few(code);
    if (!few_codes_.empty()) order.push_back(kFew);
    std::vector<double> place(static_cast<std::size_t>(x_.codes.back()) + 2);
    const auto place_of = [&](std::uint16_t code) -> double& { return place[code == kFew ? place.size() - 1 : code]; };
    for (int k = 0; k < judge_.orders(); ++k) {
      for (const std::uint16_t code : order)
        place_of(code) =
            judge_.place(sums_of(code), k, x_.total, judge_.levels.smoothing / static_cast<double>(x_.rows));
      std::ranges::sort(order, {}, [&](std::uint16_t code) { return std::pair(place_of(code), code); });
      cut(order);
    }
  }
  void put_to_few(std::uint16_t code) {
    few_codes_.push_back(code);
    for (std::size_t k = 0; k < width_; ++k) few_[k] += x_.at(code)[k];
  }
  // As how many levels one counts: less than one where its many rows say well where it belongs. In whole numbers: in
  // doubles, what is left of all after some were taken away may be a hair more than four levels of one each.
  static constexpr int kCountedBits = 32;
  std::int64_t counted(std::uint16_t code) const {
    const double rows = judge_.weight(sums_of(code)) / judge_.weight(x_.total) * static_cast<double>(x_.rows);
    return to_fixed(rows > judge_.levels.sure ? judge_.levels.sure / rows : 1, kCountedBits);
  }
  Sums sums_of(std::uint16_t code) const { return code == kFew ? Sums(few_) : x_.at(code); }

  void cut(std::span<const std::uint16_t> order) {
    const std::int64_t most = to_fixed(judge_.levels.most > 0 ? judge_.levels.most : kMaxBins, kCountedBits);
    std::int64_t all = 0;
    for (const std::uint16_t code : order) all += counted(code);
    std::size_t taken = 0;  // how many of the order the favourite has on the left
    for (const bool missing_left : {true, false}) {
      if (!missing_left && !x_.has_missing()) break;
      begin(missing_left);
      std::int64_t counted_left = 0;
      // The last cut, all values left and missing right, says "is missing"; without missing values it is none.
      const std::size_t cuts = order.size() - (missing_left || x_.rule == MissingRule::Majority ? 1 : 0);
      for (std::size_t i = 0; i < cuts; ++i) {
        add(sums_of(order[i]));
        counted_left += counted(order[i]);
        if (std::min(counted_left, all - counted_left) <= most && offer(missing_left)) taken = i + 1;
      }
    }
    if (taken > 0) take(order.first(taken));
  }

  void begin(bool missing_left) {
    if (missing_left && x_.has_missing()) std::ranges::copy(x_.at(0), left_.begin());
    else std::ranges::fill(left_, 0);
  }
  void add(Sums sums) {
    for (std::size_t k = 0; k < width_; ++k) left_[k] += sums[k];
  }

  bool offer(bool missing_left) {
    for (std::size_t k = 0; k < width_; ++k) right_[k] = x_.total[k] - left_[k];
    const double wl = judge_.weight(left_), wr = judge_.weight(right_);
    if (!choose_.admits(wl, wr)) return false;
    const bool left_is_heavier = missing_left ? wl - missing_ >= wr : wl >= wr - missing_;  // counting values only
    if (x_.rule == MissingRule::Majority && x_.has_missing() && missing_left != left_is_heavier) return false;
    Split* split = choose_.offer({judge_.score(left_, wl), judge_.score(right_, wr), parent_, wl, wr});
    if (split == nullptr) return false;
    split->column = x_.column;
    split->left_sums.assign(left_.begin(), left_.end());
    split->missing_left = x_.has_missing() ? missing_left : left_is_heavier;
    return true;
  }
  void take(std::span<const std::uint16_t> codes) {
    choose_.chosen.set = true;
    std::vector<std::uint16_t>& left = choose_.chosen.left;
    left.assign(codes.begin(), codes.end());
    if (std::erase(left, kFew) > 0) left.insert(left.end(), few_codes_.begin(), few_codes_.end());
    for (std::uint16_t& level : left) --level;  // codes count from 1
    std::ranges::sort(left);
  }

  const ColumnSums& x_;
  const std::size_t width_;
  C judge_;
  const double parent_;
  Choose& choose_;
  std::vector<std::int64_t>&left_, &right_;
  std::vector<std::int64_t> few_;         // sums of ...
  std::vector<std::uint16_t> few_codes_;  // ... the levels of too few rows
  double missing_ = 0;
};

}  // namespace wald
