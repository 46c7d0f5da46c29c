// Text as people write it at a shell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wald {

// Separated by commas; one that holds a comma stands in double quotes, which are doubled inside.
std::vector<std::string> split_list(std::string_view text);

// A word of the shell: quoted where it must be, safe to print.
std::string shell_word(const std::string&);

}  // namespace wald
