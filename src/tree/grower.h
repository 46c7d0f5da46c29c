// The workings of grow(): see grow.h for a node's life. Included only by grow.cpp, which instantiates it.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "tree/choose.h"
#include "tree/grow.h"
#include "tree/histogram.h"

namespace wald::growing {

struct Open {  // a node that may still be split
  std::uint32_t node = 0;
  int depth = 0;
  std::uint64_t path = 1;           // names the node by the way to it, whoever grows it
  std::size_t first = 0, last = 0;  // its rows
  std::vector<std::int64_t> total;
  Histogram histogram;  // empty = count when needed
  std::optional<Split> split;
  std::size_t rows() const { return last - first; }
};

inline std::uint64_t child_path(std::uint64_t path, bool right) {
  return (path * 2 + right) * 0x9E3779B97F4A7C15u ^ path >> 29;
}

// The threshold on raw values for a cut between two bins: the middle of the gap between the values on either side,
// rounded to fifteen digits where that still divides them: the middle of 300 and 300.1 is 300.05, not
// 300.04999999999995.
inline double threshold_between(double below, double above) {
  const auto divides = [&](double t) { return t >= below && t < above; };
  const double middle = std::midpoint(below, above);
  if (!divides(middle)) return below;
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, middle, std::chars_format::scientific, 14);
  double rounded = 0;
  std::from_chars(text, written.ptr, rounded);
  return divides(rounded) ? rounded : middle;
}

constexpr std::size_t kSmall = 8192;                  // rows of a subtree that one thread grows whole
constexpr std::size_t kLargestHistogram = 32u << 20;  // bytes; beyond this columns are counted one at a time
constexpr std::size_t kKeptHistograms = 1u << 30;     // bytes kept for subtraction by all open nodes together

enum class Team { All, One };  // who works on a node: all threads, or only the caller

template <Criterion C>
class Grower {
 public:
  // spare: as long as rows; scratch: one a thread of the team.
  Grower(const Binned& x, std::vector<Row>& rows, std::vector<Row>& spare, const C& criterion, const GrowOptions& how,
         std::uint64_t seed, double all, Team team)
      : x_(x),
        rows_(rows),
        spare_(spare),
        criterion_(criterion),
        how_(how),
        seed_(seed),
        all_(all),
        team_(team),
        layout_(x),
        width_(static_cast<std::size_t>(criterion.width())) {
    tree_.outputs = criterion.outputs();
  }
  const Tree& tree() const { return tree_; }  // nodes in the order of their making
  Tree take() { return std::move(tree_); }

  std::uint32_t add_node(Sums total) {
    const auto node = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.emplace_back();
    tree_.threshold.push_back(0);
    tree_.gain.push_back(0);
    tree_.cover.push_back(criterion_.weight(total));
    tree_.values.resize(tree_.values.size() + static_cast<std::size_t>(tree_.outputs));
    criterion_.leaf(total, values_of(node));
    return node;
  }

  std::vector<std::int64_t> total_of(std::size_t first, std::size_t last) const {
    std::vector<std::int64_t> total(width_);
    for (std::size_t i = first; i < last; ++i) criterion_.add(criterion_.part(rows_[i]), total.data());
    return total;
  }

  // Finds the node's split, if the stop rules let it have one.
  void look(Open& open, std::vector<Scratch>& scratch) {
    const bool pure = is_pure(open);
    if (pure) criterion_.pure(rows_[open.first], values_of(open.node));
    if (pure || !may_split(open)) {
      open.histogram = {};
      return;
    }
    read_parts(open);
    const bool full = worth_full(open.rows()) || !open.histogram.empty();
    if (full && open.histogram.empty()) count(open);
    const std::optional<Split> best = choose(open, full, scratch);
    if (!best || !worth_it(*best)) open.histogram = {};
    else open.split = best;
  }

  // Divides the rows of a node that has a split; gives its two children, with whatever sums come free.
  std::pair<Open, Open> divide(Open& open) {
    const Split split = *std::exchange(open.split, std::nullopt);
    const std::size_t middle = partition(open, split);
    Open left{.depth = open.depth + 1, .path = child_path(open.path, false), .first = open.first, .last = middle};
    Open right{.depth = open.depth + 1, .path = child_path(open.path, true), .first = middle, .last = open.last};
    Open& few = left.rows() <= right.rows() ? left : right;
    Open& many = &few == &left ? right : left;
    few.total = total_of(few.first, few.last);
    many.total = std::move(open.total);
    for (std::size_t k = 0; k < width_; ++k) many.total[k] -= few.total[k];
    if (!open.histogram.empty() && worth_full(many.rows()) && may_split(many) && !is_pure(many)) {
      read_parts(few);
      count(few);
      many.histogram = std::move(open.histogram);
      subtract(many.histogram, few.histogram);
      if (!worth_full(few.rows())) few.histogram = {};
    }
    open.histogram = {};
    write_split(open, split, left, right);
    return {std::move(left), std::move(right)};
  }

