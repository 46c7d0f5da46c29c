#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/describe.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/file.h"
#include "core/shell.h"
#include "core/text.h"
#include "table/cell.h"
#include "table/opening.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

ordered_json profile_json(const ColumnProfile& c) {
  ordered_json out = {{"name", c.name},
                      {"type", c.type == ColumnType::Number ? "number" : "category"},
                      {"missing", c.missing},
                      {"distinct", c.distinct}};
  if (c.type == ColumnType::Number && c.low <= c.high) out["min"] = c.low, out["max"] = c.high;
  if (c.type == ColumnType::Category) out["levels"] = c.levels;
  out["suggestions"] = c.suggestions;
  return out;
}

void print_profile(const Table& table, const std::vector<ColumnProfile>& columns, Terminal& terminal) {
  terminal.print(fmt::format("{}  {}, {}\n\n", terminal.bold(printable(table.source, 100)), plural(table.rows, "row"),
                             plural(columns.size(), "column")));
  std::size_t name = 6;
  for (const ColumnProfile& c : columns) name = std::max(name, display_width(printable(c.name, 40)));
  terminal.print(
      fmt::format("{}  {}  {:>9}  {:>9}  values\n", left("column", name), left("type", 8), "missing", "distinct"));
  for (const ColumnProfile& c : columns)
    terminal.print(fmt::format("{}  {}  {:>9}  {:>9}  {}\n", left(printable(c.name, 40), name),
                               c.type == ColumnType::Number ? "number  " : "category", with_commas(c.missing),
                               with_commas(c.distinct), values_text(c)));
  const bool any = std::ranges::any_of(columns, [](const ColumnProfile& c) { return !c.suggestions.empty(); });
  if (any) terminal.print("\nsuggestions\n");
  for (const ColumnProfile& c : columns)
    for (const std::string& what : c.suggestions)
      terminal.print(fmt::format("  {}  {}\n", left(printable(c.name, 40), name), what));
}

// The first record and nothing else, so that no value is looked at.
std::string_view first_record(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted && text.substr(0, i).find_first_not_of("\r\n \t") != std::string_view::npos)
      return text.substr(0, i + 1);
  }
  return text;
}

// Column names alone. A plain file's first line is all that is read of it; other sources are read by their reader, and
// all but the names is thrown away. A first line that may be values is not taken for names: those would be told.
Result<std::vector<std::string>> names_of_data(const std::string& data, const ReadOptions& options, const Run& run) {
  std::vector<std::string> names;
  if (data == "-" || data.starts_with("sqlite:") || data.ends_with(".gz") || data.ends_with(".svm")) {
    const Result<Table> table = read_table(data, options, run);
    if (!table) return table.error();
    for (const Column& column : table->columns) names.push_back(column.name);
    return names;
  }
  const Result<Bytes> bytes = map_file(data);
  if (!bytes) return bytes.error();
  Result<Opening> opening = read_opening(first_record(bytes->text()), printable(data, 300), options, MissingWords({}),
                                         data.ends_with(".tsv") || data.ends_with(".tab"));
  if (!opening) return opening.error();
  if (!options.header && !opening->notes.empty())
    return usage(fmt::format("the first line of {} holds a number, a gap or a word twice: it may be values, which must "
                             "not get into a schema",
                             printable(data, 300)),
                 "say what it is: --header if it names the columns, --no-header if it is a row");
  return std::move(opening->names);
}

constexpr std::string_view kFillIn =
    "fill it in from what is public, and not by looking; a column each of\n"
    R"(  {"name": "age", "min": 18, "max": 100}                        numbers within bounds
  {"name": "region", "levels": ["east", "west"]}                words of a list
  {"name": "note", "ignore": true}                              left out
  {"name": "patient", "contributor": true, "max_rows": 5}       whose row it is: all rows of one are protected, 5 count
)";

Status write_schema(const Declarations& declared, const Arguments& given, Terminal& terminal) {
  const std::string path = given.text("schema", "-"), text = write_declarations(declared);
  if (path == "-") {
    if (!terminal.json) terminal.print(text);
    return Done{};
  }
  if (Status written = replace_file(path, text, given.has("force")); !written) return written;
  if (terminal.json) return Done{};
  if (given.has("schema-only"))
    terminal.print(
        fmt::format("wrote {}; {}then: wald train ... --schema {}\n", printable(path, 200), kFillIn, shell_word(path)));
  else terminal.print(fmt::format("\nwrote {0}; edit it, then: wald train ... --schema {0}\n", printable(path, 200)));
  return Done{};
}

Status schema_from_names(const Arguments& given, const ReadOptions& options, const Run& run, Terminal& terminal) {
  const auto names = names_of_data(given.operands[0], options, run);
  if (!names) return names.error();
  Declarations declared;
  ordered_json columns = ordered_json::array();
  for (const std::string& name : *names) {
    declared.columns.push_back({.name = name});
    columns.push_back({{"name", name}});
  }
  if (!options.header)
    terminal.note(fmt::format("the first line of {} was taken for names; if it is a row, add --no-header",
                              printable(given.operands[0], 200)));
  if (Status written = write_schema(declared, given, terminal); !written) return written;
  if (terminal.json) print_json({{"columns", columns}}, terminal);
  return Done{};
}

}  // namespace

Status run_profile(const Arguments& given, Terminal& terminal) {
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<ReadOptions> options = read_options(given);
  if (!options) return options.error();
  if (terminal.json && given.text("schema") == "-")
    return usage("with --json standard output is one JSON object, so the schema needs a file", "give --schema FILE");
  if (given.has("schema") && given.text("schema") != "-")
    if (Status possible = check_output(given.text("schema"), given); !possible) return possible;
  if (given.has("schema-only")) return schema_from_names(given, *options, *run, terminal);

  const Result<Table> table = read_data(given.operands[0], *options, *run, terminal);
  if (!table) return table.error();
  terminal.doing = "describing the columns";
  const std::vector<ColumnProfile> columns = describe_columns(*table);
  if (run->stopped()) return interrupted_error();
  const bool schema_printed = given.text("schema") == "-";
  if (!terminal.json && !schema_printed) print_profile(*table, columns, terminal);
  if (given.has("schema"))
    if (Status written = write_schema(observed_schema(columns), given, terminal); !written) return written;
  if (terminal.json) {
    ordered_json list = ordered_json::array();
    for (const ColumnProfile& c : columns) list.push_back(profile_json(c));
    print_json({{"rows", table->rows}, {"columns", list}, {"notes", table->notes}}, terminal);
  }
  return Done{};
}

}  // namespace wald::cli
