#pragma once
#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.h"

namespace wald::cli {

// One object, indented, on standard output. What is not a number becomes null, invalid UTF-8 a replacement character.
void print_json(const nlohmann::ordered_json&, Terminal&);

}  // namespace wald::cli
