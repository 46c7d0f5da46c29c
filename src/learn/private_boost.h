// Boosting under differential privacy: trees whose structure is public, whose leaves are sums of whole numbers released
// with exact discrete Gaussian noise. docs/methods/private-boosting.md states what is promised and proves it.
#pragma once
#include <functional>
#include <vector>

#include "learn/options.h"
#include "privacy/budget.h"
#include "wald/model.h"
#include "wald/private_task.h"
#include "wald/run.h"

namespace wald {

enum class PrivateAlgorithm { Grids, DpBoost };
inline std::vector<std::string> private_algorithm_words() { return {"grids", "dpboost"}; }

struct PrivateBoost {
  PrivateAlgorithm algorithm = PrivateAlgorithm::Grids;
  double epsilon = 0;
  double delta = 1e-6;
  int trees = 0;
  double learning_rate = 0;
  int parts = 0;
  int columns = 0;
  double column_share = -1;
  std::uint64_t structure_seed = 1;
  double public_rows = 0;
  int max_rows = 1;
  std::string buy = "none";
  int max_depth = 0, ensemble = 0;
  bool two_nodes = false;

  static constexpr auto table() {
    return std::tuple{
        NumberOption<PrivateBoost, double>{"epsilon", &PrivateBoost::epsilon, 0.001, 16,
                                           "what the model may tell of one contributor; has no default. More than 8 "
                                           "needs a larger delta",
                                           kUnset, 0},
        NumberOption<PrivateBoost, double>{"delta", &PrivateBoost::delta, 1e-12, 0.1,
                                           "the chance that it tells more (not of dpboost, which has none); below "
                                           "1e-9 there is room for few trees and columns"},
        ChoiceOption<PrivateBoost, PrivateAlgorithm>{
            "algorithm", &PrivateBoost::algorithm, private_algorithm_words,
            "grids: public structure, Gaussian noise; dpboost: the published algorithm, pure epsilon"},
        NumberOption<PrivateBoost, int>{"trees", &PrivateBoost::trees, 1, 5000,
                                        "how many; auto goes by epsilon, delta and the noisy number of rows", "auto",
                                        0},
        NumberOption<PrivateBoost, double>{"learning-rate", &PrivateBoost::learning_rate, 1e-6, 1,
                                           "how much of each tree's step is taken", "auto", 0},
        NumberOption<PrivateBoost, int>{"parts", &PrivateBoost::parts, 2, 128,
                                        "how many parts a column is cut into in a tree", "auto", 0},
        NumberOption<PrivateBoost, int>{"columns", &PrivateBoost::columns, 1, 6, "how many columns a tree asks for",
                                        "auto", 0},
        NumberOption<PrivateBoost, double>{"histogram-share", &PrivateBoost::column_share, 0, 0.5,
                                           "of the budget, for noisy histograms by which columns are cut", "auto", -1},
        NumberOption<PrivateBoost, std::uint64_t>{"structure-seed", &PrivateBoost::structure_seed, 0,
                                                  std::uint64_t{1} << 53,
                                                  "of the public structure; the noise has no seed"},
        NumberOption<PrivateBoost, double>{"public-rows", &PrivateBoost::public_rows, 1, 4e9,
                                           "the number of rows where it is no secret; noisy pays for it", "noisy", 0},
        NumberOption<PrivateBoost, int>{"max-rows-per-contributor", &PrivateBoost::max_rows, 1, 10000,
                                        "most rows of one contributor that count; noise grows with it"},
        TextOption<PrivateBoost>{"buy", &PrivateBoost::buy, "none, or bounds=SHARE",
                                 "bounds and levels that the schema leaves open, for this share of the budget"},
        NumberOption<PrivateBoost, int>{"max-depth", &PrivateBoost::max_depth, 1, 12,
                                        "of every leaf of dpboost; auto is 6", "auto", 0},
        NumberOption<PrivateBoost, int>{"ensemble", &PrivateBoost::ensemble, 1, 5000,
                                        "trees of dpboost that share the rows among them; auto is all", "auto", 0},
        ChoiceOption<PrivateBoost, bool>{"two-nodes", &PrivateBoost::two_nodes, yes_or_no,
                                         "dpboost draws a node's split from its sibling's rows too"},
    };
  }
};

// An auditor that looks on. The last row of the task (or the last ones, of one contributor) is a canary, which counts
// or not; the auditor sees everything that is released and knows all other rows, and gathers evidence (the log
// likelihood ratio) that the canary was there.
struct Witness {
  bool counted = true;
  std::size_t rows = 1;                                   // of the canary
  std::vector<double> evidence = std::vector<double>(3);  // from counts, from first and from second derivatives
  int releases = 0;
  std::uint64_t reach = 0;  // of the release in hand: how far one contributor may move it
  // For tests, which plant faults here that an audit must find: before noise, of the sums of the others and of the
  // canary; and after it.
  std::function<void(int release, std::vector<std::int64_t>& others, std::vector<std::int64_t>& canary)> before = {};
  std::function<void(int release, const std::vector<std::int64_t>& exact, Noisy&)> after = {};
};

// In Model::found, where the bounds of a target of numbers are far too wide: within which its rows lie, by its noisy
// histogram. That is released and paid for.
inline constexpr const char *kCrowdLow = "noisy_target_low", *kCrowdHigh = "noisy_target_high";

Result<Model> fit_private_boost(const PrivateTask&, const PrivateBoost&, const Run&, Entropy&, Witness* = nullptr);

}  // namespace wald
