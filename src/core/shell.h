// Text as people write it at a shell.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wald {

// Separated by commas; one that holds a comma stands in double quotes, which are doubled inside.
std::vector<std::string> split_list(std::string_view text);
// Lists of such, whose words are joined by a character: A+B,C+D. It, too, may stand in double quotes.
std::vector<std::vector<std::string>> split_groups(std::string_view text, char joined_by);

// A word of the shell: quoted where it must be, safe to print.
std::string shell_word(const std::string&);

}  // namespace wald
