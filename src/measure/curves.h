// Error on the rows trained on and on others, against how much was learned from or how.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/validate.h"

namespace wald {

struct CurvePoint {
  double at = 0;     // rows, or the option's value (its place in the list, from 1, where one of them is a word)
  std::string text;  // the same as it was given
  std::vector<double> train, held;  // a value a fold
};

struct CurveOptions {
  std::string measure;
  std::vector<double> shares;  // of the training rows: a learning curve ...
  std::string option;          // ... or the option whose values are tried: a complexity curve
  std::vector<std::string> values;
};

// Larger shares hold the rows of smaller ones, of each class alike. An interrupted run gives the points that are done.
// told(n, of): n fits of so many are done.
Result<std::vector<CurvePoint>> validation_curve(std::string_view learner, const Task&, const Settings&,
                                                 std::span<const Fold>, const CurveOptions&, const Run& = {},
                                                 const std::function<void(std::size_t, std::size_t)>& told = {});

}  // namespace wald
