// AnyBoost (Mason, Baxter, Bartlett and Frean 1999): descent on any differentiable loss in the space of trees.
// docs/methods/anyboost.md derives it.
#pragma once
#include "learn/boost.h"
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

struct AnyBoost : TreeOptions, LossOptions {
  int rounds = 100;
  double step = 0;  // 0 = searched for

  AnyBoost() { max_depth = 3; }
  static std::vector<SearchRange> searched() {
    return {{"rounds", 20, 500, true, true}, {"max-depth", 1, 8, false, true}, {"step", 0.01, 1, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{
            ChoiceOption<AnyBoost, LossName>{"loss", &AnyBoost::loss, valued_loss_words,
                                             "what to minimise; auto is logistic or softmax for classes, else "
                                             "squared; ndcg and map, which rank, are of boost alone"},
            NumberOption<AnyBoost, int>{"rounds", &AnyBoost::rounds, 1, 1'000'000,
                                        "most rounds; each grows a tree, or one for each of several classes"},
            NumberOption<AnyBoost, double>{"step", &AnyBoost::step, kAboveZero, kUnlimited,
                                           "how far to go along each tree; search takes the step that lowers the "
                                           "loss most",
                                           "search", 0}},
        loss_options<AnyBoost>("0.000001 to 0.999999", "which one --loss quantile predicts"), tree_options<AnyBoost>());
  }
};

Result<Model> fit_anyboost(const Task&, const AnyBoost&, const Run&, const Rounds&);

}  // namespace wald
