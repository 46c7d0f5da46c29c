// read_table: from a name to bytes, and to the reader that understands them.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/text.h"
#include "table/blocks.h"
#include "table/csv.h"
#include "table/gzip.h"
#include "table/meter.h"
#include "table/sqlite.h"
#include "table/svmlight.h"

namespace wald {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// The name's ending that says what is inside, without .gz.
std::string ending(const std::string& name) {
  std::string lower = lower_case(name);
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  const std::size_t dot = lower.rfind('.');
  return dot == std::string::npos || lower.find('/', dot) != std::string::npos ? "" : lower.substr(dot);
}

Result<std::string> read_standard_input(const Run& run) {
  std::string out;
  for (std::size_t used = 0;;) {
    if (run.stopped()) return interrupted("standard input");
    if (out.size() < used + (1 << 16)) out.resize(std::max<std::size_t>(1 << 18, out.size() * 2));
    // Never blocks for long: an interrupt may come just before the read, which would then wait for ever.
    pollfd waiting{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 200) <= 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, out.data() + used, out.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(fmt::format("cannot read standard input: {}", std::strerror(errno)));
    used += static_cast<std::size_t>(got);
    if (got > 0) continue;
    out.resize(used);
    return out;
  }
}

CsvTuning csv_tuning(const std::string& name, bool mapped) {
  return {.prefer_tab = ending(name) == ".tsv" || ending(name) == ".tab", .mapped = mapped};
}

Result<Table> read_text(const Bytes& bytes, const std::string& source, const std::string& name,
                        const ReadOptions& options, const Run& run) {
  const std::string_view text = bytes.text();
  const std::string end = ending(name);
  if (end == ".svm" || end == ".svmlight" || end == ".libsvm") return read_svmlight(text, source, options, run);
  // A name that says nothing, such as that of standard input.
  const bool told = end == ".csv" || end == ".tsv" || end == ".tab" || options.delimiter != 0;
  if (!told && looks_like_svmlight(text)) {
    auto table = read_svmlight(text, source, options, run);
    if (table)
      table->notes.insert(table->notes.begin(), "the lines are label index:value ..., so it is read as SVMlight");
    return table;
  }
  return read_csv(text, source, options, run, csv_tuning(name, bytes.mapped));
}

Result<Table> read_bytes(const Bytes& bytes, const std::string& source, const std::string& name,
                         const ReadOptions& options, const Run& run) {
  if (!is_gzip(bytes.text())) return read_text(bytes, source, name, options, run);
  const auto text = gunzip(bytes.text(), source, run);
  if (!text) return text.error();
  return read_text(*text, source, name, options, run);
}

bool is_svmlight(const std::string& end) { return end == ".svm" || end == ".svmlight" || end == ".libsvm"; }

}  // namespace

Result<Table> read_table(const std::string& name, const ReadOptions& options, const Run& run) {
  if (name.starts_with("sqlite:")) return read_sqlite(name, options, run);
  if (name == "-") {
    const auto bytes = read_standard_input(run);
    if (!bytes) return bytes.error();
    return read_bytes({std::as_bytes(std::span(*bytes)), nullptr}, "standard input", name, options, run);
  }
  const auto file = map_file(name);
  if (!file) return file.error();
  return read_bytes(*file, name, name, options, run);
}

Status read_table_blocks(const std::string& name, const ReadOptions& options, const Run& run, std::size_t block_bytes,
                         const std::function<Status(const Table&)>& sink) {
  const bool file = name != "-" && !name.starts_with("sqlite:") && !is_svmlight(ending(name));
  if (file) {
    const auto bytes = map_file(name);
    if (!bytes) return bytes.error();
    if (bytes->text().size() > block_bytes && !is_gzip(bytes->text()))
      return read_csv_blocks(bytes->text(), name, options, run, csv_tuning(name, bytes->mapped), block_bytes, sink);
  }
  const auto table = read_table(name, options, run);
  return table ? sink(*table) : Status(table.error());
}

}  // namespace wald
