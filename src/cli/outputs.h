// Which of a model's outputs a verb speaks of, and bars for the terminal.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "wald/model.h"

namespace wald::cli {

// --class NAME; else the second of two classes, else all outputs.
Result<std::vector<std::size_t>> chosen_outputs(const Arguments&, const Model&);
// The same where there can be but one: of several classes one must be named.
Result<std::size_t> chosen_output(const Arguments&, const Model&);
Option class_option();
std::string output_name(const Model&, std::size_t output);  // the class; empty for numbers

// A bar of `width` characters at most for a share of 0 to 1, in eighths of a character.
std::string bar_text(double share, std::size_t width);
// The same from a middle line to the right or, for shares below 0, to the left; half a width each.
std::string two_sided_bar(double share, std::size_t width);

}  // namespace wald::cli
