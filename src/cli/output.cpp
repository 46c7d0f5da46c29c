#include "cli/output.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "core/text.h"

namespace wald::cli {

Result<Output> Output::open(const Arguments& given, Terminal& terminal) {
  Output out(terminal);
  out.path_ = given.text("output", "-");
  if (out.path_ == "-") return out;
  if (Status possible = check_output(out.path_, given); !possible) return possible.error();
  Result<FileWriter> file = FileWriter::open(out.path_, given.has("force"));
  if (!file) return file.error();
  out.file_.emplace(std::move(*file));
  return out;
}

Status check_output(const std::string& path, const Arguments& given) {
  std::vector<std::string> inputs = given.operands;
  for (const char* option : {"background", "valid", "stop-on", "config", "folds-file"})
    if (given.has(option)) inputs.push_back(given.text(option));
  std::vector<std::string> writers;
  for (const char* option : {"output", "checkpoint", "log", "svg", "roc", "pr", "calibration", "ledger"})
    if (given.text(option) == path) writers.push_back(fmt::format("--{}", option));
  if (writers.size() > 1)
    return usage(fmt::format("{} would both write {}", fmt::join(writers, " and "), printable(path, 200)),
                 "name a file for each");
  for (const std::string& input : inputs) {
    std::error_code code;
    if (std::filesystem::equivalent(path, input, code) && std::filesystem::is_regular_file(path, code))
      return usage(fmt::format("{} is what is read; the result cannot be written over it", printable(path, 200)),
                   "give another name");
  }
  return check_replaceable(path, given.has("force"));
}

Status check_picture(const Arguments& given, const Terminal& terminal, bool alone) {
  if (!given.has("svg")) return Done{};
  if (given.text("svg") != "-") return check_output(given.text("svg"), given);
  if (alone && !terminal.json) return Done{};
  return usage(
      fmt::format("--svg needs a file: standard output has {}", terminal.json ? "the JSON object" : "the table"),
      "give --svg FILE");
}

Status put_picture(std::string_view svg, const Arguments& given, Terminal& terminal) {
  const std::string path = given.text("svg");
  if (path == "-") {
    terminal.print(svg);
    return Done{};
  }
  if (Status written = replace_file(path, svg, given.has("force")); !written) return written;
  if (!terminal.json) terminal.print(fmt::format("wrote {}\n", printable(path, 200)));
  return Done{};
}

Status Output::write(std::string_view text) {
  if (file_) return file_->write(text);
  terminal_->print(text);
  return Done{};
}

Status Output::finish() { return file_ ? file_->finish() : terminal_->flush(); }

std::string csv_cell(std::string_view text) {
  const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !blank_ends) return std::string(text);
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace wald::cli
