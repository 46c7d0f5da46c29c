// What the rows of a sapling's node add up to, by kind of target. Sums of whole numbers all.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tree/criterion.h"
#include "tree/sapling.h"
#include "tree/scan.h"

namespace wald::sapling {

struct Pair {
  std::int64_t a = 0, b = 0;
  Pair& operator+=(const Pair& o) { return a += o.a, b += o.b, *this; }
  Pair operator-(const Pair& o) const { return {a - o.a, b - o.b}; }
};

// An entry brings along what its row adds, so that a node reads its entries in order. place: where to find its codes,
// see Grower.
struct ClassEntry {
  std::uint32_t place;
  std::uint16_t label, count;
  std::int64_t weight() const { return count; }
};
// Class by class, each in its order: so are the rows of all nodes then. Both have the same room.
inline void group_classes(std::vector<ClassEntry>& entries, std::vector<ClassEntry>& spare) {
  std::vector<std::uint32_t> start;
  for (const ClassEntry& e : entries) {
    if (e.label >= start.size()) start.resize(e.label + 1u);
    ++start[e.label];
  }
  std::uint32_t at = 0;
  for (std::uint32_t& s : start) at += std::exchange(s, at);
  for (const ClassEntry& e : entries) spare[start[e.label]++] = e;
  std::copy_n(spare.begin(), entries.size(), entries.begin());
}
struct WeightedClassEntry {
  std::uint32_t place;
  std::uint16_t label;
  std::int64_t weight_;
  std::int64_t weight() const { return weight_; }
};
// What the rows of each class weigh. Neighbours are mostly of one class: added to its count one by one, each would wait
// for the one before.
template <class Entry>
class ClassRuns {
 public:
  void count(std::span<const Entry> entries, bool by_class, std::span<std::int64_t> total) {
    constexpr std::size_t kAtOnce = 8;  // of one class where the last of them is
    if (upto_.size() < entries.size()) upto_.resize(entries.size()), label_.resize(entries.size());
    std::uint32_t last = ~0u;
    std::int64_t sum = 0;
    std::size_t runs = 0;
    const Entry* const entry = entries.data();
    const std::size_t n = entries.size(), whole = by_class && n >= kAtOnce ? n - kAtOnce + 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {  // without a branch on whether the class is a new one
      const Entry& e = entry[i];
      runs += e.label != last, last = e.label;
      sum += e.weight();
      while (i + 1 < whole && entry[i + kAtOnce].label == last) {
        for (std::size_t k = 1; k <= kAtOnce; ++k) sum += entry[i + k].weight();
        i += kAtOnce;
      }
      label_[runs - 1] = e.label, upto_[runs - 1] = sum;
    }
    sum = 0;
    for (std::size_t i = 0; i < runs; ++i) total[label_[i]] += upto_[i] - std::exchange(sum, upto_[i]);
  }

