// The loop of grow_sapling() over open nodes.
#pragma once
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "tree/sapling.h"
#include "tree/sapling_block.h"
#include "tree/sapling_rows.h"

namespace wald::sapling {

// One cut, drawn between the least and the greatest value among the occupied codes; of levels a random part of them.
void draw_cut(const CodeColumn&, std::span<std::uint16_t> occupied, RandomSeries&, Split&);

constexpr std::size_t kBlockRows = 512;

// Sink: where the nodes go. It numbers them, children side by side. Twigs: who finishes subtrees of few rows.
template <class Scan, class Sink, class Twigs = NoTwigs>
class Grower {
 public:
  using Entry = typename Scan::Entry;

  // all: the weight that least gains are shares of; below 0: that of the first rows grown.
  // block_rows: the most of a block.
  Grower(const Binned& x, Scan scan, Sink sink, const SaplingOptions& how, std::uint64_t seed,
         std::size_t block_rows = kBlockRows, double all = -1)
      : scan_(std::move(scan)),
        sink_(std::move(sink)),
        how_(how),
        seed_(seed),
        columns_(code_columns(x)),
        order_(columns_.size()),
        place_(x.columns.size()),
        varied_(columns_.size()),
        orders_(looks_at_many(how, columns_.size())),
        block_(x.by_rows, columns_, orders_, block_rows),
        twigs_(scan_, columns_, block_, how, seed),
        all_(all) {
    std::iota(order_.begin(), order_.end(), 0u);
    int most = 1;
    for (std::uint32_t k = 0; k < columns_.size(); ++k)
      most = std::max(most, columns_[k].codes), place_[columns_[k].number] = k;
    touched_.resize(most);
    if (orders_) at_place_.resize(block_rows);
  }
  Sink& sink() { return sink_; }
  Scan& scan() { return scan_; }
  // For another tree of the same table.
  void begin(const SaplingOptions& how, double all) { how_ = how, all_ = all, twigs_.begin(how); }

  // Everything below a node of the sink, from the rows that reach it.
  template <class Rows>
  void grow(std::uint32_t root, int depth, const Rows& rows) {
    leave_block();
    entries_.resize(rows.size());
    std::ranges::transform(rows, entries_.begin(), [this](const auto& row) { return scan_.entry(drawn(row)); });
    constexpr std::size_t kBehind = std::max(kDividedEntries, Block::kAtOnce);
    if (spare_.size() < entries_.size() + kBehind) spare_.resize(entries_.size() + kBehind);
    if constexpr (kByClass) group_classes(entries_, spare_);
    varied_.begin();
    push({root, depth, 0, entries_.size()}, false);
    while (!open_.empty()) {
      Open open = open_.back();
      open_.pop_back();
      varied_.take(open_.size(), open.ordered);
      while (visit(open)) {}
    }
  }
  // Those grown from, leaf by leaf, where they fit a block.
  void put_rows(std::span<Row> rows) const {
    if (in_block_) return block_.put_rows(std::span<const Entry>(entries_), rows.data());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = entries_[i].place;
  }

 private:
  static constexpr bool kByClass = Sink::kAnyOrder && requires { requires Scan::kGrouped; };
  // Whether a leaf of one class is told by that class, and a perfect split gives two such leaves.
  static constexpr bool kKnowsLeaves = requires(Scan scan, Sink sink) {
    scan.pure_say_class();
    sink.leaf_of_class(0, 0, 1.0);
  };
  // Whether the two sums of a node follow from the split above it.
  static constexpr bool kKnowsSums = requires(const Scan scan) { scan.total(); };
  static constexpr std::size_t kUnordered = 2;  // so few rows are put in order where they are looked at
  static constexpr std::size_t kOrdersPay = 2;  // where a node looks at this part of the columns or more
  struct Open {
    std::uint32_t node = 0;
    int depth = 0;
    std::size_t first = 0, last = 0;
    bool ordered = false;  // the block's orders hold for its rows
    std::int64_t sums[2] = {0, 0};
    bool summed = false;  // sums: of its rows, where the scan wants to know and its parent has told
  };

  static bool looks_at_many(const SaplingOptions& how, std::size_t columns) {
    const auto drawn = static_cast<std::size_t>(std::max(0, how.columns_per_node));
    return !how.random_cut && (drawn == 0 || drawn * kOrdersPay >= columns);
  }
  void push(const Open& open, bool right) {
    varied_.give(open_.size(), open.ordered, right);
    open_.push_back(open);
  }

