// A criterion says what a row adds to its node, how good a node is, and what a leaf predicts. It keeps whole
// numbers, so that merging and subtracting nodes is exact vector arithmetic in any order.
//
// score is minus impurity times weight, up to a term that is additive over the children; hence
// gain = score(left) + score(right) - score(parent) = weight(parent) * (f(S) - sum |S_j|/|S| f(S_j)) for impurity f.
#pragma once
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/elementary.h"
#include "core/fixed.h"
#include "wald/task.h"

namespace wald {

using Sums = std::span<const std::int64_t>;

template <class C>
concept Criterion =
    requires(const C& c, Row row, const typename C::Part& part, std::int64_t* into, Sums s, std::span<double> out) {
      { c.width() } -> std::same_as<int>;                 // whole numbers kept per node
      { c.outputs() } -> std::same_as<int>;               // numbers a leaf predicts
      { c.part(row) } -> std::same_as<typename C::Part>;  // what this row contributes, read once per node
      { c.add(part, into) };                              // into += part
      { c.same(row, row) } -> std::same_as<bool>;         // equal targets: a node of such rows is pure
      { c.weight(s) } -> std::same_as<double>;            // for min-leaf and cover; rows when none is weighted
      { c.score(s, 1.0) } -> std::same_as<double>;        // given the node's weight
      { c.leaf(s, out) };                                 // the prediction
      { c.pure(row, out) };                               // the same for a node whose rows all have this row's target
      { c.gain_unit() } -> std::same_as<double>;          // what a gain of 1 is worth in the target's own units
      { c.orders() } -> std::same_as<int>;                // ways to put the levels of a category in a row ...
      { c.order(s, 0) } -> std::same_as<double>;          // ... and a level's place in the k-th of them
    };

// Both sums of a bin as 64 bits each, added at once: the cell where the digits leave a packed word no room for enough
// rows.
struct TwoSums {
  using Pair [[gnu::vector_size(16)]] = std::int64_t;
  Pair pair{};
  TwoSums() = default;
  TwoSums(std::int64_t first, std::int64_t second) : pair{first, second} {}
  TwoSums& operator+=(TwoSums other) {
    pair += other.pair;
    return *this;
  }
  bool operator==(const TwoSums& other) const { return pair[0] == other.pair[0] && pair[1] == other.pair[1]; }
};

// The cuts of a column laid out so that a criterion of two sums can judge all of them at once.
constexpr std::size_t kCutPadding = 16;  // so that the last vector may be read and written whole

struct Cuts {
  const std::int64_t* left;  // both sums left of every cut; below 2^53, hence exact as doubles
  std::size_t count;
  std::int64_t all_g, all_h;
};

struct CutSums {
  std::vector<std::int64_t> left;
  std::vector<double> gain;
  void fit(std::size_t cuts) {
    if (gain.size() < cuts + kCutPadding) gain.resize(cuts + kCutPadding), left.resize(2 * gain.size());
  }
};

struct ClassPart {
  std::int64_t weight;
  std::int32_t label;
};

struct ClassCounts {  // shared by every classification criterion
  using Part = ClassPart;
  std::span<const std::int32_t> label;
  std::span<const std::int64_t> row_weight;  // empty = all 1
  int classes = 2;
  double smoothing = 0;  // added to each class count in a leaf; 1 = Laplace

