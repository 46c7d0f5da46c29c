// Forests: trees grown on samples of the rows, averaged (Breiman 1996, 2001; Geurts, Ernst and Wehenkel 2006; Wager and
// Athey 2018). docs/methods/forests.md derives them.
#pragma once
#include "learn/tree_options.h"
#include "prepare/bin.h"
#include "tree/grow_options.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

enum class Sample { Bootstrap, Subsample, All, Balanced };
inline std::vector<std::string> sample_words() { return {"bootstrap", "subsample", "all", "balanced"}; }
enum class Vote { Average, Majority };
inline std::vector<std::string> vote_words() { return {"average", "majority"}; }
inline std::vector<std::string> forest_missing_words() { return {"learn", "majority"}; }

struct ForestOptions : SaplingOptions {
  int trees = 256;  // a power of two: then shares of trees are exact
  Sample sample = Sample::Bootstrap;
  double rows = 0;          // 0 = auto
  double node_columns = 0;  // 0 = auto; below 1 a share, else how many
  bool honest = false;
  Vote vote = Vote::Average;
  std::string class_weights = "none";
  double smoothing = 0;
  int bins = 255;

  ForestOptions() {
    zero_gain = true;
    min_split = 0;  // auto
  }
};

template <class Struct>
constexpr auto forest_trees() {
  constexpr int kMost = 1'000'000;
  return std::tuple{
      NumberOption<Struct, int>{"trees", &Struct::trees, 1, kMost,
                                "trees to grow; with a power of two, shares of them are exact"},
      NumberOption<Struct, int>{"max-depth", &Struct::max_depth, 1, kMost, "longest path from the root to a leaf",
                                "none", 0},
      NumberOption<Struct, double>{"min-split", &Struct::min_split, 1, kUnlimited,
                                   "least rows of a node that is split; auto chooses from 2, 4, 8 ... 128 by the error "
                                   "out of bag; where no row is out of bag it is 2, for numbers 6",
                                   "auto", 0},
      NumberOption<Struct, double>{"min-leaf", &Struct::min_leaf, 0, kUnlimited,
                                   "least rows of a leaf, a row drawn twice counting twice"},
      NumberOption<Struct, double>{"min-gain", &Struct::min_gain, 0, kUnlimited,
                                   "least purity gain of a split, weighted by the node's share of all rows; above 0, "
                                   "splits that gain nothing are not taken"},
      ChoiceOption<Struct, Vote>{"vote", &Struct::vote, vote_words,
                                 "for classes: trees give the shares of their leaves, or one vote each"},
      class_weights_option<Struct>(),
      NumberOption<Struct, double>{"smoothing", &Struct::smoothing, 0, kMostSmoothing,
                                   "added to each class count in a leaf; 1 is Laplace's rule"},
      NumberOption<Struct, int>{"bins", &Struct::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins},
  };
}
// Of cuts that are sought: one that is drawn comes with a side for missing values, which is drawn too.
template <class Struct>
constexpr auto forest_missing() {
  return std::tuple{
      ChoiceOption<Struct, MissingRule>{"missing", &Struct::missing, forest_missing_words,
                                        "missing values go where they gain most, or with the heavier child"}};
}
template <class Struct>
constexpr auto forest_rows() {
  return std::tuple{
      ChoiceOption<Struct, Sample>{"sample", &Struct::sample, sample_words,
                                   "rows of a tree: drawn with repetition, without, all, or with repetition as many of "
                                   "each class as of the rarest"},
      NumberOption<Struct, double>{"rows", &Struct::rows, 1e-6, 1,
                                   "how many to draw, as a share of the rows; auto is 1, for subsample 0.632", "auto",
                                   0},
  };
}
template <class Struct>
constexpr auto forest_columns() {
  return std::tuple{ShareOption<Struct>{{"columns-per-node", &Struct::node_columns, kAboveZero, kUnlimited,
                                         "columns drawn for each node: a share below 1, or how many, so that 1 is a "
                                         "single one; auto is the root of their number for classes, a third of it for "
                                         "numbers",
                                         "auto", 0}}};
}

struct RandomForest : ForestOptions {
  static std::vector<SearchRange> searched() {
    return {{"columns-per-node", 0.05, 0.95}, {"min-leaf", 1, 20, true, true}, {"smoothing", 0.01, 3, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(forest_rows<RandomForest>(), forest_columns<RandomForest>(), forest_trees<RandomForest>(),
                          forest_missing<RandomForest>());
  }
};
struct Bagging : ForestOptions {
  Bagging() { node_columns = kUnlimited; }
  static std::vector<SearchRange> searched() {
    return {{"rows", 0.2, 1}, {"min-leaf", 1, 20, true, true}, {"smoothing", 0.01, 3, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(forest_rows<Bagging>(), forest_trees<Bagging>(), forest_missing<Bagging>());
  }
};
struct ExtraTrees : ForestOptions {
  ExtraTrees() {
    sample = Sample::All;
    random_cut = true;
  }
  static std::vector<SearchRange> searched() {
    return {{"columns-per-node", 0.05, 0.95}, {"min-leaf", 1, 20, true, true}, {"smoothing", 0.01, 3, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(forest_rows<ExtraTrees>(), forest_columns<ExtraTrees>(), forest_trees<ExtraTrees>());
  }
};
struct HonestForest : ForestOptions {
  HonestForest() {
    sample = Sample::Subsample;
    rows = 0.5;
    honest = true;
  }
  static std::vector<SearchRange> searched() {
    return {{"rows", 0.3, 0.95}, {"columns-per-node", 0.05, 0.95}, {"min-leaf", 1, 20, true, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{NumberOption<HonestForest, double>{
            "rows", &HonestForest::rows, 1e-6, 1,
            "share of the rows drawn for a tree: one half of them shapes it, the other fills its leaves"}},
        forest_columns<HonestForest>(), forest_trees<HonestForest>(), forest_missing<HonestForest>());
  }
};

Result<Model> fit_forest(const Task&, const ForestOptions&, const Run&, const Rounds&);

}  // namespace wald
