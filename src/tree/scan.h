// Offers every split of one column to the chooser. The column comes as its occupied codes in ascending order and the
// sums per code; code 0 is missing.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/criterion.h"
#include "tree/grow_options.h"

namespace wald {

struct ColumnSums {
  std::uint32_t column = 0;
  std::span<const std::uint16_t> codes;  // occupied
  const std::int64_t* sums = nullptr;
  Sums total;            // of the node
  std::size_t rows = 0;  // of the node
  MissingRule rule = MissingRule::Learn;
  int direction = 0;  // 1: the right side's value must not be the lower one; -1: not the higher one

  Sums at(std::uint16_t code) const { return {sums + code * total.size(), total.size()}; }
  bool has_missing() const { return !codes.empty() && codes[0] == 0; }
  const std::int64_t* missing_sums() const { return sums; }  // zero where there are none
  std::span<const std::uint16_t> values() const { return codes.subspan(has_missing() ? 1 : 0); }
};

// Walks the values in the given order and offers the cut after each of them, for missing values on one side or
// both. `favourite(split, i)` describes each offer that became the favourite. Width 0 = known only at run time: with
// two sums a row, the commonest case, a width known beforehand halves the work.
template <std::size_t Width, Criterion C, Chooser Choose, class Favourite>
[[gnu::always_inline]] inline void walk(const ColumnSums& x, std::span<const std::uint16_t> order, const C& criterion,
                                        double parent, Choose& choose, std::vector<std::int64_t>& left_sums,
                                        std::vector<std::int64_t>& right_sums, Favourite favourite) {
  const std::size_t width = Width > 0 ? Width : x.total.size();
  left_sums.resize(width), right_sums.resize(width);
  const std::span left(left_sums.data(), width), right(right_sums.data(), width);
  const double missing = x.has_missing() ? criterion.weight({x.sums, width}) : 0;
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !x.has_missing()) break;
    if (missing_left && x.has_missing()) std::ranges::copy(x.at(0), left.begin());
    else std::ranges::fill(left, 0);
    // The last cut, all values left and missing right, says "is missing"; without missing values it is none.
    const std::size_t cuts = order.size() - (missing_left || x.rule == MissingRule::Majority ? 1 : 0);
    for (std::size_t i = 0; i < cuts; ++i) {
      const std::int64_t* here = x.sums + order[i] * width;
      for (std::size_t k = 0; k < width; ++k) left[k] += here[k], right[k] = x.total[k] - left[k];
      const double wl = criterion.weight(left), wr = criterion.weight(right);
      if (!choose.admits(wl, wr)) continue;
      const bool left_is_heavier = missing_left ? wl - missing >= wr : wl >= wr - missing;  // counting values only
      if (x.rule == MissingRule::Majority && x.has_missing() && missing_left != left_is_heavier) continue;
      if constexpr (requires { criterion.value(left, wl); })
        if (x.direction * criterion.value(right, wr) < x.direction * criterion.value(left, wl)) continue;
      if constexpr (requires { choose.could_win(criterion.squares(left), criterion.squares(right), wl, wr, parent); })
        if (!choose.could_win(criterion.squares(left), criterion.squares(right), wl, wr, parent)) continue;
      Split* split = choose.offer({criterion.score(left, wl), criterion.score(right, wr), parent, wl, wr});
      if (split == nullptr) continue;
      split->column = x.column;
      split->left_sums.resize(width);
      for (std::size_t k = 0; k < width; ++k) split->left_sums[k] = left[k];
      split->missing_left = x.has_missing() ? missing_left : left_is_heavier;
      favourite(*split, i);
    }
  }
}

template <std::size_t Width, Criterion C, Chooser Choose>
void scan_numbers(const ColumnSums& x, const C& criterion, double parent, Choose& choose,
                  std::vector<std::int64_t>& left, std::vector<std::int64_t>& right) {
  const auto values = x.values();
  if (values.empty()) return;
  walk<Width>(x, values, criterion, parent, choose, left, right, [&](Split& split, std::size_t i) {
    split.bin = values[i];
    split.next = i + 1 < values.size() ? values[i + 1] : 0;
  });
}

// A criterion of two sums a node that can judge all cuts of a column at once.
template <class C>
concept JudgesAtOnce = requires(const C& c, const Cuts& cuts, double* out) {
  { c.gains(cuts, 0.0, 0.0, out) } -> std::same_as<double>;
};

// A full column of two sums a code, whose occupied codes nobody has listed.
struct FullColumn {
  std::uint32_t column = 0;
  const std::int64_t* sums = nullptr;
  std::size_t codes = 0;
  Sums total;  // of the node
  MissingRule rule = MissingRule::Learn;

