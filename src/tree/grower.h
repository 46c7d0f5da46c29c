// The workings of grow(): see grow.h for a node's life.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "tree/choose.h"
#include "tree/columns.h"
#include "tree/count.h"
#include "tree/few.h"
#include "tree/gathered.h"
#include "tree/grow.h"
#include "tree/histogram.h"
#include "tree/node_scan.h"
#include "tree/partition.h"
#include "tree/surrogate.h"

namespace wald::growing {

constexpr std::size_t kInTurn = 64;   // a node of at most so many rows has its columns tried one after another
constexpr std::size_t kSmall = 1024;  // a subtree of at most so many rows is always grown whole by one thread
constexpr std::size_t kKeptHistograms = 1u << 30;  // bytes kept for subtraction by all open nodes together

template <Criterion C>
class Grower {
 public:
  Grower(const Binned& x, const BinLayout& layout, GrowSpace& work, const C& criterion, const GrowOptions& how,
         std::uint64_t seed, double all, Team team)
      : Grower({x, work.rows, work.spare, criterion}, layout, *work.scratch, how, seed, all, team, nullptr) {}
  // One that begins a tree of its own, for the same rows and by the same rules.
  Grower(const Grower& like, Team team) : Grower(like.place_, like, team, nullptr) {}
  // One that goes on in the same tree with copies of the rows from `first` on.
  Grower(Grower& of, Gathered& copies, const C& criterion, std::size_t first)
      : Grower({copies.x, copies.rows, copies.spare, criterion, first}, of, Team::One, &of.grown_) {}
  Grower(const Grower&) = delete;
  const Binned& table() const { return x_; }
  const Grown& grown() const { return grown_; }  // nodes in the order of their making
  std::unique_ptr<Few> few(std::unique_ptr<Few> before) const {
    return few_grower(x_, criterion_, how_, all_, std::move(before));
  }
  // Everything below a node of few rows.
  void grow_few(Open& open, Few& few) {
    forget(open);
    few.grow({grown_, open.node, open.depth, open.first}, std::span(rows_).subspan(open.first, open.rows()));
  }
  // Whether what lies below a node is grown faster from copies of its rows; and the criterion that knows them.
  bool may_gather(const Open& open) const {
    const int levels = how_.max_depth > 0 ? how_.max_depth - open.depth : std::numeric_limits<int>::max();
    return !surrogates() && layout_.by_columns.empty() && Gathered::pays(x_, open.rows(), levels, scratch_.cache);
  }
  C gather(const Open& open, Gathered& copies) const {
    copies.gather(x_, std::span(rows_).subspan(open.first, open.rows()));
    return criterion_.gathered(rows_of(open), *copies.derivatives);
  }
  void reserve(std::size_t rows) { grown_.reserve(rows); }

  // A node as a leaf, which it remains unless its split is written.
  std::uint32_t add_node(const Open& open) {
    const Sums total = open.total;
    const std::uint32_t node = grown_.add(1);
    grown_.nodes[node].first = static_cast<Row>(place_.first + open.first);
    grown_.nodes[node].last = static_cast<Row>(place_.first + open.last);
    if (surrogates()) grown_.surrogates.emplace_back();
    grown_.nodes[node].cover = criterion_.weight(total);
    const std::span<double> values = grown_.values_of(node);
    criterion_.leaf(total, values);
    for (double& value : values) value = std::clamp(value, open.low, open.high);
    if (open.pure) criterion_.pure(rows_[open.first], values);
    return node;
  }

  // Finds the node's split, if the stop rules let it have one.
  void look(Open& open) {
    if (open.pure || !may_split(open)) return forget(open);
    const bool full = worth_full(open.rows()) || !open.histogram.empty();
    if (full && open.histogram.empty()) count(open);
    scan_.begin(open, full);
    std::optional<Split> best = choose(open, full);
    if (!best || !worth_it(*best, open)) forget(open);
    else open.split = std::move(best);
  }
  void forget(Open& open) {
    if (!open.histogram.empty()) scratch_.histograms.give(std::move(open.histogram));
    open.histogram.clear();
  }

  // Divides the rows of a node that has a split; gives its two children, with whatever sums come free.
  std::pair<Open, Open> divide(Open& open) {
    Split& split = *open.split;
    const std::size_t middle = open.first + divide_rows(open, split);
    Open left{.depth = open.depth + 1,
              .path = child_path(open.path, false),
              .first = open.first,
              .last = middle,
              .total = split.left_sums};
    Open right{.depth = open.depth + 1,
               .path = child_path(open.path, true),
               .first = middle,
               .last = open.last,
               .total = open.total};
    for (std::size_t k = 0; k < width_; ++k) right.total[k] -= left.total[k];
    left.pure = is_pure(left), right.pure = is_pure(right);
    pass_on(open, split, left, right);
    Open& few = left.rows() <= right.rows() ? left : right;
    Open& many = &few == &left ? right : left;
    if (!open.histogram.empty() && worth_full(many.rows()) && may_split(many) && !many.pure) {
      many.histogram = std::move(open.histogram);
      const bool keep = worth_full(few.rows());
      if (keep || !counter().pours(few.rows())) few.histogram = scratch_.histograms.take(layout_.bins() * width_);
      counter().count(rows_of(few), few.histogram.empty() ? nullptr : &few.histogram, &many.histogram);
      if (!keep) forget(few);
    } else {
      forget(open);
    }
    return {std::move(left), std::move(right)};
  }