  // Whether one more node may wait with its histogram; one that may not counts again when its turn comes.
  bool may_keep(std::size_t waiting) const {
    return (waiting + 1) * layout_.bins() * width_ * sizeof(std::int64_t) <= kKeptHistograms;
  }

  Scratch new_scratch() const {
    Scratch scratch;
    scratch.sums.resize(static_cast<std::size_t>(layout_.most) * width_);
    scratch.touched.resize(layout_.most);
    return scratch;
  }

 private:
  bool may_split(const Open& open) const {
    if (how_.max_depth > 0 && open.depth >= how_.max_depth) return false;
    const double weight = criterion_.weight(open.total);
    return open.rows() >= 2 && weight >= how_.min_split && weight >= 2 * how_.min_leaf;
  }
  bool is_pure(const Open& open) const {
    const auto rows = std::span<const Row>(rows_).subspan(open.first, open.rows());
    return std::ranges::all_of(rows, [&](Row r) { return criterion_.same(rows[0], r); });
  }
  std::span<double> values_of(std::uint32_t node) {
    const auto outputs = static_cast<std::size_t>(tree_.outputs);
    return std::span(tree_.values).subspan(node * outputs, outputs);
  }
  bool worth_it(const Split& split) const {
    if (split.gain <= split.noise) return how_.zero_gain && how_.min_gain <= 0;
    return split.gain * criterion_.gain_unit() >= how_.min_gain * all_;
  }
  bool worth_full(std::size_t n) const {
    return n * x_.columns.size() >= 2 * layout_.bins() &&
           layout_.bins() * width_ * sizeof(std::int64_t) <= kLargestHistogram;
  }

  void read_parts(const Open& open) {
    parts_.resize(open.rows());
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = criterion_.part(rows_[open.first + i]);
  }

  // The favourite among the splits of all columns, or of those drawn. Where the columns drawn offer nothing, further
  // ones are drawn, so that a node is not a leaf by bad luck.
  std::optional<Split> choose(const Open& open, bool full, std::vector<Scratch>& scratch) const {
    const double parent = score(criterion_, open.total);
    const std::vector<std::uint32_t> columns = columns_for(open.path);
    const std::size_t tried =
        how_.columns_per_node > 0 ? static_cast<std::size_t>(how_.columns_per_node) : columns.size();
    Greedy best{.min_leaf = how_.min_leaf};
    for (std::size_t from = 0; from < columns.size() && !best.chosen; from += tried) {
      const auto drawn = std::span(columns).subspan(from, std::min(tried, columns.size() - from));
      std::vector<Greedy> found(drawn.size(), Greedy{.min_leaf = how_.min_leaf});
      for_columns(open.rows(), drawn.size(), [&](std::size_t i) {
        scan(open, drawn[i], full, parent, scratch[team_ == Team::One ? 0 : static_cast<std::size_t>(thread_index())],
             found[i]);
      });
      for (const Greedy& f : found) best.merge(f);  // in the order drawn; all columns are in ascending order
    }
    return std::move(best.chosen);
  }

