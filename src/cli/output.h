// Where a verb's result goes: standard output, or a file that appears whole or not at all.
#pragma once
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "core/file.h"

namespace wald::cli {

class Output {
 public:
  // To the file that -o names, else (also for "-o -") to the terminal's standard output.
  static Result<Output> open(const Arguments&, Terminal&);
  Status write(std::string_view);
  Status finish();
  bool to_file() const { return file_.has_value(); }
  const std::string& path() const { return path_; }
  bool reader_gone() const { return !file_ && terminal_->reader_gone(); }

 private:
  explicit Output(Terminal& terminal) : terminal_(&terminal) {}
  Terminal* terminal_;
  std::string path_;
  std::optional<FileWriter> file_;
};

// May the result be written to `path`? Never over what the command reads, whatever --force says.
Status check_output(const std::string& path, const Arguments&);

// --svg FILE: may it be drawn there? `alone`: nothing else is printed, so that "-" can stand for standard output.
Status check_picture(const Arguments&, const Terminal&, bool alone);
// Writes it and says so; with --json in silence.
Status put_picture(std::string_view svg, const Arguments&, Terminal&);

std::string csv_cell(std::string_view text);  // quoted where RFC 4180 asks for it

}  // namespace wald::cli
