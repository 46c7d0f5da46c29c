#include "table/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "table/notes.h"
#include "table/sniff.h"

namespace wald {
namespace {

struct Magic {
  std::string_view bytes, what, cure;
};
constexpr std::array<Magic, 8> kMagic{{
    {"\xFF\xFE", "UTF-16 text", "save it as UTF-8, e.g. iconv -f utf16 -t utf8"},
    {"\xFE\xFF", "UTF-16 text", "save it as UTF-8, e.g. iconv -f utf16 -t utf8"},
    {"PK\x03\x04", "a zip archive or an office document", "unpack it, or export the sheet as CSV"},
    {"SQLite format 3", "an SQLite database", "name it as sqlite:FILE?table=T"},
    {"PAR1", "a Parquet file", "export it as CSV"},
    {"\x28\xB5\x2F\xFD", "compressed with zstd", "unpack it first, or pipe it: zstdcat FILE | wald ... -"},
    {"\xFD"
     "7zXZ",
     "compressed with xz", "unpack it first, or pipe it: xzcat FILE | wald ... -"},
    {"BZh", "compressed with bzip2", "unpack it first, or pipe it: bzcat FILE | wald ... -"},
}};

// Latin text in UTF-16 has a zero as every other byte.
bool like_utf16(std::string_view text) {
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < text.size(); ++i) zeros[i % 2] += text[i] == 0;
  const std::size_t half = text.size() / 2, many = std::max(zeros[0], zeros[1]), few = std::min(zeros[0], zeros[1]);
  return half > 1 && many * 10 > half * 6 && few * 10 < half;
}

bool control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && (byte < '\t' || byte > '\r')) || byte == 0x7F;
}

// One stray control character is a mistake in a text; one in twenty bytes means it is none.
Status check_text(std::string_view text, const std::string& source) {
  if (text.empty()) return bad_data(fmt::format("{} is empty", source), "give a file with a header and rows");
  for (const Magic& magic : kMagic)
    if (text.starts_with(magic.bytes))
      return bad_data(fmt::format("{} is {}, not a text table", source, magic.what), std::string(magic.cure));
  const std::string_view window = text.substr(0, 1 << 16);
  if (like_utf16(window))
    return bad_data(fmt::format("{} is UTF-16 text, not a text table", source),
                    fmt::format("save it as UTF-8, e.g. iconv -f utf-16{} -t utf8", window[0] == 0 ? "be" : "le"));
  const auto odd = static_cast<std::size_t>(std::ranges::count_if(window, control));
  if (odd * 20 > window.size())
    return bad_data(fmt::format("{} is not a text table: it holds binary data", source),
                    "give a CSV, TSV or SVMlight file, or sqlite:FILE?table=T");
  return Done{};
}

Status check_options(const ReadOptions& options) {
  const char d = options.delimiter;
  if (d == '"' || d == '\n' || d == '\r' || (d >= '0' && d <= '9') || static_cast<unsigned char>(d) >= 0x80)
    return usage(fmt::format("'{}' cannot be a delimiter", printable({&d, 1})), "use a comma, a semicolon or a tab");
  if (options.decimal != 0 && options.decimal != '.' && options.decimal != ',')
    return usage(fmt::format("'{}' cannot be a decimal sign", printable({&options.decimal, 1})), "use . or ,");
  return Done{};
}

struct Record {
  std::vector<std::string> cells;
  std::size_t end = 0;
};

Error header_fault(const std::string& source, std::uint64_t line, std::string_view what, std::string_view cure) {
  return bad_data(fmt::format("{}:{}: {}", source, line, what), std::string(cure));
}