  static Drawn drawn(const Drawn& row) { return row; }
  static Drawn drawn(Row row) { return {row, 1}; }

  // Says whether the node was divided; then it is its left child, to be visited next.
  bool visit(Open& open) {
    const std::span<Entry> entries = std::span(entries_).subspan(open.first, open.last - open.first);
    if (in_block_ && open_.size() < block_level_) leave_block();
    if (!in_block_ && entries.size() <= block_.most_rows() && entries.size() > kUnordered)
      open.ordered = enter_block(open.first, entries);
    if (in_block_ && all_ >= 0 && twigs_.grow(open.node, open.depth, entries, all_, sink_)) return false;
    open_scan(open, entries);
    if (all_ < 0) all_ = scan_.weight();
    sink_.visit(open.node, scan_, open.first, open.last);
    if (may_split(open, entries.size())) {
      choose(open);
      if (choice_.greedy.any && worth_it(choice_.greedy.chosen)) {
        if constexpr (kKnowsLeaves)
          if (scan_.pure_say_class() && perfect()) {
            make_leaves(open, entries);
            return false;
          }
        divide(open, entries);
        return true;
      }
    }
    sink_.leaf(open.node, scan_);
    return false;
  }

  void open_scan(const Open& open, std::span<const Entry> entries) {
    const NodeRows<Entry, typename Scan::Part> rows{
        entries,  open.ordered ? at_place_.data() : nullptr,        open.first - block_first_, varied_.rare(),
        kByClass, in_block_ && orders_ ? at_place_.data() : nullptr};
    if constexpr (kKnowsSums) scan_.open(rows, open.summed ? open.sums : nullptr);
    else scan_.open(rows);
  }
  // Open nodes are taken from the top of a stack: below the level at which a subtree was begun, it is finished.
  // Says whether it has orders.
  bool enter_block(std::size_t first, std::span<Entry> entries) {
    in_block_ = true, block_level_ = open_.size(), block_first_ = first;
    if (orders_) std::ranges::transform(entries, at_place_.begin(), [this](const Entry& e) { return scan_.part(e); });
    block_.take(entries, varied_);
    now_ = &block_.columns();
    return orders_;
  }
  void leave_block() {
    in_block_ = false;
    now_ = &columns_;
  }

  bool at_end(int depth) const { return how_.max_depth > 0 && depth >= how_.max_depth; }
  bool may_split(const Open& open, std::size_t rows) const {
    if (rows < 2 || at_end(open.depth)) return false;
    if constexpr (requires { scan_.may_divide(); })
      if (!scan_.may_divide()) return false;
    const double weight = scan_.weight();
    return weight >= how_.min_split && weight >= 2 * how_.min_leaf && !scan_.pure();
  }
  bool worth_it(const Split& split) const {
    if (split.gain <= split.noise) return how_.zero_gain && how_.min_gain <= 0;
    return split.gain * scan_.gain_unit() >= how_.min_gain * all_;
  }

