// exp and log for training: the same operations on every target, hence the same bits, unlike a system library's.
// Errors stay below two units in the last place (elementary_test.cpp measures it against long double).
#pragma once
#include <span>

namespace wald {

double exp_exact(double x);          // overflows to infinity, underflows to 0
void exp_each(std::span<double> x);  // exp_exact of each, in its place
double log_exact(double x);          // x > 0; log(0) = -infinity, log(negative) = NaN
void log_each(std::span<double> x);  // log_exact of each, in its place
double log2_exact(double x);         // exact at powers of two

}  // namespace wald
