// The whole program but main(): from words to an exit code.
#pragma once
#include <string>
#include <vector>

namespace wald::cli {

int run_program(const std::vector<std::string>& words);

}  // namespace wald::cli
