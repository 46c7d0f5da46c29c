// A chooser takes one split among those offered. This is the only place where growing can differ between greedy,
// gain-ratio, random and private trees.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace wald {

struct Split {
  std::uint32_t column = 0;
  bool set = false;                 // a subset of levels goes left; else the bins up to `bin`
  std::uint32_t bin = 0;            // numbers: the last occupied bin on the left ...
  std::uint32_t next = 0;           // ... and the first on the right; 0 = only missing values go right
  double threshold = 0;             // the same test on raw values, once the split is taken
  std::vector<std::uint16_t> left;  // if set: the levels (counted from 0) on the left
  bool missing_left = true;
  std::vector<std::int64_t> left_sums;  // of the rows that go left
  double gain = 0;
  double noise = 0;  // gains closer than this are equal: a bound on the rounding of `gain`
};

// What a chooser hears of a split before it is made.
struct Offer {
  double left = 0, right = 0, parent = 0;  // scores
  double left_weight = 0, right_weight = 0;
  double gain() const { return left + right - parent; }
  double noise() const {
    return 8 * std::numeric_limits<double>::epsilon() * (std::fabs(left) + std::fabs(right) + std::fabs(parent));
  }
};

template <class C>
concept Chooser = requires(C& c, const Offer& offer, C& other) {
  { c.admits(1.0, 1.0) } -> std::same_as<bool>;  // may children of these weights be made?
  { c.wants(1.0) } -> std::same_as<bool>;        // could a split of this gain be the favourite?
  { c.offer(offer) } -> std::same_as<Split*>;    // the favourite to describe, if this is it now; else nullptr
  { c.merge(other) };                            // takes over the other's favourite if it is better
};

inline constexpr double kNoGain = -std::numeric_limits<double>::infinity();

// The largest gain. Among equal gains the first offered wins, which makes ties go to (column, bin).
struct Greedy {
  double min_leaf = 1;
  bool any = false;  // whether `chosen` is a split
  Split chosen = {};
  double floor = kNoGain;  // nobody will take a favourite that gains no more than this

  void restart(double least, double useless = kNoGain) { min_leaf = least, any = false, floor = useless; }

  // More than the noise of any offer of no larger gain whose scores are not negative.
  static double noise_below(double gain, double parent) {
    return 16 * std::numeric_limits<double>::epsilon() * (gain + 2 * parent);
  }
  bool admits(double left, double right) const {
    const double less = std::min(left, right);
    return less > 0 && less >= min_leaf;
  }
  bool better(double gain, double noise) const { return !any || gain > chosen.gain + std::max(noise, chosen.noise); }
  bool wants(double gain) const { return gain > (any ? chosen.gain : kNoGain); }
  // Whether a split could be the favourite whose children of weights wl and wr score left / wl and right / wr: a cheap
  // question that spares nearly all splits the divisions. Its rounding is finer than the allowance for noise.
  bool could_win(double left, double right, double wl, double wr, double parent) const {
    return !any || left * wr + right * wl > (parent + chosen.gain) * (wl * wr);
  }
  Split* offer(const Offer& offer) {
    if (!wants(offer.gain())) return nullptr;  // nearly always
    if (!better(offer.gain(), offer.noise())) return nullptr;
    any = true;
    chosen.set = false;
    chosen.gain = offer.gain();
    chosen.noise = offer.noise();
    return &chosen;
  }
  void merge(Greedy& other) {  // may leave the other with what was the favourite here
    if (!other.any || !better(other.chosen.gain, other.chosen.noise)) return;
    any = true;
    std::swap(chosen, other.chosen);
  }
};

static_assert(Chooser<Greedy>);

}  // namespace wald
