#include "cli/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/signals.h"
#include "core/shell.h"
#include "core/text.h"
#include "model/cells.h"
#include "table/blocks.h"
#include "wald/predict.h"

namespace wald::cli {
namespace {

constexpr std::uint64_t kMostThreads = 4096;
constexpr std::size_t kBlockBytes = std::size_t{64} << 20;  // of text read at a time

struct Named {
  std::string_view name;
  char character;
};

Result<char> character(const Arguments& given, std::string_view option, std::initializer_list<Named> names) {
  const std::string text = given.text(option);
  for (const Named& named : names)
    if (text == named.name) return named.character;
  if (text.size() == 1) return text[0];
  std::vector<std::string_view> words;
  for (const Named& named : names) words.push_back(named.name);
  return usage(fmt::format("--{}: '{}' is not a character", option, printable(text)),
               fmt::format("give one character, or {}", fmt::join(words, ", ")));
}

}  // namespace

Error interrupted_error() { return {ErrorKind::Interrupted, "interrupted; nothing was written", ""}; }
Error cut_short_error() { return {ErrorKind::Interrupted, "interrupted; what was found until then was told", ""}; }

Result<ReadOptions> read_options(const Arguments& given) {
  ReadOptions out;
  if (given.has("delimiter")) {
    const auto c = character(given, "delimiter", {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"\\t", '\t'}});
    if (!c) return c.error();
    out.delimiter = *c;
  }
  if (given.has("decimal")) {
    const auto c = character(given, "decimal", {{"point", '.'}, {"comma", ','}});
    if (!c) return c.error();
    out.decimal = *c;
  }
  if (given.has("header") && given.has("no-header"))
    return usage("--header and --no-header contradict each other", "give one of them");
  if (given.has("header")) out.header = true;
  if (given.has("no-header")) out.header = false;
  out.missing = given.list("na");
  return out;
}

Result<Run> run_options(const Arguments& given, Terminal& terminal) {
  const auto seed = given.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  if (!seed) return seed.error();
  const auto threads = given.whole("threads", 0, given.has("threads") ? 1 : 0, kMostThreads);
  if (!threads) return threads.error();
  return Run{.seed = *seed,
             .threads = static_cast<int>(*threads),
             .progress = [&terminal](const Progress& p) { terminal.show(p); },
             .stop = &stop_asked()};
}

Result<Table> read_data(const std::string& name, const ReadOptions& options, const Run& run, Terminal& terminal) {
  terminal.doing = "reading " + printable(name, 100);
  Result<Table> table = read_table(name, options, run);
  if (!table) return table;
  if (run.stopped()) return interrupted_error();
  for (const std::string& note : table->notes) terminal.note(note);
  return table;
}

namespace {

Result<ReadOptions> options_for(const Model& model, const Arguments& given) {
  Result<ReadOptions> options = read_options(given);
  if (!options) return options;
  options->declared = declarations(input_schema(model));
  options->missing.insert(options->missing.end(), model.schema.missing.begin(), model.schema.missing.end());
  return options;
}

}  // namespace

Result<Table> read_data_for(const Model& model, const std::string& name, const Arguments& given, const Run& run,
                            Terminal& terminal) {
  const Result<ReadOptions> options = options_for(model, given);
  return options ? read_data(name, *options, run, terminal) : options.error();
}

Result<Table> read_body_data(const Model& model, const std::string& name, const Arguments& given, const Run& run,
                             Terminal& terminal) {
  Result<Table> table = read_data_for(model, name, given, run, terminal);
  if (!table || model.preparation.empty()) return table;
  return prepare(model, *table);
}

Status read_blocks_for(const Model& model, const std::string& name, const Arguments& given, const Run& run,
                       Terminal& terminal, const std::function<Status(const Table&)>& sink) {
  const Result<ReadOptions> options = options_for(model, given);
  if (!options) return options.error();
  terminal.doing = "reading " + printable(name, 100);
  bool first = true;
  const Status done = read_table_blocks(name, *options, run, kBlockBytes, [&](const Table& table) -> Status {
    if (run.stopped()) return interrupted_error();
    if (std::exchange(first, false))
      for (const std::string& note : table.notes) terminal.note(note);
    return sink(table);
  });
  return !done && done.error().kind == ErrorKind::Interrupted ? Status(interrupted_error()) : done;
}

Result<std::optional<Table>> read_background(const Model& model, const Arguments& given, const Run& run,
                                             Terminal& terminal) {
  if (!given.has("background")) return std::optional<Table>{};
  const std::string name = given.text("background");
  if (name == "-" && given.operands.at(1) == "-")
    return usage("standard input cannot be both DATA and the background", "give a file for one of them");
  Result<Table> table = read_data_for(model, name, given, run, terminal);
  if (!table) return table.error();
  return std::optional<Table>(*std::move(table));
}

std::vector<std::string> warn_of_levels(const Model& model, const Table& table, Terminal& terminal) {
  const Result<Matched> matched = match(model, table);
  if (!matched) return {};
  const std::vector<std::string> warnings = warnings_of(model, matched->unseen, table.rows);
  for (const std::string& warning : warnings) terminal.warn(warning);
  return warnings;
}

Result<Model> load_model(const std::string& path, Terminal& terminal) {
  terminal.doing = "loading " + printable(path, 100);
  return load(path);
}

std::vector<std::string> column_list(const Arguments& given, std::string_view option, const Table& table) {
  std::vector<std::string> out;
  for (const std::string& value : given.raw(option)) {
    if (table.find(value) != nullptr) out.push_back(value);
    else std::ranges::move(split_list(value), std::back_inserter(out));
  }
  return out;
}

}  // namespace wald::cli
