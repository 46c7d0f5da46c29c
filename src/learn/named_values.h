// NAME=VALUE,... in the text of an option.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/result.h"

namespace wald {

struct NamedValue {
  std::string text;         // as written
  std::string name, value;  // without an equals sign: all of it is the name
};

// Separated by commas. A name that holds one is given alone, if it is among the known ones, or in double quotes. One
// that is said twice is refused.
Result<std::vector<NamedValue>> named_values(std::string_view option, const std::string& text,
                                             std::span<const std::string> known);

}  // namespace wald
