// A loss of your own for the learner boost: what a score costs given a target, and how that changes with the score.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "wald/link.h"

namespace wald {

struct Slope {
  double first = 0, second = 0;  // derivatives of the loss in the score
};

struct OwnLoss {
  std::string measure = "loss";  // what learning curves call its mean
  // Called from several threads at once. Targets are the table's numbers; of two classes 0 and 1.
  std::function<double(double target, double score)> value;
  std::function<Slope(double target, double score)> slope;  // a second derivative below 0 counts as 0
  std::optional<double> start;                              // the first score; nothing = the best constant one
  Link link = Link::Identity;                               // from scores to predictions
};

}  // namespace wald
