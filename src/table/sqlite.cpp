#include "table/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "core/text.h"
#include "table/csv.h"
#include "table/meter.h"
#include "table/notes.h"

namespace wald {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

struct Address {
  std::string file, table, query;
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    out += coded ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return out;
}

Result<Address> parse_address(const std::string& name) {
  std::string_view rest = std::string_view(name).substr(7);
  const std::size_t mark = rest.find('?');
  Address out{.file = percent_decoded(rest.substr(0, mark))};
  if (out.file.empty()) return usage("sqlite: names no file", "write sqlite:FILE?table=T");
  if (mark == std::string_view::npos) return out;
  const std::string_view option = rest.substr(mark + 1);
  // A query may hold & and =, so the first key decides and takes the whole rest.
  if (option.starts_with("table=")) out.table = percent_decoded(option.substr(6));
  else if (option.starts_with("query=")) out.query = percent_decoded(option.substr(6));
  else return usage(fmt::format("'{}' is neither table= nor query=", printable(option)), "write sqlite:FILE?table=T");
  if (out.table.empty() && out.query.empty())
    return usage(fmt::format("'{}' names nothing", printable(option)), "write sqlite:FILE?table=T");
  return out;
}

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

class SqliteReader {
 public:
  SqliteReader(Address address, const Run& run)
      : address_(std::move(address)), source_(printable(address_.file, 300)), run_(run) {}

  Result<std::string> read() {
    if (Status ok = open(); !ok) return ok.error();
    const auto query = query_text();
    if (!query) return query.error();
    auto statement = prepare(*query, false);
    if (!statement) return statement.error();
    return rows(statement->get());
  }
  const std::string& source() const { return address_.file; }

 private:
  Error trouble() const {
    const int code = sqlite3_errcode(database_.get());
    const std::string why = printable(sqlite3_errmsg(database_.get()), 300);
    if (code == SQLITE_NOTADB) return bad_data(source_ + " is not an SQLite database", "is it another kind of file?");
    if (code == SQLITE_CORRUPT) return bad_data(source_ + " is a damaged SQLite database", "restore it from a copy");
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
      return failure(source_ + " is locked by another program", "try again when that has finished");
    return failure(fmt::format("cannot read {}: {}", source_, why));
  }

