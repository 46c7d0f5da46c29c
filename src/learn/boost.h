// Gradient boosting with second derivatives (Friedman 2001; Chen and Guestrin 2016). docs/methods/boosting.md derives
// it.
#pragma once
#include "learn/tree_options.h"
#include "wald/model.h"
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
  Tweedie
};
inline std::vector<std::string> loss_words() {
  return {"auto",    "squared",     "absolute", "huber", "quantile", "logistic",
          "softmax", "exponential", "poisson",  "gamma", "tweedie"};
}
enum class Sampling { Uniform, Gradient };
inline std::vector<std::string> sampling_words() { return {"uniform", "gradient"}; }

enum class ClassWeights { None, Balanced };
inline std::vector<std::string> class_weights_words() { return {"none", "balanced"}; }

struct Boost : TreeOptions {
  LossName loss = LossName::Auto;
  int trees = 1000;  // rounds; with several classes each round grows a tree for each
  double learning_rate = 0.1;
  double l1 = 0, l2 = 1;
  double rows = 1;
  Sampling sampling = Sampling::Uniform;
  double drop = 0;
  int early_stop = 20;
  int stop_parts = 10, stop_trials = 1;
  ClassWeights class_weights = ClassWeights::None;
  double quantile = 0.5;
  double huber_width = 0;
  double tweedie_power = 1.5;
  int gradient_bits = 16;

  constexpr Boost() { max_leaves = 31; }

  static constexpr auto table() {
    constexpr int kMost = std::numeric_limits<int>::max();
    return std::tuple{
        ChoiceOption<Boost, LossName>{"loss", &Boost::loss, loss_words,
                                      "what to minimise; auto is logistic or softmax for classes, squared for numbers"},
        NumberOption<Boost, int>{"trees", &Boost::trees, 1, 1'000'000,
                                 "most rounds; each grows a tree, or one for each of several classes"},
        NumberOption<Boost, double>{"learning-rate", &Boost::learning_rate, 1e-6, 1,
                                    "how much of each tree's step is taken"},
        NumberOption<Boost, int>{"early-stop", &Boost::early_stop, 1, kMost,
                                 "stop when this many rounds bring nothing on rows held out; none grows all trees",
                                 "none", 0},
        NumberOption<Boost, int>{"stop-parts", &Boost::stop_parts, 2, 1000,
                                 "parts the rows are divided into; one of them is held out to find the best round"},
        NumberOption<Boost, int>{"max-depth", &Boost::max_depth, 1, 1'000'000, "longest path from the root to a leaf",
                                 "none", 0},
        NumberOption<Boost, std::int64_t>{"max-leaves", &Boost::max_leaves, 1, kMost, "most leaves of a tree", "none",
                                          0},
        ChoiceOption<Boost, Order>{"order", &Boost::order, order_words,
                                   "which open node is split next; matters only with max-leaves"},
        NumberOption<Boost, double>{"l1", &Boost::l1, 0, kUnlimited, "shrinks the sum of first derivatives of a leaf"},
        NumberOption<Boost, double>{"l2", &Boost::l2, 0, kUnlimited,
                                    "added to the sum of second derivatives of a leaf"},
        NumberOption<Boost, double>{"min-leaf", &Boost::min_leaf, 0, kUnlimited,
                                    "least sum of second derivatives of a leaf"},
        NumberOption<Boost, double>{"min-gain", &Boost::min_gain, 0, kUnlimited,
                                    "least fall of the loss that a split must bring"},
        NumberOption<Boost, double>{"rows", &Boost::rows, 1e-6, 1, "share of the rows drawn for each round"},
        ChoiceOption<Boost, Sampling>{"sampling", &Boost::sampling, sampling_words,
                                      "all rows alike, or by the size of their derivatives, weighted back"},
        NumberOption<Boost, int>{"columns-per-node", &Boost::columns_per_node, 1, kMost,
                                 "columns drawn at random for each node", "all", 0},
        NumberOption<Boost, double>{"drop", &Boost::drop, 0, 0.99,
                                    "share of the trees left out while the next is grown (DART)"},
        ChoiceOption<Boost, ClassWeights>{"class-weights", &Boost::class_weights, class_weights_words,
                                          "balanced lets every class count the same"},
        NumberOption<Boost, double>{"quantile", &Boost::quantile, 1e-6, 1 - 1e-6, "which one --loss quantile predicts"},
        NumberOption<Boost, double>{"huber-width", &Boost::huber_width, 0, kUnlimited,
                                    "where --loss huber turns from squared to absolute; auto is exceeded by one "
                                    "tenth of the targets' distances from their median",
                                    "auto", 0},
        NumberOption<Boost, double>{"tweedie-power", &Boost::tweedie_power, 1.001, 1.999,
                                    "of the mean in the variance, for --loss tweedie"},
        ChoiceOption<Boost, MissingRule>{"missing", &Boost::missing, missing_words,
                                         "missing values go where they gain most, or with the heavier child"},
        NumberOption<Boost, int>{"bins", &Boost::bins, 2, kMaxBins, "bins a column of numbers is cut into", "exact",
                                 kMaxBins},
        NumberOption<Boost, int>{"gradient-bits", &Boost::gradient_bits, 4, 30,
                                 "derivatives are rounded to this many binary digits once a round"},
    };
  }
};

Result<Model> fit_boost(const Task&, const Boost&, const Run&);

}  // namespace wald
