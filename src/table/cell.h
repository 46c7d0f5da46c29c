// The cells of a delimited text (RFC 4180): where one ends, what it says, whether it says "missing".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wald {

struct Dialect {
  char delimiter = ',';
  char end = '\n';  // of a record; a carriage return before a line feed counts as a blank
  char decimal = '.';

  bool blank(char c) const { return (c == ' ' || c == '\t' || c == '\r') && c != delimiter && c != end; }
};

enum class CellFault : unsigned char { None, Unclosed, AfterQuote };

struct Cell {
  std::string_view text;  // blanks around an unquoted cell are off; of a quoted cell what is between the quotes
  bool quoted = false;
  bool doubled = false;  // the text holds doubled quotes, each meaning one
  bool last = false;     // of its record
  CellFault fault = CellFault::None;
  const char* begin = nullptr;  // of a quoted cell its opening quote
  const char* next = nullptr;   // where the next cell or record begins; at a fault, where it is
};

// The cell at `at`, in a text that ends at `end`.
Cell next_cell(const char* at, const char* end, const Dialect&);

// The first record at or after `at` that is not a blank line; `end` if there is none.
const char* skip_blank_lines(const char* at, const char* end, const Dialect&);
bool blank_line(const char* at, const char* end, const Dialect&);

// What a cell says, doubled quotes undone into `buffer` where there are any.
std::string_view cell_text(const Cell&, std::string& buffer);

class MissingWords {
 public:
  MissingWords(std::vector<std::string> more) : more_(std::move(more)) {}
  // An empty cell is missing, and an unquoted usual word; a word the user names also when it stands in quotes.
  bool operator()(const Cell& cell) const {
    if (cell.text.empty()) return true;
    if (!cell.quoted && cell.text.size() <= 4 && usual(cell.text)) return true;
    return !more_.empty() && named(cell.text);
  }
  bool any_number() const;  // some named word is a number, so that reading digits alone cannot tell

 private:
  static bool usual(std::string_view);
  bool named(std::string_view) const;
  std::vector<std::string> more_;
};

std::string_view trimmed(std::string_view);  // of blanks

}  // namespace wald