  // As in grow(): where the columns drawn offer nothing, further ones are drawn. Most nodes have a few rows, and some
  // column divides them perfectly: no later one can do better, and of equal splits the first is taken.
  void choose(const Open& open) {
    choice_.greedy.any = false, choice_.greedy.min_leaf = how_.min_leaf;
    choice_.rule = how_.missing, choice_.parent = scan_.score(), choice_.right_of = kNoCode;
    most_ = open.last - open.first == 2 ? 0 : scan_.most_gain();
    if constexpr (requires(const CodeColumn& column) { scan_.consider(column, choice_); }) choose_promising(open);
    else choose_in_turn(open);
  }
  void choose_in_turn(const Open& open) {
    RandomSeries draws(seed_, Purpose::Sapling, how_.tree, open.node);
    const auto wanted = static_cast<std::size_t>(std::max(0, how_.columns_per_node));
    if (wanted > 0 && wanted < order_.size()) return choose_drawn(open, wanted, draws);
    varied_.each([&](std::size_t c) {
      look_at(c, open, draws);
      return !perfect();
    });
  }
  // Two rows are divided alike by any column.
  void choose_promising(const Open& open) {
    const bool first_will_do = open.last - open.first == 2;
    varied_.each([&](std::size_t c) {
      if (!scan_.consider((*now_)[c], choice_)) varied_.drop(c);
      if (first_will_do) scan_.choose(choice_);
      return !first_will_do || !perfect();
    });
    scan_.choose(choice_);
  }
  void choose_drawn(const Open& open, std::size_t wanted, RandomSeries& draws) {
    swapped_.clear();
    const auto draw = [&] {
      const std::size_t i = swapped_.size();
      swapped_.push_back(static_cast<std::uint32_t>(i) + draws.below(order_.size() - i));
      std::swap(order_[i], order_[swapped_.back()]);
      return order_[i];
    };
    if constexpr (requires { scan_.look_ahead(ahead_); })
      if (scan_.looks_ahead() && !how_.random_cut) {
        const std::size_t passes = (wanted + Scan::kTogether - 1) / Scan::kTogether,
                          most = (wanted + passes - 1) / passes;
        while (swapped_.size() < wanted && !perfect()) {
          ahead_.clear();
          std::size_t counted = 0;
          while (swapped_.size() < wanted && counted < most)
            if (const std::uint32_t c = draw(); varied_.has(c)) {
              ahead_.push_back(&(*now_)[c]);
              counted += !scan_.by_bits(*ahead_.back());
            }
          scan_.look_ahead(ahead_);
          for (const CodeColumn* column : ahead_)
            if (!perfect()) look_at(column->index, open, draws);
        }
      }
    while (swapped_.size() < order_.size() && (swapped_.size() < wanted || !choice_.greedy.any) && !perfect())
      if (const std::uint32_t c = draw(); varied_.has(c)) look_at(c, open, draws);
    for (std::size_t i = swapped_.size(); i-- > 0;) std::swap(order_[i], order_[swapped_[i]]);
  }
  void look_at(std::size_t c, const Open& open, RandomSeries& draws) {
    const CodeColumn& column = (*now_)[c];
    if (open.last - open.first == 2) {
      const Entry &a = entries_[open.first], &b = entries_[open.first + 1];
      if (alike(column, a, b)) return;
      if constexpr (kKnowsLeaves)
        if (!how_.random_cut && offer_two(column, a, b)) return;
    }
    if (!try_column(column, open, draws)) varied_.drop(c);
  }
  // Says whether there are two different codes.
  bool try_column(const CodeColumn& column, const Open& open, RandomSeries& draws) {
    if constexpr (requires { scan_.judge(column, goes_, choice_, random_); })
      if (how_.random_cut) return try_random(column, open, draws);
    return scan_.scan(column, choice_);
  }

  static bool alike(const CodeColumn& column, const Entry& a, const Entry& b) {
    return with_codes(column, [&](const auto* code) { return code[a.place] == code[b.place]; });
  }
  // Two rows of different classes and codes, each of which counts: there is one cut between them. False where it is not
  // told so easily.
  bool offer_two(const CodeColumn& column, const Entry& a, const Entry& b) {
    if (column.type != ColumnType::Number) return false;
    const auto code_of = [&](const Entry& e) {
      return with_codes(column, [&](const auto* code) { return std::uint32_t{code[e.place]}; });
    };
    const std::uint32_t first = code_of(a), second = code_of(b);
    if (first == 0 || second == 0) return false;
    const bool in_order = first < second;
    const auto wl = static_cast<double>((in_order ? a : b).weight()),
               wr = static_cast<double>((in_order ? b : a).weight());
    if (!choice_.greedy.admits(wl, wr)) return true;
    Split* split = choice_.greedy.offer({wl, wr, choice_.parent, wl, wr});
    if (split == nullptr) return true;
    split->column = column.number, split->missing_left = wl >= wr;
    split->bin = std::min(first, second), split->next = std::max(first, second);
    return true;
  }
  bool perfect() const {
    const Split& best = choice_.greedy.chosen;
    return choice_.greedy.any && best.gain >= most_ - best.noise / 2;
  }

  bool try_random(const CodeColumn& column, const Open& open, RandomSeries& draws) {
    with_codes(column, [&](const auto* code) {
      for (std::size_t i = open.first; i < open.last; ++i) touched_.add(code[entries_[i].place]);
    });
    touched_.take(codes_);
    if (codes_.size() < 2) return false;
    random_.column = column.number;
    draw_cut(column, codes_, draws, random_);
    goes_.set(random_, column.codes);
    scan_.judge(column, goes_, choice_, random_);
    return true;
  }

  // Of a split that leaves one class on each side: neither child need be looked at.
  void make_leaves(const Open& open, std::span<const Entry> entries) {
    Split& split = choice_.greedy.chosen;
    const CodeColumn& column = (*now_)[place_[split.column]];
    goes_.set(split, column.codes);
    std::int64_t weight[2] = {0, 0};  // on the right, on the left
    std::size_t label[2] = {0, 0};
    with_codes(column, [&](const auto* code) {
      goes_.with([&](auto test) {
        for (const Entry& e : entries) {
          const bool to_left = test(code[e.place]);
          weight[to_left] += e.weight(), label[to_left] = class_of(e);
        }
      });
    });
    if (split.set) put_set(column, split, entries);
    const std::uint32_t child = sink_.split(open.node, split, column.codes, set_at_, scan_.gain_unit());
    sink_.leaf_of_class(child, label[1], static_cast<double>(weight[1]));
    sink_.leaf_of_class(child + 1, label[0], static_cast<double>(weight[0]));
  }