  Status open() {
    std::error_code code;
    if (!std::filesystem::exists(address_.file, code))
      return failure(fmt::format("cannot read {}: no such file", source_), "check the spelling");
    sqlite3* raw = nullptr;
    const int state = sqlite3_open_v2(address_.file.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(raw);
    if (state != SQLITE_OK) return trouble();
    sqlite3_busy_timeout(raw, 1000);
    sqlite3_progress_handler(
        raw, 100'000, [](void* run) { return static_cast<const Run*>(run)->stopped() ? 1 : 0; },
        const_cast<Run*>(&run_));
    return Done{};
  }

  // A statement that fails to compile is the user's mistake if the user wrote it.
  Result<Statement> prepare(const std::string& query, bool ours) {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int state = sqlite3_prepare_v2(database_.get(), query.c_str(), static_cast<int>(query.size()), &raw, &tail);
    Statement statement(raw);
    if (state == SQLITE_ERROR && !ours)
      return usage(
          fmt::format("{}: the query does not work: {}", source_, printable(sqlite3_errmsg(database_.get()), 300)),
          "try it in the sqlite3 shell");
    if (state != SQLITE_OK) return trouble();
    if (raw == nullptr) return usage(source_ + ": the query is empty", "write sqlite:FILE?query=SELECT ...");
    if (sqlite3_stmt_readonly(raw) == 0 || sqlite3_column_count(raw) == 0)
      return usage(source_ + ": only a query that reads is allowed", "write sqlite:FILE?query=SELECT ...");
    if (std::string_view(tail).find_first_not_of(" \t\r\n;") != std::string_view::npos)
      return usage(source_ + ": only one query is allowed", "leave out what follows the first ;");
    return statement;
  }

  Result<std::vector<std::string>> tables() {
    auto statement = prepare(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%'"
        " ESCAPE '\\' ORDER BY name",
        true);
    if (!statement) return statement.error();
    std::vector<std::string> out;
    int state = SQLITE_ROW;
    while ((state = sqlite3_step(statement->get())) == SQLITE_ROW)
      out.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement->get(), 0)));
    if (state != SQLITE_DONE) return trouble();
    return out;
  }

  Result<std::string> query_text() {
    if (!address_.query.empty()) return address_.query;
    const auto known = tables();
    if (!known) return known.error();
    if (known->empty()) return bad_data(source_ + " has no tables", "is it the right file?");
    std::string table = address_.table;
    if (table.empty() && known->size() > 1)
      return usage(fmt::format("{} has {} tables: {}", source_, known->size(), listed(*known)),
                   fmt::format("name one: sqlite:{}?table={}", source_, printable(known->front())));
    if (table.empty()) table = known->front();
    bool found = false;
    for (const std::string& name : *known) found |= sqlite3_stricmp(name.c_str(), table.c_str()) == 0;
    if (found) return "SELECT * FROM " + identifier(table);
    const std::string meant = did_you_mean(table, *known);
    return usage(fmt::format("{} has no table '{}'", source_, printable(table)),
                 meant.empty() ? "it has " + listed(*known) : meant);
  }

  // The result as CSV: numbers bare, words quoted, NULL empty. The CSV reader then finds types as it does for files.
  Result<std::string> rows(sqlite3_stmt* statement) {
    std::string out;
    const int columns = sqlite3_column_count(statement);
    for (int c = 0; c < columns; ++c) append_quoted(out, sqlite3_column_name(statement, c), c);
    out += '\n';
    int state = SQLITE_ROW;
    for (std::uint64_t row = 1; (state = sqlite3_step(statement)) == SQLITE_ROW; ++row) {
      for (int c = 0; c < columns; ++c)
        if (Status ok = append_cell(out, statement, c, row); !ok) return ok.error();
      out += '\n';
    }
    if (state == SQLITE_INTERRUPT) return interrupted(source_);
    if (state != SQLITE_DONE) return trouble();
    return out;
  }

  static void append_quoted(std::string& out, std::string_view text, int column) {
    if (column > 0) out += ',';
    out += '"';
    for (const char c : text) {
      if (c == '"') out += c;
      out += c;
    }
    out += '"';
  }

  Status append_cell(std::string& out, sqlite3_stmt* statement, int c, std::uint64_t row) const {
    const int type = sqlite3_column_type(statement, c);
    const auto odd = [&](std::string_view what) {
      return bad_data(fmt::format("{}: row {}: column {} holds {}", source_, row,
                                  quoted_name(sqlite3_column_name(statement, c)), what),
                      "leave the column out with ?query=");
    };
    if (type == SQLITE_BLOB) return odd("a BLOB");
    if (type == SQLITE_TEXT) {
      const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(statement, c));
      const std::string_view text(start, static_cast<std::size_t>(sqlite3_column_bytes(statement, c)));
      if (!valid_utf8(text) || text.find('\0') != std::string_view::npos) return odd("text that is not valid UTF-8");
      append_quoted(out, text, c);
      return Done{};
    }
    if (c > 0) out += ',';
    if (type == SQLITE_INTEGER) out += std::to_string(sqlite3_column_int64(statement, c));
    if (type == SQLITE_FLOAT) out += exact_text(sqlite3_column_double(statement, c));
    return Done{};
  }

  Address address_;
  std::string source_;
  const Run& run_;
  Database database_;
};

}  // namespace

Result<Table> read_sqlite(const std::string& name, const ReadOptions& options, const Run& run) {
  auto address = parse_address(name);
  if (!address) return address.error();
  SqliteReader reader(std::move(*address), run);
  const auto text = reader.read();
  if (!text) return text.error();
  ReadOptions as_written = options;
  as_written.delimiter = ',';
  as_written.decimal = '.';
  as_written.header = true;
  return read_csv(*text, reader.source(), as_written, run, CsvTuning{.count_rows = true});
}

}  // namespace wald
