#include "core/shell.h"

#include <algorithm>

#include "core/text.h"

namespace wald {

std::vector<std::vector<std::string>> split_groups(std::string_view text, char joined_by) {
  std::vector<std::vector<std::string>> out{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& word = out.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') word += text[i++];
    else if (text[i] == '"' && (quoted || word.empty())) quoted = !quoted;
    else if (text[i] == ',' && !quoted) out.push_back({""});
    else if (text[i] == joined_by && !quoted) out.back().emplace_back();
    else word += text[i];
  }
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  for (std::vector<std::string>& group : split_groups(text, ',')) out.push_back(std::move(group[0]));
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
