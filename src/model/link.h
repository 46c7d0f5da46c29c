// From scores to predictions.
#pragma once
#include "wald/predict.h"

namespace wald {

void apply_link(const Model&, Predictions&);                        // fills value and label from score
void apply_link(const Model&, const double* score, double* value);  // of one row

}  // namespace wald