  // Of the children the left one takes the node's place; what is known of the columns holds for it as it is.
  void divide(Open& open, std::span<Entry> entries) {
    Split& split = choice_.greedy.chosen;
    const CodeColumn& column = (*now_)[place_[split.column]];
    goes_.set(split, column.codes);
    const std::size_t middle = open.first + part(column, split, entries, open.ordered);
    if (split.set) put_set(column, split, entries);
    const std::uint32_t child = sink_.split(open.node, split, column.codes, set_at_, scan_.gain_unit());
    Open left{child, open.depth + 1, open.first, middle}, right{child + 1, open.depth + 1, middle, open.last};
    if constexpr (kKnowsSums)
      for (std::size_t k = 0; k < 2; ++k) {
        left.sums[k] = split.left_sums[k], right.sums[k] = scan_.total()[k] - split.left_sums[k];
        left.summed = right.summed = true;
      }
    left.ordered = open.ordered && wants_order(left), right.ordered = open.ordered && wants_order(right);
    if (left.ordered || right.ordered)
      block_.divide(
          {open.first - block_first_, middle - block_first_, open.last - block_first_, left.ordered, right.ordered},
          column, split, varied_);
    push(right, true);
    open = left;
  }
  std::size_t part(const CodeColumn& column, const Split& split, std::span<Entry> entries, bool ordered) {
    if constexpr (sizeof(Entry) == sizeof(Entry::place))
      if (ordered && block_.mark(column, split))
        return block_.divide({&entries.data()->place, entries.size()}, &spare_.data()->place);
    std::uint8_t* const marks = ordered ? block_.goes_left() : nullptr;
    std::size_t left = 0;
    with_codes(column, [&](const auto* code) {
      goes_.with([&](auto test) { left = divide_marked(entries, spare_.data(), code, marks, test); });
    });
    return left;
  }

  // A child of one class, or that will not be split as far as that is told beforehand, or of so few rows that they are
  // quickly put in order, needs none.
  bool wants_order(const Open& child) const {
    const std::size_t rows = child.last - child.first;
    if (rows <= kUnordered || at_end(child.depth) || (Scan::kMostIsPure && perfect())) return false;
    if constexpr (kKnowsSums) return scan_.may_divide(rows, child.sums, std::max(how_.min_split, 2 * how_.min_leaf));
    else return true;
  }

  void put_set(const CodeColumn& column, const Split& split, std::span<const Entry> entries) {
    std::vector<std::uint64_t>& sets = sink_.sets();
    set_at_ = static_cast<std::uint32_t>(sets.size());
    sets.resize(sets.size() + (static_cast<std::size_t>(column.codes - 1) + 63) / 64);
    const bool known = choice_.right_of == split.column;
    put_levels(column, split, entries, known ? &choice_.right_levels : nullptr, sets.data() + set_at_);
  }

  Scan scan_;
  Sink sink_;
  SaplingOptions how_;
  const std::uint64_t seed_;
  const std::vector<CodeColumn> columns_;
  const std::vector<CodeColumn>* now_ = &columns_;  // where the codes of the open node's rows are
  std::vector<std::uint32_t> order_, swapped_;      // columns as they are drawn; in ascending order between nodes
  std::vector<const CodeColumn*> ahead_;            // drawn, and not yet looked at
  std::vector<std::uint32_t> place_;                // of a column of the table in columns_
  Varied varied_;
  bool orders_;  // whether blocks have them
  Block block_;
  Twigs twigs_;
  bool in_block_ = false;
  std::size_t block_level_ = 0, block_first_ = 0;
  std::vector<typename Scan::Part> at_place_;  // of a block that has
  double most_ = 0;                            // that a split of the open node can gain
  std::vector<Entry> entries_, spare_;
  std::vector<Open> open_;
  double all_;  // weight of all rows; below 0: not yet known
  Choice choice_;
  Split random_;
  Goes goes_;
  Touched touched_;
  std::vector<std::uint16_t> codes_;
  std::uint32_t set_at_ = 0;
};

}  // namespace wald::sapling
