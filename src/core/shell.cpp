#include "core/shell.h"

#include <algorithm>

#include "core/text.h"

namespace wald {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') out.back() += text[i++];
    else if (text[i] == '"' && (quoted || out.back().empty())) quoted = !quoted;
    else if (text[i] == ',' && !quoted) out.emplace_back();
    else out.back() += text[i];
  }
  return out;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:,+@%").find(c) != std::string_view::npos || (c & 0x80) != 0;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return printable(word, 200);
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return printable(out, 200) + "'";
}

}  // namespace wald
