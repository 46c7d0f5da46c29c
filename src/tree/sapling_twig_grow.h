// The loop of a twig over its nodes: of two children the left one is next and the right one waits, as in Grower.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "tree/grow_options.h"
#include "tree/sapling_block.h"
#include "tree/sapling_sink.h"
#include "tree/sapling_sums.h"
#include "tree/sapling_twig.h"

namespace wald::sapling {

class TwigGrower {
 public:
  template <class Scan>
  TwigGrower(const Scan& scan, const std::vector<CodeColumn>& columns, const Block& block, const SaplingOptions& how,
             std::uint64_t seed)
      : gini_(scan.gini()), columns_(columns), block_(block), total_(static_cast<std::size_t>(gini_.classes)) {
    rules_.columns = columns.size(), rules_.seed = seed;
    suits_ = suits(how);
    begin(how);
    if (!suits_) return;
    rows_.code.fill(0);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k].type != ColumnType::Category) continue;
      rules_.categories |= std::uint64_t{1} << k;
      for (const std::size_t at : {k, k + kTwigColumns})
        std::fill_n(rules_.level.data() + at * kTwigRows, kTwigRows, std::uint8_t{255});
    }
  }
  // For another tree.
  void begin(const SaplingOptions& how) {
    how_ = how;
    rules_.ahead = TwigRules::kNoneAhead, rules_.tree = how.tree;
    rules_.wanted = static_cast<std::size_t>(std::max(0, how.columns_per_node));
    rules_.least = static_cast<std::uint32_t>(std::ceil(std::clamp(how.min_leaf, 1.0, 2.0 * kTwigCount)));
  }

  // Everything below a node; all: as in Grower. False, and nothing is done, where the rows do not suit.
  template <class Entry>
  bool grow(std::uint32_t node, int depth, std::span<Entry> entries, double all, SaplingSink& sink) {
    const std::size_t rows = entries.size();
    if (!suits_ || rows > kTwigRows) return false;
    TwigNode now{.at = kInOrder, .rows = static_cast<std::uint32_t>(rows), .node = node, .depth = depth};
    now.count = take(std::span<const Entry>(entries));
    if (now.count > kTwigCount) return false;
    if (rows > 2 && may_split(now)) {
      turn_twig(rows_, rows, rules_.columns);
      if (rows_.missing != 0 && !told_apart(rows_.missing)) return false;
    }
    least_gain_ = how_.min_gain * all;
    std::size_t waiting = 0;
    for (;;) {
      while (divide(now, waiting_[waiting], sink)) ++waiting;
      if (waiting == 0) return true;
      now = waiting_[--waiting];
    }
  }

 private:
  // What a leaf says that is not of one class alone.
  struct Leaf {
    const Gini& gini;
    std::span<const std::int64_t> total;
    double all;
    double weight() const { return all; }
    void leaf(std::span<double> out) const { gini.leaf(total, out); }
  };
  static constexpr std::array<std::uint8_t, kTwigRows> kInOrder = [] {
    std::array<std::uint8_t, kTwigRows> out{};
    for (std::uint8_t i = 0; i < kTwigRows; ++i) out[i] = i;
    return out;
  }();

  bool suits(const SaplingOptions& how) const {
    if (!block_.by_rows() || columns_.size() > kTwigColumns || how.random_cut || how.missing != MissingRule::Learn)
      return false;
    if (how.columns_per_node <= 0 || static_cast<std::size_t>(how.columns_per_node) >= columns_.size()) return false;
    const auto is_new = [&](const CodeColumn& c) {  // levels are in one order for two classes only
      return c.type == ColumnType::Category && (gini_.classes > 2 || c.codes > 255);
    };
    return twigs_pay() && std::ranges::none_of(columns_, is_new);
  }

  // The rows, class by class; gives what they count for.
  std::uint32_t take(std::span<const ClassEntry> entries) {
    std::uint32_t last = kNoCode, count = 0;
    std::size_t k = ~std::size_t{0}, i = 0;
    for (const ClassEntry e : entries) {  // without a branch on whether the class is a new one
      k += e.label != last, last = e.label;
      class_[k] = e.label;
      put(i++, e.place, k, e.count);
      count += e.count;
    }
    return count;
  }
  // The second class from the end on: nobody asks in which order the rows of a class are.
  std::uint32_t take(std::span<const TwoEntry> entries) {
    std::uint32_t count = 0;
    std::size_t first = 0, second = entries.size();
    class_[0] = 0, class_[1] = 1;
    for (const TwoEntry e : entries) {
      const std::size_t k = class_of(e);
      const auto here = static_cast<std::uint32_t>(e.weight());
      put(k == 0 ? first : second - 1, e.place, k, here);
      first += 1 - k, second -= k;
      count += here;
    }
    return count;
  }
  void put(std::size_t i, std::uint32_t place, std::size_t label, std::uint32_t count) {
    rows_.row[i] = block_.codes() + place;
    rows_.label[i] = static_cast<std::uint8_t>(label), rows_.count[i] = static_cast<std::uint8_t>(count);
  }
  // Whether missing values can have the code 255 to themselves.
  bool told_apart(std::uint64_t missing) const {
    for (std::uint64_t bits = missing; bits != 0; bits &= bits - 1)
      if (columns_[static_cast<std::size_t>(std::countr_zero(bits))].codes > 255) return false;
    return true;
  }

  bool pure(const TwigNode& node) const { return rows_.label[node.at[0]] == rows_.label[node.at[node.rows - 1]]; }
  bool may_split(const TwigNode& node) const {
    const double weight = node.count;
    return node.rows > 1 && !(how_.max_depth > 0 && node.depth >= how_.max_depth) && weight >= how_.min_split &&
           weight >= 2 * how_.min_leaf && !pure(node);
  }
  bool worth_it(const Offer& offer) const {
    if (offer.gain() <= offer.noise()) return how_.zero_gain && how_.min_gain <= 0;
    return offer.gain() >= least_gain_;
  }
  // Says whether the node was divided; then it is its left child, to be visited next.
  bool divide(TwigNode& node, TwigNode& right, SaplingSink& sink) {
    if (may_split(node)) {
      choose_twig(rows_, node, rules_, cut_);
      const double wl = cut_.left_all, wr = cut_.all - cut_.left_all;
      const Offer offer{cut_.left_squares / wl, cut_.right_squares / wr, cut_.squares / (wl + wr), wl, wr};
      if (cut_.any && worth_it(offer)) {
        split(node, right, offer, sink);
        return true;
      }
    }
    leaf(node, sink);
    return false;
  }
  void split(TwigNode& node, TwigNode& right, const Offer& offer, SaplingSink& sink) {
    const CodeColumn& column = columns_[cut_.column];
    const bool missing_left = cut_.has_missing ? !cut_.missing_right : offer.left_weight >= offer.right_weight;
    const bool set = column.type == ColumnType::Category;
    const std::uint32_t ref =
        set ? put_set(column, node, missing_left, sink.sets()) : SaplingSink::gap_of(cut_.bin, cut_.next, column.codes);
    const std::uint32_t child =
        sink.split(node.node, set ? Test::Set : Test::Threshold, column.number, ref, missing_left, offer.gain());
    right.at = cut_.right_at, right.rows = node.rows - cut_.left_rows, right.count = cut_.all - cut_.left_all;
    node.at = cut_.left_at, node.rows = cut_.left_rows, node.count = cut_.left_all;
    node.node = child, right.node = child + 1;
    right.depth = ++node.depth;
  }
  // Levels that no row of the node has follow the missing values.
  std::uint32_t put_set(const CodeColumn& column, const TwigNode& node, bool missing_left,
                        std::vector<std::uint64_t>& sets) const {
    const auto levels = static_cast<std::size_t>(column.codes - 1), words = (levels + 63) / 64, at = sets.size();
    sets.resize(at + words);
    std::uint64_t present[4] = {}, left[4] = {};
    for (std::size_t i = 0; i < node.rows; ++i) {
      const std::uint32_t code = rows_.row[node.at[i]][cut_.column], level = code - 1;
      if (code == 0) continue;
      present[level / 64] |= std::uint64_t{1} << (level % 64);
      left[level / 64] |= std::uint64_t{cut_.left >> i & 1} << (level % 64);
    }
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t all = levels - w * 64 < 64 ? (std::uint64_t{1} << (levels - w * 64)) - 1 : ~std::uint64_t{0};
      sets[at + w] = left[w] | (missing_left ? all & ~present[w] : 0);
    }
    return static_cast<std::uint32_t>(at);
  }
  void leaf(const TwigNode& node, SaplingSink& sink) {
    if (gini_.smoothing == 0 && pure(node))
      return sink.leaf_of_class(node.node, class_[rows_.label[node.at[0]]], node.count);
    std::ranges::fill(total_, 0);
    for (std::size_t i = 0; i < node.rows; ++i) total_[class_[rows_.label[node.at[i]]]] += rows_.count[node.at[i]];
    sink.leaf(node.node, Leaf{gini_, total_, static_cast<double>(node.count)});
  }

  const Gini& gini_;
  const std::vector<CodeColumn>& columns_;
  const Block& block_;
  bool suits_ = false;
  SaplingOptions how_;
  double least_gain_ = 0;
  TwigRows rows_;
  TwigRules rules_;
  TwigCut cut_;
  std::array<TwigNode, kTwigRows> waiting_;
  std::array<std::uint16_t, kTwigRows> class_;  // what the labels stand for
  std::vector<std::int64_t> total_;
};

}  // namespace wald::sapling