Result<Record> first_record(std::string_view text, std::size_t begin, const Dialect& dialect, const std::string& source,
                            const ReadOptions& options) {
  Record out;
  std::string buffer;
  const char* end = text.data() + text.size();
  const char* at = text.data() + begin;
  const auto line = static_cast<std::uint64_t>(std::count(text.data(), at, dialect.end)) + 1;
  for (bool last = false; !last;) {
    const Cell cell = next_cell(at, end, dialect);
    if (cell.fault == CellFault::Unclosed)
      return header_fault(source, line, fmt::format("the quote in column {} is never closed", out.cells.size() + 1),
                          "close it with another \"");
    if (cell.fault == CellFault::AfterQuote)
      return header_fault(source, line, fmt::format("text follows a closing quote in column {}", out.cells.size() + 1),
                          "write a quote inside a quoted cell twice: \"\"");
    if (cell.text.size() > options.max_cell)
      return header_fault(source, line,
                          fmt::format("column {} has a cell of {} bytes; the limit is {}", out.cells.size() + 1,
                                      with_commas(cell.text.size()), with_commas(options.max_cell)),
                          "is this a table, and its line ends plain?");
    if (out.cells.size() == options.max_columns)
      return header_fault(source, line, fmt::format("more than {} columns", with_commas(options.max_columns)),
                          "is the delimiter right?");
    out.cells.emplace_back(cell_text(cell, buffer));
    last = cell.last;
    at = cell.next;
  }
  out.end = static_cast<std::size_t>(at - text.data());
  if (const std::string_view header = text.substr(0, out.end); !valid_utf8(header))
    return header_fault(source, line, "not valid UTF-8", utf8_cure(source));
  else if (header.find('\0') != std::string_view::npos)
    return header_fault(source, line, "a NUL byte, which no text has",
                        "take it out, or export the table again as text");
  return out;
}

// Gives empty and repeated names ones of their own.
void settle_names(std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::unordered_set<std::string> taken(names.begin(), names.end()), seen;
  std::unordered_map<std::string, int> next;  // by stem: the next number to try
  std::vector<std::string> unnamed, repeated;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (!name.empty() && seen.insert(name).second) continue;
    const std::string stem = name.empty() ? fmt::format("column_{}", i + 1) : name;
    const std::string before = name;
    int& n = next.try_emplace(stem, 2).first->second;
    name = before.empty() && !taken.contains(stem) ? stem : fmt::format("{}_{}", stem, n++);
    while (taken.contains(name)) name = fmt::format("{}_{}", stem, n++);
    taken.insert(name);
    seen.insert(name);
    (before.empty() ? unnamed : repeated).push_back(name);
  }
  if (!unnamed.empty())
    notes.push_back(fmt::format("{} in the header: called {}", plural(unnamed.size(), "empty name"), listed(unnamed)));
  if (!repeated.empty())
    notes.push_back(
        fmt::format("{} in the header: renamed {}", plural(repeated.size(), "repeated name"), listed(repeated)));
}

}  // namespace

Result<Opening> read_opening(std::string_view text, const std::string& source, const ReadOptions& options,
                             const MissingWords& missing, bool prefer_tab) {
  if (Status ok = check_options(options); !ok) return ok.error();
  if (Status ok = check_text(text, source); !ok) return ok.error();
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::string_view body = text.substr(mark);
  Opening out{.dialect = sniff_dialect(body, options, prefer_tab)};
  const char* end = text.data() + text.size();
  const char* start = skip_blank_lines(body.data(), end, out.dialect);
  if (start == end) return bad_data(fmt::format("{} is empty", source), "give a file with a header and rows");
  auto record = first_record(text, static_cast<std::size_t>(start - text.data()), out.dialect, source, options);
  if (!record) return record.error();
  out.dialect.decimal = options.decimal != 0 ? options.decimal : sniff_decimal(body, out.dialect);
  if (out.dialect.decimal == ',' && options.decimal == 0) out.notes.push_back("numbers are read with a decimal comma");
  out.names = std::move(record->cells);
  if (options.header.value_or(sniff_header(body, out.dialect, missing, out.names.size()))) {
    out.data = record->end;
    settle_names(out.names, out.notes);
    return out;
  }
  out.data = static_cast<std::size_t>(start - text.data());
  for (std::size_t i = 0; i < out.names.size(); ++i) out.names[i] = fmt::format("column_{}", i + 1);
  out.notes.push_back(options.header.has_value()
                          ? fmt::format("the columns are called {}", listed(out.names))
                          : fmt::format("the first line looks like data, so the columns are called {} (--header if it "
                                        "names them)",
                                        listed(out.names)));
  return out;
}

}  // namespace wald
