// What a row of each class counts.
#pragma once
#include <string>
#include <vector>

#include "learn/options.h"
#include "wald/task.h"

namespace wald {

// The weights of the rows, multiplied by those of their classes; empty = all 1. words: none, balanced, or
// CLASS=WEIGHT,...
Result<std::vector<double>> class_weighted(const Task&, const std::string& words);

template <class Struct>
constexpr TextOption<Struct> class_weights_option() {
  return {"class-weights", &Struct::class_weights, "none, balanced, or CLASS=WEIGHT,...",
          "what a row of each class counts, 1 where not named; balanced lets every class count the same"};
}

}  // namespace wald
