// The options that every learner of trees has, and what they mean to the grower.
#pragma once
#include <tuple>

#include "learn/options.h"
#include "prepare/bin.h"
#include "tree/grow_options.h"

namespace wald {

inline std::vector<std::string> order_words() { return {"depth", "level", "best"}; }
inline std::vector<std::string> missing_words() { return {"learn", "majority"}; }

template <class Struct>
constexpr TextOption<Struct> class_weights_option() {
  return {"class-weights", &Struct::class_weights, "none, balanced, or CLASS=WEIGHT,...",
          "what a row of each class counts, 1 where not named; balanced lets every class count the same"};
}

struct TreeOptions : GrowOptions {
  int bins = 255;
};

template <class Struct>
constexpr auto tree_options(
    std::vector<std::string> (*words)() = missing_words,
    std::string_view help = "missing values go where they gain most, or with the heavier child") {
  constexpr int kMost = std::numeric_limits<int>::max();
  return std::tuple{
      NumberOption<Struct, int>{"max-depth", &Struct::max_depth, 1, 1'000'000, "longest path from the root to a leaf",
                                "none", 0},
      NumberOption<Struct, std::int64_t>{"max-leaves", &Struct::max_leaves, 1, kMost, "most leaves of the tree", "none",
                                         0},
      NumberOption<Struct, double>{
          "min-split", &Struct::min_split, 0, kUnlimited,
          "least rows of a node that is split; weighted rows count by their weight, scaled to average 1"},
      NumberOption<Struct, double>{"min-leaf", &Struct::min_leaf, 0, kUnlimited,
                                   "least rows of a leaf; weighted rows count by their weight, scaled to average 1"},
      NumberOption<Struct, double>{"min-gain", &Struct::min_gain, 0, kUnlimited,
                                   "least purity gain of a split, weighted by the node's share of all rows"},
      ChoiceOption<Struct, bool>{"zero-gain", &Struct::zero_gain, yes_or_no,
                                 "also take splits that gain nothing by themselves (XOR needs one)"},
      NumberOption<Struct, int>{"columns-per-node", &Struct::columns_per_node, 1, kMost,
                                "columns drawn at random for each node", "all", 0},
      ChoiceOption<Struct, Order>{"order", &Struct::order, order_words,
                                  "which open node is split next; matters only with max-leaves"},
      ChoiceOption<Struct, MissingRule>{"missing", &Struct::missing, words, help},
      NumberOption<Struct, int>{"bins", &Struct::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins},
  };
}

}  // namespace wald