  bool has_missing() const { return occupied(0); }
  const std::int64_t* missing_sums() const { return sums; }
  bool occupied(std::size_t code) const { return (sums[2 * code] | sums[2 * code + 1]) != 0; }
  std::size_t first() const {  // value; there must be one
    std::size_t code = 1;
    while (!occupied(code)) ++code;
    return code;
  }
  std::size_t last() const {  // value; 0 = there is none
    std::size_t code = codes - 1;
    while (code > 0 && !occupied(code)) --code;
    return code;
  }
};

// The split, where the cut with these sums on its left became the favourite.
template <class Column, JudgesAtOnce C, Chooser Choose>
Split* offer_cut(const Column& x, const std::int64_t* left, bool missing_left, const C& criterion, double parent,
                 Choose& choose) {
  const std::int64_t right[2] = {x.total[0] - left[0], x.total[1] - left[1]};
  const double wl = criterion.weight({left, 2}), wr = criterion.weight(right),
               missing = criterion.weight({x.missing_sums(), 2});
  const bool left_is_heavier = missing_left ? wl - missing >= wr : wl >= wr - missing;  // counting values only
  if (x.rule == MissingRule::Majority && x.has_missing() && missing_left != left_is_heavier) return nullptr;
  Split* split = choose.offer({criterion.score({left, 2}, wl), criterion.score(right, wr), parent, wl, wr});
  if (split == nullptr) return nullptr;
  split->column = x.column;
  split->left_sums.resize(2);
  split->left_sums[0] = left[0], split->left_sums[1] = left[1];
  split->missing_left = x.has_missing() ? missing_left : left_is_heavier;
  return split;
}

// Calls body(i) for the gains that decide which of all is taken, in their order; false, and calls nothing, where that
// takes too much to tell. Who gains less than the largest by more than twice the noise is not taken: if it ever is the
// favourite, the next of those who gain more replaces it. Only where one lies between, by more than the noise but less
// than twice, it may keep the place of another.
template <class Body>
bool each_deciding(std::span<const double> gain, double most, double noise, Body body) {
  constexpr std::size_t kMost = 8;
  std::size_t near[kMost], count = 0;
  if (!(noise < std::numeric_limits<double>::infinity())) return false;
  const double least = most - 2 * noise;
  for (std::size_t i = 0; i < gain.size(); ++i) {
    if (!(gain[i] > least)) continue;  // nearly always
    if (count == kMost || gain[i] <= most - noise) return false;
    near[count++] = i;
  }
  for (std::size_t k = 0; k < count; ++k) body(near[k]);
  return true;
}

// Offers `count` cuts, whose left sums are in the scratch, from the one of number `first` on.
template <class Column, JudgesAtOnce C, Chooser Choose, class Favourite>
void offer_cuts(const Column& x, std::size_t count, std::size_t first, bool missing_left, const C& criterion,
                double parent, Choose& choose, CutSums& scratch, Favourite favourite) {
  // The last cut, all values left and missing right, says "is missing"; without missing values it is none.
  const std::size_t end = count - (missing_left || x.rule == MissingRule::Majority ? 1 : 0);
  double most =
      criterion.gains({scratch.left.data(), end, x.total[0], x.total[1]}, parent, choose.min_leaf, scratch.gain.data());
  if constexpr (requires { x.only_enough(std::span<double>(), missing_left, most); })
    most = x.only_enough({scratch.gain.data(), end}, missing_left, most);
  const auto offer = [&](std::size_t i) {
    if (choose.wants(scratch.gain[i]))
      if (Split* split = offer_cut(x, scratch.left.data() + 2 * i, missing_left, criterion, parent, choose))
        favourite(*split, i);
  };
  // With missing values some cuts are no offers, and the other half of them has a say in who is first.
  if constexpr (requires { choose.floor; })
    if (!x.has_missing()) {
      if (most <= choose.floor) return;
      const std::span<const double> gain(scratch.gain.data(), end);
      if (each_deciding(gain, most, choose.noise_below(most, parent), offer)) return;
    }
  for (std::size_t i = first; i < end; ++i) offer(i);
}

// Offers the cuts after each of `count` sums, of which sums_of(i) gives where they are, from the one of number `first`
// on; favourite(split, i) describes each offer that became the favourite.
template <class Column, JudgesAtOnce C, Chooser Choose, class SumsOf, class Favourite>
void offer_at_once(const Column& x, std::size_t count, std::size_t first, const C& criterion, double parent,
                   Choose& choose, CutSums& scratch, SumsOf sums_of, Favourite favourite) {
  scratch.fit(count);
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !x.has_missing()) break;
    std::int64_t g = missing_left ? x.sums[0] : 0, h = missing_left ? x.sums[1] : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t* here = sums_of(i);
      g += here[0], h += here[1];
      scratch.left[2 * i] = g, scratch.left[2 * i + 1] = h;
    }
    offer_cuts(x, count, first, missing_left, criterion, parent, choose, scratch, favourite);
  }
}

