#include "table/sniff.h"

#include <algorithm>

#include "table/number.h"

namespace wald {
namespace {

constexpr std::size_t kWindow = 1 << 20;  // bytes that are looked at
constexpr int kRecords = 1000;            // and records

// Calls cell(record, column, cell) for the cells of the first records, then done(record, fields) after each.
template <class F, class G>
void first_records(std::string_view text, const Dialect& dialect, F on_cell, G on_record) {
  const char* end = text.data() + text.size();
  const char* window = text.data() + std::min(text.size(), kWindow);
  const char* at = skip_blank_lines(text.data(), end, dialect);
  for (int record = 0; record < kRecords && at < window; ++record) {
    for (std::size_t column = 0;; ++column) {
      const Cell cell = next_cell(at, end, dialect);
      if (cell.fault != CellFault::None) return;
      on_cell(record, column, cell);
      at = cell.next;
      if (!cell.last) continue;
      on_record(record, column + 1);
      break;
    }
    at = skip_blank_lines(at, end, dialect);
  }
}

// A record ends with a line feed where there is one outside quotes, else with a carriage return.
char sniff_end(std::string_view text) {
  text = text.substr(0, kWindow);
  bool inside = false, carriage = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '\n') return '\n';
    carriage |= c == '\r';
  }
  return carriage ? '\r' : '\n';
}

struct Regularity {
  std::size_t first = 0;  // fields of the first record
  std::size_t most = 0;
  double same = 0;  // share of the records that have as many
};

Regularity regularity(std::string_view text, const Dialect& dialect) {
  Regularity out;
  int records = 0, same = 0;
  first_records(
      text, dialect, [](int, std::size_t, const Cell&) {},
      [&](int record, std::size_t fields) {
        if (record == 0) out.first = fields;
        out.most = std::max(out.most, fields);
        ++records;
        same += fields == out.first;
      });
  out.same = records == 0 ? 0 : static_cast<double>(same) / records;
  return out;
}

// The delimiter with which the most records have as many fields as the first one, if that has several. A comma is
// tried late, as it also stands inside numbers and sentences, and a bar last, as it is rare.
char sniff_delimiter(std::string_view text, Dialect dialect, char decimal, bool prefer_tab) {
  char best = 0, fallback = 0;
  double score = 0;
  for (const char candidate : {'\t', ';', ',', '|'}) {
    dialect.delimiter = candidate;
    const Regularity r = regularity(text, dialect);
    if (r.most > 1 && candidate != '|') fallback = candidate;
    if (r.first < 2 || (candidate == ',' && decimal == ',' && best != 0)) continue;
    if (r.same > score) score = r.same, best = candidate;
    if (candidate == '\t' && prefer_tab) return candidate;
  }
  return best != 0 ? best : fallback != 0 ? fallback : prefer_tab ? '\t' : ',';
}

// 1,234 or 1,234,567: the comma may group thousands.
bool grouped(std::string_view text) {
  const std::size_t lead = text.find(',');
  if (lead == 0 || lead > 3 || text[0] == '0' || text[0] == '-') return false;
  for (text.remove_prefix(lead); !text.empty(); text.remove_prefix(4))
    if (text.size() < 4 || text[0] != ',' || text.substr(1, 3).find(',') != std::string_view::npos) return false;
  return true;
}

}  // namespace

Dialect sniff_dialect(std::string_view text, const ReadOptions& options, bool prefer_tab) {
  Dialect out{.end = sniff_end(text)};
  out.delimiter = options.delimiter != 0 ? options.delimiter : sniff_delimiter(text, out, options.decimal, prefer_tab);
  return out;
}

char sniff_decimal(std::string_view text, const Dialect& dialect) {
  if (dialect.delimiter == ',') return '.';
  std::size_t points = 0, commas = 0;
  first_records(
      text, dialect,
      [&](int, std::size_t, const Cell& cell) {
        const bool comma = cell.text.find(',') != std::string_view::npos;
        if (comma) commas += number_text(cell.text, ',').number && !grouped(cell.text);
        else points += cell.text.find('.') != std::string_view::npos && number_text(cell.text, '.').number;
      },
      [](int, std::size_t) {});
  return commas > points ? ',' : '.';
}

bool sniff_header(std::string_view text, const Dialect& dialect, const MissingWords& missing, std::size_t columns) {
  enum Kind : unsigned char { Nothing, IsWord, IsNumber };
  std::vector<Kind> first(columns, Nothing);
  std::vector<std::uint32_t> numbers(columns), cells(columns);
  bool alone = true;
  first_records(
      text, dialect,
      [&](int record, std::size_t column, const Cell& cell) {
        if (column >= columns || missing(cell)) return;
        const bool number = number_text(trimmed(cell.text), dialect.decimal).number;
        if (record == 0) first[column] = number ? IsNumber : IsWord;
        else ++cells[column], numbers[column] += number;
      },
      [&](int record, std::size_t) { alone &= record == 0; });
  bool number_above_numbers = false;
  for (std::size_t c = 0; c < columns; ++c) {
    // A few mistyped cells do not make a column of words.
    const bool numeric = cells[c] > 0 && numbers[c] * 10 >= cells[c] * 9;
    if (numeric && first[c] == IsWord) return true;
    // In a file of one record a number speaks for itself.
    number_above_numbers |= first[c] == IsNumber && (numeric || alone);
  }
  return !number_above_numbers;
}

}  // namespace wald