  std::size_t divide_rows(Open& open, Split& split) {
    const std::span rows = std::span(rows_).subspan(open.first, open.rows());
    const std::span spare = std::span(place_.spare).subspan(open.first, open.rows());
    if (split.set && split.missing_left) open.seen = seen(open, split.column);
    if (!surrogates()) return partition(x_, split, rows, spare, team_);
    open.placed = place_by_surrogates(x_, criterion_, split, rows, spare, how_.surrogates, team_);
    if constexpr (!JudgesRows<C> && !JudgesWithin<C>)
      open.placed.gain = gain_of(criterion_, open.total, split.left_sums);
    return open.placed.left;
  }

  // A histogram tells which codes occur, unless some rows add nothing to it.
  CodesSeen seen(const Open& open, std::uint32_t column) const {
    if constexpr (requires { criterion_.every_row_adds(); })
      if (!open.histogram.empty() && criterion_.every_row_adds())
        return codes_seen(open.histogram.data() + layout_.start[column] * width_, x_.columns[column].codes, width_);
    return codes_seen(x_, column, rows_of(open));
  }

  // What the children must keep to because of the splits above them.
  void pass_on(const Open& open, const Split& split, Open& left, Open& right) const {
    for (Open* child : {&left, &right}) {
      child->low = open.low, child->high = open.high, child->above = split.column;
      if (meeting_.limits()) child->groups = meeting_.below(open.groups, split.column);
    }
    if constexpr (HasBounds<C>) {
      const int direction = scan_.direction_of(split.column);
      if (direction == 0) return;
      const typename C::Bounded bounded{criterion_, open.low, open.high};
      const double middle = std::midpoint(bounded.value(left.total, criterion_.weight(left.total)),
                                          bounded.value(right.total, criterion_.weight(right.total)));
      (direction > 0 ? left.high : left.low) = middle;
      (direction > 0 ? right.low : right.high) = middle;
    }
  }

  // Whether one more node may wait with its histogram; one that may not counts again when its turn comes.
  bool may_keep(std::size_t waiting) const {
    return (waiting + 1) * layout_.bins() * width_ * sizeof(std::int64_t) <= kKeptHistograms;
  }

  bool is_pure(const Open& open) const {
    const auto rows = std::span<const Row>(rows_).subspan(open.first, open.rows());
    return std::ranges::all_of(rows, [&](Row r) { return criterion_.same(rows[0], r); });
  }

  // Into the tree: the split of a node that is in it, and its children.
  void write(const Open& open, Open& left, Open& right) {
    const Split& split = *open.split;
    left.node = add_node(left);
    right.node = add_node(right);
    Grown::Node& made = grown_.nodes[open.node];
    TreeNode& node = made.node;
    node.column = split.column;
    node.child = left.node;
    node.missing = split.missing_left ? 0 : 1;
    node.test = split.set ? Test::Set : Test::Threshold;
    node.ref = split.bin;
    made.gain = std::clamp(open.placed.gain.value_or(split.gain) * criterion_.gain_unit(), 0.0,
                           std::numeric_limits<double>::max());
    if (surrogates()) grown_.surrogates[open.node] = open.placed.stand_ins;
    if (split.set) node.ref = add_left_levels(split, x_.columns[split.column].codes, open.seen, grown_.sets);
    else made.threshold = split.threshold;
  }

 private:
  Grower(Place<C> place, const BinLayout& layout, GrowScratch& scratch, const GrowOptions& how, std::uint64_t seed,
         double all, Team team, Grown* into)
      : place_(place),
        layout_(layout),
        scratch_(scratch),
        how_(how),
        seed_(seed),
        all_(all),
        team_(team),
        width_(static_cast<std::size_t>(criterion_.width())),
        meeting_(how.together, x_.columns.size()),
        all_columns_(how.columns_per_node <= 0 && how.columns_per_level <= 0 && how.columns_per_tree <= 0 &&
                     how.together.empty()),
        scan_(place_, layout_, how_),
        grown_(into != nullptr ? *into : own_) {
    grown_.outputs = criterion_.outputs();
  }
  Grower(Place<C> place, const Grower& like, Team team, Grown* into)
      : Grower(place, like.layout_, like.scratch_, like.how_, like.seed_, like.all_, team, into) {}

