// --quantile: one, or several at once that never cross.
#pragma once
#include <string>
#include <vector>

#include "loss/objective.h"
#include "wald/result.h"

namespace wald {

// "0.1,0.5,0.9": ascending, between 0 and 1.
Result<std::vector<double>> read_quantiles(const std::string& words);

// Each has its own trees; what is measured of a row are its scores in ascending order, which is what the model
// predicts. Sorting never raises the sum of the pinball losses (Chernozhukov, Fernandez-Val and Galichon 2010).
Objective objective_of_quantiles(const std::vector<double>& quantiles, const Targets&);

}  // namespace wald
