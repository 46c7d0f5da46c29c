#include "table/cell.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "table/number.h"

namespace wald {
namespace {

const char* skip_blanks(const char* at, const char* end, const Dialect& d) {
  while (at < end && d.blank(*at)) ++at;
  return at;
}

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

Cell unquoted_cell(const char* at, const char* first, const char* end, const Dialect& d) {
  Cell cell{.begin = at};
  const char* stop = first;
  while (stop < end && *stop != d.delimiter && *stop != d.end) ++stop;
  cell.last = stop == end || *stop == d.end;
  cell.next = stop + (stop < end);
  while (stop > first && d.blank(stop[-1])) --stop;
  cell.text = between(first, stop);
  return cell;
}

Cell quoted_cell(const char* quote, const char* end, const Dialect& d) {
  Cell cell{.quoted = true, .begin = quote};
  const char* first = quote + 1;
  const char* at = first;
  for (;;) {
    at = at < end ? static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at))) : nullptr;
    if (at == nullptr) {
      cell.fault = CellFault::Unclosed;
      cell.next = quote;
      return cell;
    }
    if (at + 1 == end || at[1] != '"') break;
    cell.doubled = true;
    at += 2;
  }
  cell.text = between(first, at);
  const char* stop = skip_blanks(at + 1, end, d);
  cell.last = stop == end || *stop == d.end;
  if (!cell.last && *stop != d.delimiter) {
    cell.fault = CellFault::AfterQuote;
    cell.next = stop;
    return cell;
  }
  cell.next = stop + (stop < end);
  return cell;
}

}  // namespace

Cell next_cell(const char* at, const char* end, const Dialect& d) {
  const char* first = skip_blanks(at, end, d);
  return first < end && *first == '"' ? quoted_cell(first, end, d) : unquoted_cell(at, first, end, d);
}

bool blank_line(const char* at, const char* end, const Dialect& d) {
  at = skip_blanks(at, end, d);
  return at == end || *at == d.end;
}

const char* skip_blank_lines(const char* at, const char* end, const Dialect& d) {
  while (at < end) {
    const char* stop = skip_blanks(at, end, d);
    if (stop < end && *stop != d.end) return at;
    at = stop + (stop < end);
  }
  return end;
}

std::string_view cell_text(const Cell& cell, std::string& buffer) {
  if (!cell.doubled) return cell.text;
  buffer.clear();
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    buffer += cell.text[i];
    if (cell.text[i] == '"') ++i;
  }
  return buffer;
}

bool MissingWords::usual(std::string_view text) {
  static constexpr std::array<std::string_view, 10> words{"NA",   "?",    "-",   "NaN", "nan",
                                                          "null", "NULL", "N/A", "n/a", "#N/A"};
  return std::ranges::find(words, text) != words.end();
}

bool MissingWords::named(std::string_view text) const { return std::ranges::find(more_, text) != more_.end(); }

bool MissingWords::any_number() const {
  return std::ranges::any_of(
      more_, [](const std::string& word) { return number_text(word, '.').number || number_text(word, ',').number; });
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace wald