  bool may_split(const Open& open) const {
    if (how_.max_depth > 0 && open.depth >= how_.max_depth) return false;
    if constexpr (RationsRows<C>)
      if (rations() && criterion_.least.of(rows_of(open)) < 2 * criterion_.least.needed()) return false;
    const double weight = criterion_.weight(open.total);
    return open.rows() >= 2 && weight >= how_.min_split && weight >= 2 * how_.min_leaf;
  }
  bool worth_it(const Split& split, const Open& open) const {
    if constexpr (JudgesWithin<C>)
      if (criterion_.refuses(open.total, split.gain)) return false;
    if (split.gain <= split.noise) return how_.zero_gain && how_.min_gain <= 0;
    return split.gain * criterion_.gain_unit() >= how_.min_gain * all_;
  }
  bool worth_full(std::size_t n) const { return !JudgesRows<C> && n > most_touched(x_, layout_.bins(), width_); }

  // The favourite among the splits of all columns, or of those drawn. Where the columns drawn offer nothing, further
  // ones are drawn, so that a node is not a leaf by bad luck.
  std::optional<Split> choose(const Open& open, bool full) {
    const double parent = scan_.score_of(open);
    const std::span<const std::uint32_t> columns = columns_for(open);
    const std::size_t tried =
        how_.columns_per_node > 0 ? static_cast<std::size_t>(how_.columns_per_node) : columns.size();
    Greedy best{.min_leaf = how_.min_leaf};
    found_.resize(std::min(tried, columns.size()));
    for (std::size_t from = 0; from < columns.size() && !best.any; from += tried) {
      const auto drawn = columns.subspan(from, std::min(tried, columns.size() - from));
      const std::size_t cells = full ? layout_.bins() * width_ : open.rows() * drawn.size();
      const bool in_turn = open.rows() <= kInTurn || works_alone(team_, cells);
      if (in_turn && !rations() && !surrogates()) {
        choose_in_turn(open, drawn, parent, best);
        continue;
      }
      for_columns(team_, cells, drawn.size(), [&](std::size_t i) {
        found_[i].restart(how_.min_leaf);
        scan_.offer(open, drawn[i], parent, own_scratch(scratch_.thread), found_[i]);
      });
      if (!rations())
        for (std::size_t i = 0; i < drawn.size(); ++i) best.merge(found_[i]);  // in the order drawn
      else merge_rationed(open, drawn, parent, best);
    }
    if (!best.any) return std::nullopt;
    settle(x_, best.chosen);
    return std::move(best.chosen);
  }
  // Most nodes of a tree grown to its end have a few rows, and some column divides them perfectly. No later one can do
  // better, and of equal splits the first is taken.
  void choose_in_turn(const Open& open, std::span<const std::uint32_t> drawn, double parent, Greedy& best) {
    for (const std::uint32_t column : drawn) {
      found_[0].restart(how_.min_leaf, best.any ? best.chosen.gain : kNoGain);
      scan_.offer(open, column, parent, own_scratch(scratch_.thread), found_[0]);
      best.merge(found_[0]);
      if (best.any && divides_perfectly(open, best.chosen)) return;
    }
  }
  bool divides_perfectly(const Open& open, const Split& split) const {
    if (open.rows() == 2) return true;
    if constexpr (requires { criterion_.divides(open.total, split.left_sums); })
      return criterion_.divides(open.total, split.left_sums);
    else return false;
  }
  bool rations() const {
    if constexpr (RationsRows<C>) return criterion_.least.any();
    else return false;
  }
  void merge_rationed(const Open& open, std::span<const std::uint32_t> drawn, double parent, Greedy& best) {
    if constexpr (RationsRows<C>) {
      const auto merge = [&](const auto& judge) {
        wald::merge_rationed(x_, rows_of(open), open.total, judge, how_, parent, drawn, std::span(found_), best);
      };
      if constexpr (HasBounds<C>)
        if (!how_.monotone.empty()) return merge(typename C::Bounded{criterion_, open.low, open.high});
      merge(criterion_);
    }
  }

  std::span<const Row> rows_of(const Open& open) const { return place_.rows_of(open); }
  bool surrogates() const { return how_.missing == MissingRule::Surrogates; }
  void count(Open& open) {
    open.histogram = scratch_.histograms.take(layout_.bins() * width_);
    counter().count(rows_of(open), &open.histogram, nullptr);
  }
  Counter<C> counter() const { return {x_, layout_, criterion_, scratch_.thread, team_}; }

  std::span<const std::uint32_t> columns_for(const Open& open) {
    if (!all_columns_ || columns_.empty())
      columns_of({open.depth, open.path, open.above}, open.groups, meeting_, how_, seed_, x_.columns.size(), columns_);
    return columns_;
  }

  const Place<C> place_;
  const Binned& x_ = place_.x;
  std::vector<Row>& rows_ = place_.rows;
  const C& criterion_ = place_.criterion;
  const BinLayout& layout_;
  GrowScratch& scratch_;
  const GrowOptions& how_;
  const std::uint64_t seed_;
  const double all_;  // weight of all rows
  const Team team_;
  const std::size_t width_;
  const Meeting meeting_;
  const bool all_columns_;  // every node may use every column
  NodeScan<C> scan_;
  Grown own_;
  Grown& grown_;
  std::vector<std::uint32_t> columns_;  // to be tried there
  std::vector<Greedy> found_;           // the favourite of each
};

}  // namespace wald::growing