  double unit() const { return row_weight.empty() ? 1.0 : 0x1p-30; }
  int width() const { return classes; }
  int outputs() const { return classes; }
  Part part(Row r) const { return {row_weight.empty() ? 1 : row_weight[r], label[r]}; }
  static void add(const Part& p, std::int64_t* into) { into[p.label] += p.weight; }
  // Rows without weights of up to four classes: one 16-bit count a class, two 32-bit ones for two.
  int packed_bits() const { return classes == 2 ? 32 : 16; }
  std::size_t packed_rows() const {
    return row_weight.empty() && classes <= 4 ? (std::size_t{1} << packed_bits()) - 1 : 0;
  }
  std::uint64_t pack(const Part& p) const { return std::uint64_t{1} << (packed_bits() * p.label); }
  const void* source(Row r) const { return &label[r]; }
  void unpack(std::uint64_t word, std::int64_t* into) const {
    const std::uint64_t field = (std::uint64_t{1} << packed_bits()) - 1;
    for (int k = 0; k < classes; ++k) into[k] += static_cast<std::int64_t>(word >> (packed_bits() * k) & field);
  }
  bool same(Row a, Row b) const { return label[a] == label[b]; }
  static std::int64_t total(Sums s) { return std::accumulate(s.begin(), s.end(), std::int64_t{0}); }
  double weight(Sums s) const { return static_cast<double>(total(s)) * unit(); }
  void leaf(Sums s, std::span<double> out) const {
    const double all = weight(s) + smoothing * classes;
    for (int k = 0; k < classes; ++k)
      out[k] = all > 0 ? (static_cast<double>(s[k]) * unit() + smoothing) / all : 1.0 / classes;
  }
  static void pure(Row, std::span<double>) {}  // shares of whole numbers are right already
  static double gain_unit() { return 1; }
  // Whether either side of a node is of one class.
  static bool divides(Sums node, Sums left) {
    int on_left = 0, on_right = 0;
    for (std::size_t k = 0; k < node.size(); ++k) on_left += left[k] != 0, on_right += left[k] != node[k];
    return on_left == 1 && on_right == 1;
  }
  // Two classes: the order by share of the second finds the best subset (Breiman et al. 1984, theorem 4.5). More
  // classes: the same once per class, one against the rest.
  int orders() const { return classes == 2 ? 1 : classes; }
  double order(Sums s, int k) const {
    return static_cast<double>(s[classes == 2 ? 1 : k]) / static_cast<double>(total(s));
  }
};

struct Gini : ClassCounts {  // sum p (1 - p)
  double score(Sums s, double all) const {
    double squares = 0;
    for (const std::int64_t n : s) squares += static_cast<double>(n) * static_cast<double>(n);
    return unit() * unit() * squares / all;
  }
};

struct Shannon : ClassCounts {  // entropy: - sum p log2 p
  double score(Sums s, double all) const {
    double sum = 0;
    for (const std::int64_t n : s) {
      const double share = static_cast<double>(n) * unit();
      if (n > 0) sum += share * log2_exact(share / all);
    }
    return sum;
  }
};

struct Minority : ClassCounts {  // 1 - max p
  double score(Sums s, double) const {
    std::int64_t most = 0;
    for (const std::int64_t n : s) most = n > most ? n : most;
    return unit() * static_cast<double>(most);
  }
};

// sqrt(sum p (1 - p)); for two classes proportional to sqrt(p q), whose splits do not move when one class is
// oversampled (Drummond and Holte 2000).
struct SqrtGini : ClassCounts {
  double score(Sums s, double all) const {
    double sum = 0;
    for (const std::int64_t n : s) sum += static_cast<double>(n) * unit() * (all - static_cast<double>(n) * unit());
    return -std::sqrt(sum);
  }
};

struct NumberPart {
  std::int64_t weight, value;  // value: weight times the centred target
};

// Targets are divided by a power of two so that they lie in [-1, 1], centred, and put on a grid: neither 1e308 nor a
// large common part costs digits.
struct FixedTarget {
  std::vector<std::int64_t> value;  // weighted, scaled and centred, in units of 2^-bits
  int bits = 0;
  int shift = 0;      // target = scaled * 2^shift
  double centre = 0;  // of the scaled targets; a multiple of 2^-20, to keep short numbers exact
};
FixedTarget fix_target(std::span<const double> y, std::span<const std::int64_t> weight);

struct Variance {
  using Part = NumberPart;
  std::span<const double> target;
  std::span<const std::int64_t> row_weight;  // empty = all 1
  const FixedTarget* fixed = nullptr;

  double unit() const { return row_weight.empty() ? 1.0 : 0x1p-30; }
  int width() const { return 2; }
  int outputs() const { return 1; }
  Part part(Row r) const { return {row_weight.empty() ? 1 : row_weight[r], fixed->value[r]}; }
  static void add(const Part& p, std::int64_t* into) { into[0] += p.weight, into[1] += p.value; }
  bool same(Row a, Row b) const { return target[a] == target[b]; }
  double weight(Sums s) const { return static_cast<double>(s[0]) * unit(); }
  double sum(Sums s) const { return static_cast<double>(s[1]) * power_of_two(-fixed->bits); }
  double squares(Sums s) const { return sum(s) * sum(s); }
  double score(Sums s, double all) const { return squares(s) / all; }
  double gain_unit() const { return times_power(1.0, 2 * fixed->shift); }
  // Where the targets spread as wide as they are large, the centre goes back in before the division, in whole numbers,
  // so that a small mean far from the centre keeps its digits. Where they hardly spread, centre and mean do not cancel
  // (and the centre in such fine units would overflow).
  void leaf(Sums s, std::span<double> out) const {
    double mean = fixed->centre;
    if (s[0] > 0 && fixed->bits <= 60) {
      const __int128 centre = static_cast<__int128>(s[0]) * to_fixed(fixed->centre, fixed->bits);
      const __int128 sum =
          static_cast<__int128>(s[1]) * (row_weight.empty() ? 1 : std::int64_t{1} << kWeightBits) + centre;
      const auto narrow = static_cast<std::int64_t>(sum);  // nearly always all of it, and sooner made a double
      mean = times_power(
          (narrow == sum ? static_cast<double>(narrow) : static_cast<double>(sum)) / static_cast<double>(s[0]),
          -fixed->bits);
    } else if (s[0] > 0) {
      mean += order(s, 0);
    }
    out[0] = times_power(mean, fixed->shift);
  }
  void pure(Row r, std::span<double> out) const { out[0] = target[r]; }
  int orders() const { return 1; }
  double order(Sums s, int) const { return sum(s) / weight(s); }
};

template <Criterion C>
double score(const C& criterion, Sums s) {
  return criterion.score(s, criterion.weight(s));
}

static_assert(Criterion<Gini> && Criterion<Shannon> && Criterion<Minority> && Criterion<SqrtGini> &&
              Criterion<Variance>);

}  // namespace wald
