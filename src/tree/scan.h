// Offers every split of one column to the chooser. The column comes as its occupied codes in ascending order and the
// sums per code; code 0 is missing.
#pragma once
#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/criterion.h"

namespace wald {

enum class MissingRule { Learn, Majority };  // try both sides, or follow the heavier child

struct ColumnSums {
  std::uint32_t column = 0;
  std::span<const std::uint16_t> codes;  // occupied
  const std::int64_t* sums = nullptr;
  Sums total;  // of the node
  MissingRule rule = MissingRule::Learn;

  Sums at(std::uint16_t code) const { return {sums + code * total.size(), total.size()}; }
  bool has_missing() const { return !codes.empty() && codes[0] == 0; }
  std::span<const std::uint16_t> values() const { return codes.subspan(has_missing() ? 1 : 0); }
};

// Walks the values in the given order and offers the cut after each of them, for missing values on one side or
// both. `favourite(i, missing_left)` hears of each offer that became the favourite.
template <Criterion C, Chooser Choose, class Favourite>
void walk(const ColumnSums& x, std::span<const std::uint16_t> order, const C& criterion, double parent, Choose& choose,
          std::vector<std::int64_t>& left, std::vector<std::int64_t>& right, Split split, Favourite favourite) {
  const std::size_t width = x.total.size();
  left.resize(width), right.resize(width);
  const auto offer = [&](std::size_t i, bool missing_left) {
    const double wl = criterion.weight(left), wr = criterion.weight(right);
    if (!choose.admits(wl, wr)) return;
    const double sl = criterion.score(left), sr = criterion.score(right);
    split.gain = sl + sr - parent;
    split.noise = 8 * std::numeric_limits<double>::epsilon() * (std::fabs(sl) + std::fabs(sr) + std::fabs(parent));
    split.missing_left = x.has_missing() ? missing_left : wl >= wr;
    split.bin = order[i];
    split.next = i + 1 < order.size() ? order[i + 1] : 0;
    if (choose.offer(split)) favourite(i, split.missing_left);
  };
  const auto left_is_heavier = [&](bool missing_left) {  // counting values only
    const double missing = criterion.weight(x.at(0)), wl = criterion.weight(left), wr = criterion.weight(right);
    return missing_left ? wl - missing >= wr : wl >= wr - missing;
  };
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !x.has_missing()) break;
    if (missing_left && x.has_missing()) std::ranges::copy(x.at(0), left.begin());
    else std::ranges::fill(left, 0);
    // The last cut, all values left and missing right, says "is missing"; without missing values it is none.
    const std::size_t cuts = order.size() - (missing_left || x.rule == MissingRule::Majority ? 1 : 0);
    for (std::size_t i = 0; i < cuts; ++i) {
      const Sums here = x.at(order[i]);
      for (std::size_t k = 0; k < width; ++k) left[k] += here[k], right[k] = x.total[k] - left[k];
      if (x.rule == MissingRule::Learn || !x.has_missing() || missing_left == left_is_heavier(missing_left))
        offer(i, missing_left);
    }
  }
}

template <Criterion C, Chooser Choose>
void scan_numbers(const ColumnSums& x, const C& criterion, double parent, Choose& choose,
                  std::vector<std::int64_t>& left, std::vector<std::int64_t>& right) {
  if (x.values().empty()) return;
  walk(x, x.values(), criterion, parent, choose, left, right, Split{.column = x.column}, [](std::size_t, bool) {});
}

// Levels sorted by their place in each of the criterion's orders, then cut like numbers.
template <Criterion C, Chooser Choose>
void scan_categories(const ColumnSums& x, const C& criterion, double parent, Choose& choose,
                     std::vector<std::int64_t>& left, std::vector<std::int64_t>& right) {
  const auto values = x.values();
  if (values.empty()) return;
  std::vector<std::uint16_t> order(values.begin(), values.end());
  std::vector<double> place(static_cast<std::size_t>(values.back()) + 1);
  for (int k = 0; k < criterion.orders(); ++k) {
    for (const std::uint16_t code : values) place[code] = criterion.order(x.at(code), k);
    std::ranges::sort(
        order, [&](std::uint16_t a, std::uint16_t b) { return place[a] != place[b] ? place[a] < place[b] : a < b; });
    std::size_t taken = 0;  // how many of the order the favourite has on the left
    walk(x, order, criterion, parent, choose, left, right, Split{.column = x.column, .set = true},
         [&](std::size_t i, bool) { taken = i + 1; });
    if (taken == 0) continue;
    choose.chosen->left.clear();
    for (std::size_t i = 0; i < taken; ++i) choose.chosen->left.push_back(static_cast<std::uint16_t>(order[i] - 1));
    std::ranges::sort(choose.chosen->left);
  }
}

}  // namespace wald
