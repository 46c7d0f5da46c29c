// From scores to predictions.
#pragma once
#include "wald/predict.h"

namespace wald {

void apply_link(const Model&, Predictions&);                        // fills value and label from score
void apply_link(const Model&, const double* score, double* value);  // of one row

std::int32_t decided(const Model&, const double* value);  // the class that a row's probabilities lead to

// What a curve of calibration is asked of: the log-odds of class k where the model has them, else its probability.
double calibration_input(const Model&, const double* score, const double* p, std::size_t k);
double calibrated_at(const Calibration&, double x);  // of two classes: the probability of the second

}  // namespace wald
