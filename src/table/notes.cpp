#include "table/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "table/number.h"

namespace wald {
namespace {

// Up to `most` digits off the front; how many.
std::size_t take_digits(std::string_view& text, std::size_t most) {
  std::size_t n = 0;
  while (n < text.size() && n < most && text[n] >= '0' && text[n] <= '9') ++n;
  text.remove_prefix(n);
  return n;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// A month's name, three letters or more of it, off the front.
bool take_month(std::string_view& text) {
  static constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                           "may",       "june",     "july",     "august",
                                                           "september", "october",  "november", "december"};
  std::size_t n = 0;
  std::string word;
  for (; n < text.size() && ((text[n] | 32) >= 'a' && (text[n] | 32) <= 'z'); ++n)
    word += static_cast<char>(text[n] | 32);
  if (n < 3 || std::ranges::none_of(months, [&](std::string_view m) { return m.starts_with(word); })) return false;
  text.remove_prefix(n);
  return true;
}

// 12:30, 12:30:59.25, each also with Z or +02:00.
bool is_time(std::string_view text) {
  if (take_digits(text, 2) == 0 || !take(text, ':') || take_digits(text, 2) != 2) return false;
  if (take(text, ':') && take_digits(text, 2) != 2) return false;
  if (take(text, '.') && take_digits(text, 9) == 0) return false;
  if (text.empty() || text == "Z") return true;
  if (!take(text, '+') && !take(text, '-')) return false;
  return take_digits(text, 2) == 2 && (take(text, ':'), text.empty() || take_digits(text, 2) == 2) && text.empty();
}

}  // namespace

std::string row_text(const Table& table, Row row) {
  return table.first_line == 0 ? fmt::format("row {}", row + 1ull)
                               : fmt::format("row {} (line {})", row + 1ull, table.first_line + row);
}

std::string row_list(const Table& table, const std::vector<Row>& rows) {
  constexpr std::size_t most = 5;
  if (rows.size() == 1) return row_text(table, rows[0]);
  std::vector<std::uint64_t> row, line;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    row.push_back(rows[i] + 1ull);
    line.push_back(table.first_line + rows[i]);
  }
  const std::string more =
      rows.size() > most ? fmt::format(" and {} more", with_commas(rows.size() - most)) : std::string();
  const std::string text = fmt::format("rows {}{}", fmt::join(row, ", "), more);
  return table.first_line == 0 ? text : fmt::format("{} (lines {}{})", text, fmt::join(line, ", "), more);
}

std::string first_word(const Table& table, const Column& column, std::span<const Row> rows) {
  const Categories& words = column.categories();
  const auto is_word = [&](Row r) {
    return words.code[r] >= 0 && !number_text(words.level[words.code[r]], '.').number;
  };
  const auto found = std::ranges::find_if(rows, is_word);
  const Row row = found == rows.end() ? rows[0] : *found;
  return fmt::format("'{}' in {}", words.code[row] < 0 ? "" : printable(words.level[words.code[row]]),
                     row_text(table, row));
}

std::string quoted_name(const std::string& name) { return fmt::format("'{}'", printable(name)); }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", quoted_name(names[i]));
  return names.size() > shown ? fmt::format("{} and {} more", out, with_commas(names.size() - shown)) : out;
}

std::string utf8_cure(const std::string& source) {
  if (source == "standard input") return "pipe it through iconv -f latin1 -t utf8";
  return fmt::format("convert it, e.g. iconv -f latin1 -t utf8 {} > utf8.csv", source);
}

// --na splits its value at commas outside double quotes.
std::string na_words(const std::string& cell) {
  std::string word = printable(cell);
  if (word.find_first_of(",\"") != std::string::npos) {
    for (std::size_t at = 0; (at = word.find('"', at)) != std::string::npos; at += 2) word.insert(at, 1, '"');
    word = '"' + word + '"';
  }
  for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4) word.replace(at, 1, "'\\''");
  return "'" + word + "'";
}

bool looks_like_date(std::string_view text) {
  const std::size_t first = take_digits(text, 4);
  if (first == 0 || first == 3 || text.empty()) return false;
  const char sign = text[0];
  if (sign != '-' && sign != '/' && sign != '.' && sign != ' ') return false;
  const bool year_first = first == 4;
  text.remove_prefix(1);
  const bool month = take_month(text);
  if ((!month && (sign == ' ' || take_digits(text, 2) == 0)) || !take(text, sign)) return false;
  const std::size_t third = take_digits(text, year_first ? 2 : 4);
  if (third == 0 || third == 3) return false;
  if (text.empty()) return true;
  return (take(text, 'T') || take(text, ' ')) && is_time(text);
}

}  // namespace wald
