// Gradient boosting with second derivatives (Friedman 2001; Chen and Guestrin 2016). docs/methods/boosting.md derives
// it.
#pragma once
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

enum class LossName {
  Auto,
  Squared,
  Absolute,
  Huber,
  Quantile,
  Logistic,
  Softmax,
  Exponential,
  Poisson,
  Gamma,
  Tweedie,
  Cox,
  Ndcg,
  Map
};
// Those that have a value to lower, and then those that rank: a learner that needs the value takes the first.
inline std::vector<std::string> valued_loss_words() {
  return {"auto",    "squared",     "absolute", "huber", "quantile", "logistic",
          "softmax", "exponential", "poisson",  "gamma", "tweedie",  "cox"};
}
inline std::vector<std::string> loss_words() {
  std::vector<std::string> out = valued_loss_words();
  out.insert(out.end(), {"ndcg", "map"});
  return out;
}

// What says and shapes a loss: options of every learner that descends one.
struct LossOptions {
  LossName loss = LossName::Auto;
  std::string quantile = "0.5";  // or several: read_quantiles
  double huber_width = 0;        // auto
  double tweedie_power = 1.5;
};

template <class Struct>
constexpr auto loss_options(std::string_view quantiles, std::string_view quantile_help) {
  return std::tuple{TextOption<Struct>{"quantile", &Struct::quantile, quantiles, quantile_help},
                    NumberOption<Struct, double>{
                        "huber-width", &Struct::huber_width, kAboveZero, std::numeric_limits<double>::max(),
                        "where --loss huber turns from squared to absolute; auto is exceeded by one tenth of the "
                        "targets' distances from their median",
                        "auto", 0},
                    NumberOption<Struct, double>{"tweedie-power", &Struct::tweedie_power, 1.001, 1.999,
                                                 "of the mean in the variance, for --loss tweedie"}};
}

enum class Sampling { Uniform, Gradient };
inline std::vector<std::string> sampling_words() { return {"uniform", "gradient"}; }

enum class BoostLeaf { Constant, Linear };
inline std::vector<std::string> boost_leaf_words() { return {"constant", "linear"}; }

struct Boost : TreeOptions, LossOptions {
  int trees = 2000;  // rounds; with several classes each round grows a tree for each
  double learning_rate = 0.05;
  double l1 = 0, l2 = 1;
  double max_step = kUnlimited;
  double least_rows = 1;  // of a leaf; min_leaf, the grower's, is the least sum of second derivatives
  int one_against_rest = 4, max_levels = 4;
  double min_level = 10, level_smoothing = 10, level_l2 = 0, sure_level = 100;
  double rows = 0.8;
  Sampling sampling = Sampling::Uniform;
  double columns = 0, level_columns = 0, node_columns = 0.5;  // 0 = all; below 1 a share, else how many
  double drop = 0;
  int early_stop = 40;
  int stop_parts = 5, stop_trials = 0;
  bool vector_leaves = false;
  BoostLeaf leaf = BoostLeaf::Constant;
  double ridge = 1;
  int leaf_terms = 8;
  std::string class_weights = "none";
  std::string monotone_words = "none", interaction_words = "none";
  double start = kUnlimited;  // auto
  int rank_at = 10;
  int gradient_bits = 0;  // auto

  // The grower weighs nodes by second derivatives, of which min_leaf alone says how many they need.
  Boost() { max_leaves = 31, min_split = 0; }

