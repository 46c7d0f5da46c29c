// id3 (Quinlan 1986) and c45 (Quinlan 1993): trees with one branch a category, chosen by information.
#pragma once
#include "learn/options.h"
#include "prepare/bin.h"
#include "tree/quinlan.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

template <class Struct>
constexpr auto quinlan_stops() {
  return std::tuple{NumberOption<Struct, int>{"max-depth", &Struct::max_depth, 1, kDeepestQuinlan,
                                              "longest path from the root to a leaf", "none", 0},
                    NumberOption<Struct, double>{"max-p", &Struct::max_p, 0, 1,
                                                 "largest p-value of the chi-square test of a split; 1 takes any"},
                    NumberOption<Struct, double>{"smoothing", &Struct::smoothing, 0, kMostSmoothing,
                                                 "added to each class count in a leaf; 1 is Laplace's rule"}};
}

struct Id3 : QuinlanOptions {
  static std::vector<SearchRange> searched() { return {{"max-p", 0.001, 1, true}, {"smoothing", 0.01, 10, true}}; }
  Id3() { ratio = false, zero_gain = true, min_branch = 0, collapse = prune = false; }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{ChoiceOption<Id3, bool>{"zero-gain", &Id3::zero_gain, yes_or_no,
                                           "also take splits that gain nothing by themselves (XOR needs one)"}},
        quinlan_stops<Id3>());
  }
};

enum class C45Prune { Pessimistic, None };
inline std::vector<std::string> c45_prune_words() { return {"pessimistic", "none"}; }

struct C45 : QuinlanOptions {
  C45Prune pruning = C45Prune::Pessimistic;
  int bins = kMaxBins;
  static std::vector<SearchRange> searched() {
    return {{"confidence", 0.01, 0.5, true}, {"min-leaf", 1, 50, true, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{NumberOption<C45, double>{"min-leaf", &C45::min_branch, 0, kUnlimited,
                                             "least rows of two branches of a split, and of both sides of a threshold"},
                   ChoiceOption<C45, C45Prune>{"prune", &C45::pruning, c45_prune_words,
                                               "cut back what the pessimistic error estimate does not favour"},
                   NumberOption<C45, double>{"confidence", &C45::confidence, 1e-6, 0.5,
                                             "level of the pessimistic error limit; less prunes more"},
                   ChoiceOption<C45, bool>{"subtree-raising", &C45::raise, yes_or_no,
                                           "pruning may also put a node's largest branch in its place"},
                   NumberOption<C45, int>{"bins", &C45::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins}},
        quinlan_stops<C45>());
  }
};

Result<Model> fit_id3(const Task&, const Id3&, const Run&);
Result<Model> fit_c45(const Task&, const C45&, const Run&);

}  // namespace wald
