// Boosting under differential privacy: trees whose structure is public, whose leaves are sums of whole numbers released
// with exact discrete Gaussian noise. docs/methods/private-boosting.md states what is promised and proves it.
#pragma once
#include "learn/options.h"
#include "privacy/entropy.h"
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

  static constexpr auto table() {
    return std::tuple{
        NumberOption<PrivateBoost, double>{"epsilon", &PrivateBoost::epsilon, 0.001, 100,
                                           "what the model may tell of one contributor; has no default", "unset", 0},
        NumberOption<PrivateBoost, double>{"delta", &PrivateBoost::delta, 1e-15, 0.1,
                                           "the chance that it tells more; 0 for --algorithm dpboost"},
        ChoiceOption<PrivateBoost, PrivateAlgorithm>{
            "algorithm", &PrivateBoost::algorithm, private_algorithm_words,
            "grids: public structure, Gaussian noise; dpboost: the published algorithm, pure epsilon"},
        NumberOption<PrivateBoost, int>{"trees", &PrivateBoost::trees, 1, 5000,
                                        "how many; auto goes by epsilon, delta and the noisy number of rows", "auto", 0},
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
    };
  }
};

Result<Model> fit_private_boost(const PrivateTask&, const PrivateBoost&, const Run&, Entropy&);

}  // namespace wald
