// clusters: a tree without a target, whose leaves are groups of alike rows (Blockeel, De Raedt and Ramon 1998).
#pragma once
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

struct Clusters : TreeOptions {
  Clusters() { max_leaves = 8, min_leaf = 5, min_gain = 0.01; }
  static constexpr auto table() {
    return std::tuple{
        NumberOption<Clusters, std::int64_t>{"max-leaves", &Clusters::max_leaves, 1, 1000, "most clusters"},
        NumberOption<Clusters, int>{"max-depth", &Clusters::max_depth, 1, 1'000'000,
                                    "longest path from the root to a leaf", "none", 0},
        NumberOption<Clusters, double>{"min-leaf", &Clusters::min_leaf, 0, kUnlimited, "least rows of a cluster"},
        NumberOption<Clusters, double>{"min-gain", &Clusters::min_gain, 0, 1,
                                       "least dissimilarity of a split: the share of all variance it explains"},
        ChoiceOption<Clusters, MissingRule>{"missing", &Clusters::missing, missing_words,
                                            "missing values go where they gain most, or with the heavier child"},
        NumberOption<Clusters, int>{"bins", &Clusters::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins}};
  }
};

// The model predicts the number of the cluster, counted in the order of reading.
Result<Model> fit_clusters(const Task&, const Clusters&, const Run&);

}  // namespace wald
