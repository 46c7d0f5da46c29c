#include "learn/elsewhere.h"

#include <algorithm>
#include <string>

namespace wald {

std::string_view known_elsewhere(std::string_view word) {
  struct Name {
    std::string_view theirs, ours;
  };
  constexpr Name kNames[] = {{"eta", "learning-rate"},
                             {"dart", "drop"},
                             {"rate-drop", "drop"},
                             {"objective", "loss"},
                             {"n-estimators", "trees"},
                             {"num-rounds", "trees"},
                             {"num-iterations", "trees"},
                             {"num-leaves", "max-leaves"},
                             {"min-child-weight", "min-hessian"},
                             {"min-data-in-leaf", "min-leaf"},
                             {"min-split-loss", "min-gain"},
                             {"gamma", "min-gain"},
                             {"alpha", "l1"},
                             {"reg-alpha", "l1"},
                             {"lambda-l1", "l1"},
                             {"reg-lambda", "l2"},
                             {"lambda-l2", "l2"},
                             {"lambda", "l2"},
                             {"max-delta-step", "max-step"},
                             {"subsample", "rows"},
                             {"bagging-fraction", "rows"},
                             {"feature-fraction", "columns"},
                             {"colsample-bytree", "columns"},
                             {"colsample-bylevel", "columns-per-level"},
                             {"colsample-bynode", "columns-per-node"},
                             {"max-bin", "bins"},
                             {"early-stopping-rounds", "early-stop"},
                             {"scale-pos-weight", "class-weights"},
                             {"monotone-constraints", "monotone"},
                             {"interaction-constraints", "interactions"}};
  std::string name(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(kNames, name, &Name::theirs);
  return found == std::end(kNames) ? std::string_view() : found->ours;
}

}  // namespace wald