  template <class Body>
  void for_columns(std::size_t rows, std::size_t columns, Body body) const {
    if (team_ == Team::One || rows * columns < kSmall) {
      for (std::size_t c = 0; c < columns; ++c) body(c);
    } else {
      parallel_for(columns, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) body(c);
      });
    }
  }

  void count(Open& open) {
    open.histogram.assign(layout_.bins() * width_, 0);
    const std::span<const Row> rows(rows_.data() + open.first, open.rows());
    for_columns(rows.size(), x_.columns.size(), [&](std::size_t c) {
      std::int64_t* sums = open.histogram.data() + layout_.start[c] * width_;
      std::visit([&](const auto& code) { fill<C>(code, rows, parts_.data(), criterion_, sums); }, x_.columns[c].code);
    });
  }
  static void subtract(Histogram& from, const Histogram& what) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
  }

  void scan(const Open& open, std::uint32_t column, bool full, double parent, Scratch& scratch, Greedy& choose) const {
    const BinnedColumn& binned = x_.columns[column];
    if (binned.codes <= 1) return;
    ColumnSums sums{.column = column, .total = open.total, .rule = how_.missing};
    if (full) {
      sums.sums = open.histogram.data() + layout_.start[column] * width_;
      occupied(sums.sums, binned.codes, static_cast<int>(width_), scratch.codes);
    } else {
      const std::span<const Row> rows(rows_.data() + open.first, open.rows());
      std::visit([&](const auto& code) { fill_touched<C>(code, rows, parts_.data(), criterion_, scratch); },
                 binned.code);
      sums.sums = scratch.sums.data();
    }
    sums.codes = scratch.codes;
    if (scratch.codes.size() > 1) {
      if (width_ == 2) scan_column<2>(binned.type, sums, parent, scratch, choose);
      else scan_column<0>(binned.type, sums, parent, scratch, choose);
    }
    if (!full) clear_touched(scratch, static_cast<int>(width_));
  }

  template <std::size_t Width>
  void scan_column(ColumnType type, const ColumnSums& sums, double parent, Scratch& scratch, Greedy& choose) const {
    if (type == ColumnType::Number) scan_numbers<Width>(sums, criterion_, parent, choose, scratch.left, scratch.right);
    else scan_categories<Width>(sums, criterion_, parent, choose, scratch.left, scratch.right);
  }

  // All columns in order, or, where only some are to be tried, in an order drawn for this node.
  std::vector<std::uint32_t> columns_for(std::uint64_t path) const {
    std::vector<std::uint32_t> columns(x_.columns.size());
    std::iota(columns.begin(), columns.end(), 0u);
    if (how_.columns_per_node <= 0 || static_cast<std::size_t>(how_.columns_per_node) >= columns.size()) return columns;
    const Random random(Random(seed_, Purpose::Columns, how_.tree).bits(path), Purpose::Columns, how_.tree);
    for (std::size_t i = 0; i + 1 < columns.size(); ++i)
      std::swap(columns[i], columns[i + random.below(columns.size() - i, i)]);
    return columns;
  }

  // Stable: rows keep their order on both sides.
  std::size_t partition(const Open& open, const Split& split) {
    std::vector<std::uint64_t> bits(split.set ? static_cast<std::size_t>(x_.columns[split.column].codes) / 64 + 1 : 0);
    for (const std::uint16_t level : split.left) bits[(level + 1u) / 64] |= std::uint64_t{1} << ((level + 1u) % 64);
    std::size_t left = open.first, right = open.first;
    const auto divide = [&](const auto& code, auto goes_left) {
      for (std::size_t i = open.first; i < open.last; ++i) {
        const Row row = rows_[i];
        const bool to_left = goes_left(code[row]);
        rows_[left] = row;  // both are written; only one pointer moves
        spare_[right] = row;
        left += to_left;
        right += !to_left;
      }
    };
    std::visit(
        [&](const auto& code) {
          if (split.set)
            divide(code, [&](auto c) { return c == 0 ? split.missing_left : (bits[c / 64] >> (c % 64) & 1) != 0; });
          else divide(code, [&](auto c) { return c == 0 ? split.missing_left : c <= split.bin; });
        },
        x_.columns[split.column].code);
    std::copy(spare_.begin() + static_cast<std::ptrdiff_t>(open.first),
              spare_.begin() + static_cast<std::ptrdiff_t>(right), rows_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  void write_split(const Open& open, const Split& split, Open& left, Open& right) {
    left.node = add_node(left.total);
    right.node = add_node(right.total);
    Node& node = tree_.nodes[open.node];
    node.column = split.column;
    node.child = left.node;
    node.missing = split.missing_left ? 0 : 1;
    node.test = split.set ? Test::Set : Test::Threshold;
    node.ref = split.bin;
    tree_.gain[open.node] = std::clamp(split.gain * criterion_.gain_unit(), 0.0, std::numeric_limits<double>::max());
    const BinnedColumn& binned = x_.columns[split.column];
    if (split.set) node.ref = add_set(open, split);
    else if (split.next != 0)
      tree_.threshold[open.node] = threshold_between(binned.highest[split.bin - 1], binned.lowest[split.next - 1]);
    else tree_.threshold[open.node] = std::numeric_limits<double>::infinity();
  }

  // Levels that no row of the node has follow the missing values.
  std::uint32_t add_set(const Open& open, const Split& split) {
    const auto levels = static_cast<std::size_t>(x_.columns[split.column].codes - 1);
    std::vector<std::uint64_t> bits((levels + 63) / 64);
    const auto put = [&](std::size_t level, bool in) {
      if (in) bits[level / 64] |= std::uint64_t{1} << (level % 64);
      else bits[level / 64] &= ~(std::uint64_t{1} << (level % 64));
    };
    if (split.missing_left) {
      for (std::size_t level = 0; level < levels; ++level) put(level, true);
      for (std::size_t i = open.first; i < open.last; ++i)
        if (const int code = x_.columns[split.column].at(rows_[i]); code > 0)
          put(static_cast<std::size_t>(code) - 1, false);
    }
    for (const std::uint16_t level : split.left) put(level, true);
    const auto at = static_cast<std::uint32_t>(tree_.sets.size());
    tree_.sets.insert(tree_.sets.end(), bits.begin(), bits.end());
    return at;
  }

  const Binned& x_;
  std::vector<Row>& rows_;
  std::vector<Row>& spare_;
  const C& criterion_;
  const GrowOptions& how_;
  const std::uint64_t seed_;
  const double all_;  // weight of all rows
  const Team team_;
  const Layout layout_;
  const std::size_t width_;
  Tree tree_;
  std::vector<typename C::Part> parts_;  // of the node being looked at
};

}  // namespace wald::growing
