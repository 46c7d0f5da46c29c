// From scores to predictions.
#pragma once
#include <cstdint>

namespace wald {

enum class Link : std::uint8_t {
  Identity,       // the score is the prediction
  Probabilities,  // the scores are class probabilities
  Logistic,       // one score, the log-odds of the second of two classes
  Softmax,        // a score a class; its probability is exp(score) over the sum of all
  Exponential,    // the prediction is exp(score): counts and other positive numbers
  Ordered,        // quantiles of one number: the predictions are the scores, sorted
};

}  // namespace wald
