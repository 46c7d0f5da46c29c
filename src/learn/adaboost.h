// AdaBoost (Freund and Schapire 1997): trees one after another, each on the rows weighted by how wrong the ones before
// were about them; several classes by SAMME (Zhu, Zou, Rosset and Hastie 2009). docs/methods/adaboost.md derives it.
#pragma once
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

enum class WeakCriterion { Gini, Entropy, Minority };
inline std::vector<std::string> weak_criterion_words() { return {"gini", "entropy", "minority"}; }

struct AdaBoost : TreeOptions {
  int rounds = 100;
  double gamma = 0;
  WeakCriterion criterion = WeakCriterion::Gini;
  std::string class_weights = "none";

  // Rows weigh ever less the surer the trees are of them: a least weight would forbid leaves of many rows.
  AdaBoost() { max_depth = 1, min_split = 0, min_leaf = 0; }
  static std::vector<SearchRange> searched() {
    return {{"rounds", 20, 500, true, true}, {"max-depth", 1, 6, false, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{
            NumberOption<AdaBoost, int>{"rounds", &AdaBoost::rounds, 1, 1'000'000, "most rounds; each grows a tree"},
            NumberOption<AdaBoost, double>{"gamma", &AdaBoost::gamma, 0, 0.5,
                                           "stop when a tree's weighted error is not below chance by this much"},
            ChoiceOption<AdaBoost, WeakCriterion>{"criterion", &AdaBoost::criterion, weak_criterion_words,
                                                  "impurity that the trees reduce"},
            class_weights_option<AdaBoost>()},
        tree_options<AdaBoost>());
  }
};

// What a round did. The loss of the rows is multiplied by exactly `factor`, so that the product of the factors is the
// loss; of two classes it bounds the training error.
struct AdaBoostRound {
  double error = 0;  // of the tree, weighted
  double alpha = 0;  // its votes, ln((1 - error) / error) + ln(classes - 1)
  double factor = 1, product = 1;
  double loss = 1;            // measured, as the training error
  double training_error = 0;  // share of the rows that the trees so far get wrong
};
std::vector<AdaBoostRound> adaboost_rounds(const Model&);  // none of another learner's model
// What the product of the factors is called: with more than two classes a vote may be wrong though the loss is low.
std::string_view product_word(const Model&);
// A round's figures by their names, for JSON and Python.
std::vector<std::pair<std::string_view, double>> named_figures(const Model&, const AdaBoostRound&);

Result<Model> fit_adaboost(const Task&, const AdaBoost&, const Run&, const Rounds&);

}  // namespace wald
