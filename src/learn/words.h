// Lists in the text of an option.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wald {

inline std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> out{""};
  for (const char c : text)
    if (c == separator) out.emplace_back();
    else out.back() += c;
  return out;
}

}  // namespace wald
