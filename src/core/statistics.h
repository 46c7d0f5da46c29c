// Distribution functions for stop rules and bounds: the same operations on every target, like core/elementary.h.
#pragma once

namespace wald {

double normal_quantile(double p);             // z with P[N(0,1) <= z] = p; relative error below 1e-15 in the middle
double student_tails(double t, int freedom);  // P[|T| > |t|] of Student's distribution
double chi_square_tail(double x, double freedom);  // P[chi-square > x]; freedom a whole number of at least 1

}  // namespace wald
