#include <fmt/format.h>

#include <filesystem>

#include "cli/demo_data.h"
#include "cli/fit.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/file.h"
#include "core/shell.h"
#include "core/text.h"
#include "explain/text.h"

namespace wald::cli {
namespace {

bool holds(const std::string& path, std::string_view content) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return false;
  const Result<Bytes> bytes = map_file(path);
  return bytes && bytes->text() == content;
}

// A second run finds the files of the first, byte for byte, and leaves them.
Status put(const std::string& path, std::string_view content, bool force) {
  if (holds(path, content)) return Done{};
  Status written = replace_file(path, content, force);
  if (!written && written.error().kind == ErrorKind::Usage)
    return usage(written.error().message, "run it elsewhere: wald demo FOLDER, or replace the file with --force");
  return written;
}

}  // namespace

Status run_demo(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  const std::filesystem::path folder = given.operands.empty() ? "" : given.operands[0];
  const std::string data = (folder / "claims.csv").string(), path = (folder / "claims.wald").string();
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  if (std::error_code code; !folder.empty() && (std::filesystem::create_directories(folder, code), code))
    return failure(fmt::format("cannot make the folder {}: {}", printable(folder.string(), 300), code.message()),
                   "name another folder: wald demo FOLDER");
  if (Status written = put(data, kDemoTable, given.has("force")); !written) return written;

  const Stopwatch reading;
  Result<Table> table = read_csv(kDemoTable, "claims.csv", {}, *run);
  if (!table) return table.error();
  FitRequest request{.learner = "cart",
                     .settings = {{"max-depth", "4"}, {"min-leaf", "8"}, {"smoothing", "1"}},
                     .run = *run,
                     .holdout = 0.25};
  Result<Fitted> fitted = fit_table(std::move(*table), {.target = "claim"}, request, terminal);
  if (!fitted) return fitted.error();
  fitted->read_seconds = reading.seconds() - fitted->fit_seconds;
  if (Status saved = put(path, to_bytes(fitted->model), given.has("force")); !saved) return saved;
  if (!terminal.json) terminal.print("\n" + tree_text(fitted->model, 0, 2) + "\n");
  const std::string model = shell_word(path), rows = shell_word(data);
  report_fit(
      *fitted,
      {.source = data,
       .path = path,
       .next = {fmt::format("wald tree {}", model), fmt::format("wald evaluate {} {} --cost fp=1,fn=12", model, rows),
                fmt::format("wald predict {} {} -o predicted.csv", model, rows),
                fmt::format("wald train {} --target premium --ignore claim --holdout 0.2 -o premium.wald", rows)},
       .total_seconds = total.seconds()},
      terminal);
  return Done{};
}

}  // namespace wald::cli
