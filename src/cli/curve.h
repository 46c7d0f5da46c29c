// A learning curve as a plot of characters.
#pragma once
#include <string>
#include <vector>

#include "wald/model.h"

namespace wald::cli {

// Lines of at most width + 12 columns. `o` is the measure on rows held out, `.` that on the training rows where it lies
// apart; a dotted line marks the round that was kept.
std::vector<std::string> curve_lines(const LearningCurve&, std::size_t width = 60, std::size_t height = 9);

}  // namespace wald::cli