 private:
  std::vector<std::uint16_t> label_;  // of rows of one class side by side ...
  std::vector<std::int64_t> upto_;    // ... and the weight up to their last
};
// Of two classes: the count of the first in the lower half of a word, or of the second in the upper one.
struct TwoEntry {
  std::uint32_t place, packed;
  std::uint32_t second() const { return packed >> 16; }
  std::int64_t weight() const { return (packed & 0xFFFF) + second(); }
};
inline std::size_t class_of(const ClassEntry& e) { return e.label; }
inline std::size_t class_of(const TwoEntry& e) { return e.second() != 0 ? 1 : 0; }
struct NumberEntry {
  std::uint32_t place;
  Row row;
  std::int64_t weight, value;
};

// --- kinds whose sums are a pair: each has a Cell that entries are added to ------------------------------------------

// Two classes, rows that weigh 1: a cell is one word, the second class in its upper half.
struct TwoCounted {
  using Entry = TwoEntry;
  using Cell = std::uint64_t;
  using Narrow = std::uint32_t;  // the same in halves of 16 bits
  static constexpr std::int64_t kMostNarrow = 0xFFFF;
  const Gini& gini;
  Entry entry(const Drawn& d) const { return {d.row, d.count << (gini.label[d.row] == 0 ? 0 : 16)}; }
  static void add(Cell& cell, const Entry& e) { cell += widened(e.packed); }
  static Cell sum(std::span<const Entry> entries) {  // in halves, several at a time
    std::uint32_t first = 0, second = 0;
    for (const Entry& e : entries) first += e.packed & 0xFFFF, second += e.packed >> 16;
    return first | Cell{second} << 32;
  }
  static Cell widened(Narrow cell) { return (cell & 0xFFFF) | std::uint64_t{cell >> 16} << 32; }
  static Pair sums(Cell cell) {
    return {static_cast<std::int64_t>(cell & 0xFFFF'FFFF), static_cast<std::int64_t>(cell >> 32)};
  }
  static double weight(const Pair& s) { return static_cast<double>(s.a + s.b); }
  static double squares(const Pair& s) {
    const double a = static_cast<double>(s.a), b = static_cast<double>(s.b);
    return a * a + b * b;
  }
  static double score(const Pair& s, double all) { return squares(s) / all; }
  // Both sides of one class each.
  static constexpr bool kMostIsPure = true;
  static double most_gain(std::span<const Entry>, double weight, double score) { return weight - score; }
  static bool pure(const Pair& s, std::span<const Entry>) { return s.a == 0 || s.b == 0; }
  void leaf(const Pair& s, std::span<const Entry>, bool, std::span<double> out) const {
    const std::int64_t sums[2] = {s.a, s.b};
    gini.leaf(sums, out);
  }
  static int outputs() { return 2; }
  static double gain_unit() { return 1; }
  template <class... A>
  void categories(const ColumnSums& sums, A&... rest) const {
    scan_categories<2>(sums, gini, rest...);
  }
};

// Two classes, weighted rows.
struct TwoWeighted : TwoCounted {
  using Entry = WeightedClassEntry;
  using Cell = Pair;
  Entry entry(const Drawn& d) const {
    return {d.row, static_cast<std::uint16_t>(gini.label[d.row]), gini.row_weight[d.row] * d.count};
  }
  static void add(Cell& cell, const Entry& e) { (e.label == 0 ? cell.a : cell.b) += e.weight_; }
  static double most_gain(std::span<const Entry>, double weight, double score) { return weight - score; }
  static bool pure(const Pair& s, std::span<const Entry>) { return s.a == 0 || s.b == 0; }
  void leaf(const Pair& s, std::span<const Entry>, bool is_pure, std::span<double> out) const {
    TwoCounted::leaf(s, {}, is_pure, out);
  }
  static Pair sums(const Cell& cell) { return cell; }
  double weight(const Pair& s) const { return static_cast<double>(s.a + s.b) * gini.unit(); }
  double squares(const Pair& s) const { return gini.unit() * gini.unit() * TwoCounted::squares(s); }
  double score(const Pair& s, double all) const { return squares(s) / all; }
};

struct NumberKind {
  using Entry = NumberEntry;
  using Cell = Pair;  // weight and value
  const Variance& variance;
  double unit = variance.unit(), value_unit = power_of_two(-variance.fixed->bits);
  Entry entry(const Drawn& d) const {
    const std::int64_t weight = variance.row_weight.empty() ? 1 : variance.row_weight[d.row];
    return {d.row, d.row, weight * d.count, variance.fixed->value[d.row] * d.count};
  }
  static void add(Cell& cell, const Entry& e) { cell.a += e.weight, cell.b += e.value; }
  static Pair sums(const Cell& cell) { return cell; }
  double weight(const Pair& s) const { return static_cast<double>(s.a) * unit; }
  double sum(const Pair& s) const { return static_cast<double>(s.b) * value_unit; }
  double squares(const Pair& s) const { return sum(s) * sum(s); }
  double score(const Pair& s, double all) const { return squares(s) / all; }
  // The best of all ways to divide rows of equal weight keeps them in the order of their targets. Few rows are quickly
  // put in that order, and some column often divides them just so.
  static constexpr bool kMostIsPure = false;
  double most_gain(std::span<const Entry> entries, double, double score_of_all) const {
    constexpr std::size_t kMost = 4;
    std::int64_t value[kMost], left = 0, all = 0;
    if (entries.size() > kMost) return std::numeric_limits<double>::infinity();
    std::size_t n = 0;
    for (const Entry& e : entries) {
      if (e.weight != entries[0].weight) return std::numeric_limits<double>::infinity();
      std::size_t at = n++;
      for (; at > 0 && value[at - 1] > e.value; --at) value[at] = value[at - 1];
      value[at] = e.value, all += e.value;
    }
    double most = 0;
    for (std::size_t i = 1; i < n; ++i) {
      left += value[i - 1];
      const Pair l{static_cast<std::int64_t>(i) * entries[0].weight, left},
          r{static_cast<std::int64_t>(n - i) * entries[0].weight, all - left};
      most = std::max(most, score(l, weight(l)) + score(r, weight(r)) - score_of_all);
    }
    return most;
  }
  bool pure(const Pair&, std::span<const Entry> entries) const {
    // Rows that count alike have different targets where they add different numbers, and these lie at hand.
    const Entry& first = entries[0];
    const bool counted = variance.row_weight.empty();
    for (const Entry& e : entries)
      if ((counted && e.weight == first.weight && e.value != first.value) || !variance.same(first.row, e.row))
        return false;
    return true;
  }
  void leaf(const Pair& s, std::span<const Entry> entries, bool is_pure, std::span<double> out) const {
    const std::int64_t sums[2] = {s.a, s.b};
    if (is_pure) variance.pure(entries[0].row, out);
    else variance.leaf(sums, out);
  }
  static int outputs() { return 1; }
  double gain_unit() const { return variance.gain_unit(); }
  template <class... A>
  void categories(const ColumnSums& sums, A&... rest) const {
    scan_categories<2>(sums, variance, rest...);
  }
};

struct BlindKind {
  using Entry = ClassEntry;
  using Cell = std::uint64_t;
  Entry entry(const Drawn& d) const { return {d.row, 0, static_cast<std::uint16_t>(d.count)}; }
  static void add(Cell& cell, const Entry& e) { cell += e.count; }
  static Pair sums(Cell cell) { return {static_cast<std::int64_t>(cell), 0}; }
  static double weight(const Pair& s) { return static_cast<double>(s.a); }
  static double squares(const Pair&) { return 0; }
  static double score(const Pair&, double) { return 0; }
  static constexpr bool kMostIsPure = false;
  static double most_gain(std::span<const Entry>, double, double) { return std::numeric_limits<double>::infinity(); }
  static bool pure(const Pair&, std::span<const Entry>) { return false; }
  static void leaf(const Pair&, std::span<const Entry>, bool, std::span<double> out) { out[0] = 0; }
  static int outputs() { return 1; }
  static double gain_unit() { return 1; }
  template <class... A>
  static void categories(const ColumnSums&, A&...) {}
};

}  // namespace wald::sapling