  static std::vector<SearchRange> searched() {
    return {{"learning-rate", 0.01, 0.2, true},
            {"max-leaves", 4, 256, true, true},
            {"min-hessian", 0.01, 30, true},
            {"l2", 0.01, 100, true},
            {"rows", 0.4, 1},
            {"columns-per-node", 0.15, 0.95},
            {"level-l2", 1, 100, true}};
  }
  // How a category is divided.
  static constexpr auto levels_options() {
    constexpr int kMost = std::numeric_limits<int>::max();
    return std::tuple{
        NumberOption<Boost, int>{"one-against-rest", &Boost::one_against_rest, 0, kMost,
                                 "a category of so many levels in a node, or fewer, has one of them cut off; more are "
                                 "divided in two sets"},
        NumberOption<Boost, double>{"min-level", &Boost::min_level, 0, kUnlimited,
                                    "levels of fewer rows in a node stay together when it is divided by sets"},
        NumberOption<Boost, double>{"level-smoothing", &Boost::level_smoothing, 0, kUnlimited,
                                    "average rows of the node added to each level before levels are sorted for sets"},
        NumberOption<Boost, double>{"level-l2", &Boost::level_l2, 0, kUnlimited,
                                    "added to l2 when two sets of levels are judged"},
        NumberOption<Boost, int>{"max-levels", &Boost::max_levels, 1, kMost, "most levels in the smaller of two sets",
                                 "all", 0},
        NumberOption<Boost, double>{"sure-level", &Boost::sure_level, 0, kUnlimited,
                                    "rows of a level that counts as one of --max-levels; one of twice as many counts "
                                    "as half",
                                    "none", kUnlimited}};
  }
  static constexpr auto leaves_options() {
    return std::tuple{
        ChoiceOption<Boost, BoostLeaf>{
            "leaf", &Boost::leaf, boost_leaf_words,
            "what a leaf adds: a number, or a linear function of the columns of numbers asked "
            "on the way to it"},
        NumberOption<Boost, double>{"ridge", &Boost::ridge, 0, kUnlimited,
                                    "penalty on the slopes of --leaf linear, in second derivatives"},
        NumberOption<Boost, int>{"leaf-terms", &Boost::leaf_terms, 1, 1000, "most columns in a leaf of --leaf linear"},
        ChoiceOption<Boost, bool>{
            "vector-leaves", &Boost::vector_leaves, yes_or_no,
            "one tree a round for all classes, targets or quantiles, instead of one for each; two classes have one "
            "already"}};
  }
  static constexpr auto rounds_options() {
    constexpr int kMost = std::numeric_limits<int>::max();
    return std::tuple{
        ChoiceOption<Boost, LossName>{
            "loss", &Boost::loss, loss_words,
            "what to minimise; auto is logistic or softmax for classes, ndcg where there is a "
            "query, else squared"},
        NumberOption<Boost, int>{"trees", &Boost::trees, 1, 1'000'000,
                                 "most rounds; each grows a tree, or one for each of several classes or targets"},
        NumberOption<Boost, double>{"learning-rate", &Boost::learning_rate, 1e-6, 1,
                                    "how much of each tree's step is taken"},
        NumberOption<Boost, int>{"early-stop", &Boost::early_stop, 1, kMost,
                                 "stop when this many rounds bring nothing on rows held out; none grows all trees",
                                 "none", 0},
        NumberOption<Boost, int>{"stop-parts", &Boost::stop_parts, 2, 1000,
                                 "parts the rows are divided into; one of them is held out to find the best round"},
        NumberOption<Boost, int>{"stop-trials", &Boost::stop_trials, 1, 1000,
                                 "how many of the parts are held out, one after another; auto is all below 5,000 "
                                 "rows, else one",
                                 "auto", 0},
        NumberOption<Boost, int>{"max-depth", &Boost::max_depth, 1, 1'000'000, "longest path from the root to a leaf",
                                 "none", 0},
        NumberOption<Boost, std::int64_t>{"max-leaves", &Boost::max_leaves, 1, kMost, "most leaves of a tree", "none",
                                          0},
        ChoiceOption<Boost, Order>{"order", &Boost::order, order_words,
                                   "which open node is split next; matters only with max-leaves"},
        NumberOption<Boost, double>{"l1", &Boost::l1, 0, kUnlimited, "shrinks the sum of first derivatives of a leaf"},
        NumberOption<Boost, double>{"l2", &Boost::l2, 0, kUnlimited,
                                    "added to the sum of second derivatives of a leaf"},
        NumberOption<Boost, double>{"max-step", &Boost::max_step, 0, std::numeric_limits<double>::max(),
                                    "largest value of a leaf before the learning rate; for ranking and losses on a "
                                    "logarithmic scale at most 1, for exponential 2; not with --leaf linear",
                                    "none", kUnlimited},
        NumberOption<Boost, double>{"min-hessian", &Boost::min_leaf, 0, kUnlimited,
                                    "least sum of second derivatives of a leaf"},
        NumberOption<Boost, double>{"min-leaf", &Boost::least_rows, 0, kUnlimited,
                                    "least rows of a leaf; weighted rows count by their weight, scaled to average 1"},
        NumberOption<Boost, double>{"min-gain", &Boost::min_gain, 0, kUnlimited,
                                    "least fall of the loss that a split must bring"},
        NumberOption<Boost, double>{"rows", &Boost::rows, 1e-6, 1, "share of the rows drawn for each round"},
        ChoiceOption<Boost, Sampling>{"sampling", &Boost::sampling, sampling_words,
                                      "all rows alike, or by the size of their derivatives, weighted back"},
        ShareOption<Boost>{{"columns", &Boost::columns, kAboveZero, kUnlimited,
                            "columns drawn for each tree: a share below 1, or how many, so that 1 is a single one",
                            "all", 0}},
        ShareOption<Boost>{{"columns-per-level", &Boost::level_columns, kAboveZero, kUnlimited,
                            "columns drawn for each level out of those of the tree, likewise", "all", 0}},
        ShareOption<Boost>{{"columns-per-node", &Boost::node_columns, kAboveZero, kUnlimited,
                            "columns drawn for each node out of those of its level, likewise", "all", 0}},
        TextOption<Boost>{"monotone", &Boost::monotone_words, "none, or COLUMN=up,COLUMN=down,...",
                          "columns of numbers with which the prediction never falls, or never rises; for one "
                          "target, and not for --loss softmax, absolute and quantile nor --leaf linear"},
        TextOption<Boost>{"interactions", &Boost::interaction_words, "none, or COLUMN+COLUMN,...",
                          "groups of columns that may act together; columns of different groups may not"},
        NumberOption<Boost, double>{"drop", &Boost::drop, 0, 0.99,
                                    "share of the trees left out while the next is grown (DART); not with --continue"}};
  }
  static constexpr auto losses_options() {
    constexpr int kMost = std::numeric_limits<int>::max();
    return std::tuple{
        class_weights_option<Boost>(),
        NumberOption<Boost, double>{
            "start", &Boost::start, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max(),
            "the first prediction, before any tree; auto is the best constant one", "auto", kUnlimited},
        NumberOption<Boost, int>{"rank-at", &Boost::rank_at, 1, kMost, "places of a list that --loss ndcg counts"}};
  }
  static constexpr auto digits_options() {
    return std::tuple{
        ChoiceOption<Boost, MissingRule>{"missing", &Boost::missing, missing_words,
                                         "missing values go where they gain most, or with the heavier child"},
        NumberOption<Boost, int>{"bins", &Boost::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins},
        NumberOption<Boost, int>{"gradient-bits", &Boost::gradient_bits, 4, 48,
                                 "derivatives are rounded to this many binary digits once a round; auto is 30, 16 for "
                                 "131,072 rows or more, where more would slow the sums down, and 22 to 24 for fewer "
                                 "than 512",
                                 "auto", 0}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        rounds_options(), levels_options(), leaves_options(), losses_options(),
        loss_options<Boost>("0.000001 to 0.999999, one or several",
                            "which one --loss quantile predicts; several, in ascending order, never cross"),
        digits_options());
  }
};

Result<Model> fit_boost_rounds(const Task&, const Boost&, const Run&, const Rounds&);

}  // namespace wald