// The offers of scan_numbers in the same order: a code without rows makes a cut of the same gain as the one before it,
// which never becomes the favourite.
template <JudgesAtOnce C, Chooser Choose>
void scan_numbers_at_once(const FullColumn& x, const C& criterion, double parent, Choose& choose, CutSums& scratch) {
  const std::size_t last = x.last();
  if (last == 0) return;
  const auto sums_of = [&](std::size_t i) { return x.sums + 2 * (i + 1); };
  offer_at_once(x, last, x.first() - 1, criterion, parent, choose, scratch, sums_of, [&](Split& split, std::size_t i) {
    std::size_t bin = i + 1, next = i + 2;
    while (!x.occupied(bin)) --bin;
    while (next < x.codes && !x.occupied(next)) ++next;
    split.bin = static_cast<std::uint32_t>(bin);
    split.next = next < x.codes ? static_cast<std::uint32_t>(next) : 0;
  });
}

// The same for a column whose occupied codes are listed.
template <JudgesAtOnce C, Chooser Choose>
void scan_numbers_at_once(const ColumnSums& x, const C& criterion, double parent, Choose& choose, CutSums& scratch) {
  const auto values = x.values();
  if (values.empty()) return;
  const auto sums_of = [&](std::size_t i) { return x.sums + 2 * values[i]; };
  offer_at_once(x, values.size(), 0, criterion, parent, choose, scratch, sums_of, [&](Split& split, std::size_t i) {
    split.bin = values[i];
    split.next = i + 1 < values.size() ? values[i + 1] : 0;
  });
}

// Room for something of each code, without asking for memory where the codes are few.
template <class T>
class OfCodes {
 public:
  explicit OfCodes(std::size_t codes) {
    if (codes > near_.size()) far_.resize(codes);
    data_ = codes > near_.size() ? far_.data() : near_.data();
  }
  OfCodes(const OfCodes&) = delete;
  T* data() { return data_; }
  T& operator[](std::size_t code) { return data_[code]; }

 private:
  std::array<T, 64> near_;
  std::vector<T> far_;
  T* data_;
};

struct PlacedCode {
  double place;
  std::uint16_t code;
};

// The codes, which ascend, by place, then by code. Most nodes have few levels: each comes behind as many as there are
// before it, more comparisons than sorting takes, but none of them is a branch.
inline void sort_places(std::span<PlacedCode> codes, std::span<std::uint16_t> order) {
  constexpr std::size_t kCounted = 12;
  if (codes.size() > kCounted) {
    std::ranges::sort(codes, {}, [](const PlacedCode& c) { return std::pair(c.place, c.code); });
    std::ranges::transform(codes, order.begin(), &PlacedCode::code);
    return;
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += codes[k].place <= codes[i].place;
    for (std::size_t k = i + 1; k < codes.size(); ++k) before += codes[k].place < codes[i].place;
    order[before] = codes[i].code;
  }
}

// Levels sorted by their place in each of the criterion's orders, then cut like numbers.
template <std::size_t Width, Criterion C, Chooser Choose>
void scan_categories(const ColumnSums& x, const C& criterion, double parent, Choose& choose,
                     std::vector<std::int64_t>& left, std::vector<std::int64_t>& right) {
  const auto values = x.values();
  if (values.empty()) return;
  OfCodes<std::uint16_t> orders(values.size());
  OfCodes<PlacedCode> places(values.size());
  const std::span order(orders.data(), values.size());
  const std::span placed(places.data(), values.size());
  std::ranges::copy(values, order.begin());
  for (int k = 0; k < criterion.orders(); ++k) {
    for (std::size_t i = 0; i < values.size(); ++i) placed[i] = {criterion.order(x.at(values[i]), k), values[i]};
    sort_places(placed, order);
    std::size_t taken = 0;  // how many of the order the favourite has on the left
    walk<Width>(x, order, criterion, parent, choose, left, right, [&](Split&, std::size_t i) { taken = i + 1; });
    if (taken == 0) continue;
    choose.chosen.set = true;
    choose.chosen.left.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken));
    for (std::uint16_t& level : choose.chosen.left) --level;  // codes count from 1
    std::ranges::sort(choose.chosen.left);
  }
}

}  // namespace wald
