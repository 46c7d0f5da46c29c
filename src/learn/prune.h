// Pruning as learners use it: the rules of tree/prune.h with their options, alpha by cross-validation.
#pragma once
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "learn/options.h"
#include "tree/prune.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald {

enum class Prune { None, Cost, Reduced, Pessimistic };
inline std::vector<std::string> prune_words() { return {"none", "cost", "reduced", "pessimistic"}; }
enum class PruneRule { OneError, Least };
inline std::vector<std::string> prune_rule_words() { return {"one-se", "least"}; }
enum class PruneRisk { Error, Impurity };
inline std::vector<std::string> prune_risk_words() { return {"error", "impurity"}; }

struct PruneOptions {
  static constexpr double kByFolds = -1;
  Prune prune = Prune::None;
  double alpha = kByFolds;
  int prune_folds = 10;
  PruneRule prune_rule = PruneRule::OneError;
  PruneRisk prune_risk = PruneRisk::Error;
  double prune_share = 0.25;
  double confidence = 0.25;
  bool merge_leaves = false;
};

template <class Struct>
constexpr auto prune_options() {
  return std::tuple{
      ChoiceOption<Struct, Prune>{"prune", &Struct::prune, prune_words,
                                  "how to cut the grown tree back: by cost-complexity, on rows kept aside, or by "
                                  "C4.5's pessimistic estimate"},
      NumberOption<Struct, double>{"alpha", &Struct::alpha, 0, kUnlimited,
                                   "price of a leaf; implies --prune cost, for which cv finds it by cross-validation",
                                   "cv", PruneOptions::kByFolds},
      NumberOption<Struct, int>{"prune-folds", &Struct::prune_folds, 2, 1000, "folds that find alpha"},
      ChoiceOption<Struct, PruneRule>{"prune-rule", &Struct::prune_rule, prune_rule_words,
                                      "smallest tree within one standard error of the least cross-validated error, or "
                                      "the tree of least error"},
      ChoiceOption<Struct, PruneRisk>{"prune-risk", &Struct::prune_risk, prune_risk_words,
                                      "what --prune cost weighs against leaves: training errors, or the criterion's "
                                      "impurity; for numbers always the latter"},
      NumberOption<Struct, double>{"prune-share", &Struct::prune_share, 0.01, 0.9,
                                   "share of the rows kept aside for --prune reduced"},
      NumberOption<Struct, double>{"confidence", &Struct::confidence, 1e-6, 0.5,
                                   "level of the error limit of --prune pessimistic; less prunes more"},
      ChoiceOption<Struct, bool>{"merge-leaves", &Struct::merge_leaves, yes_or_no,
                                 "make one leaf of neighbours that predict the same class"},
  };
}

// A learner seen by pruning.
struct Prunable {
  using Loss = std::function<double(std::uint32_t node, Row)>;  // of a row whose way ends at the node
  const Binned& x;
  const Task& task;
  std::function<Tree(const std::vector<Row>&, const Run&)> grow;
  std::function<Loss(const Tree&)> loss;  // what cross-validation and rows kept aside measure
  // What --prune cost weighs against leaves: a loss of the training rows, or, where there is none, impurity, which the
  // gains of the splits tell up to the impurity of the root.
  std::function<Loss(const Tree&)> risk = nullptr;
  std::function<double(const std::vector<Row>&)> impurity = nullptr;  // of a node of these rows, times their weight
};
Prunable::Loss wrong_class(const Tree&, const Task&);                 // 1 if the most probable class is another
Prunable::Loss number_loss(const Tree&, const Task&, bool absolute);  // squared or absolute error

// Breiman's table, as rpart prints it: the path of the whole tree with the cross-validated loss of each step.
struct PruneTable {
  PrunePath path;             // per row: alpha, risk
  std::vector<double> loss;   // cross-validated, per row; empty where there are no folds
  std::vector<double> error;  // its standard error
  std::size_t chosen = 0;
};

// fold: of each of the rows; empty = no cross-validation. Losses are shares of wrong rows, or mean squared errors.
PruneTable prune_table(const Prunable&, const Tree& tree, const std::vector<Row>& rows, const std::vector<int>& fold,
                       const PruneOptions&, const Run&);
std::vector<int> deal_folds(const Task&, const std::vector<Row>& rows, int folds, std::uint64_t seed);

// Grows and prunes.
Tree grow_pruned(const Prunable&, const std::vector<Row>& rows, const PruneOptions&, const Run&);

}  // namespace wald
