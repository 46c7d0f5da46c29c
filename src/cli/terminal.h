// Standard output and standard error: results to the one, everything said beside them to the other.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "wald/result.h"
#include "wald/run.h"

namespace wald::cli {

class Terminal {
 public:
  Terminal();

  bool json = false;                 // standard output is one JSON object
  bool answered = false;             // it is out: an error after it is said on standard error alone
  bool quiet = false;                // no notes, hints or progress
  bool verbose = false;              // timings too
  std::vector<std::string> options;  // of the verb, so that no cure names one it does not have
  bool offers(std::string_view option) const;
  void no_colour() { colour_out_ = colour_error_ = false; }

  // Results; kept back until flush() or until something is said on standard error, so that the two keep their order.
  void print(std::string_view);
  Status flush();
  bool reader_gone() const { return reader_gone_; }  // of `wald ... | head`: go on with nothing more to print
  std::string bold(std::string_view) const;          // for print()
  std::string faint(std::string_view) const;

  // Each a line on standard error. Text from outside must have gone through printable().
  void note(std::string_view);
  void warn(std::string_view);
  void detail(std::string_view);  // only with -v
  void fail(const Error&);

  // Shown after two seconds: on a terminal a bar with the time left, else a line every ten seconds.
  void show(const Progress&);
  std::string beside;  // said after the progress: how it goes
  std::string doing;   // what is going on, for the message when memory runs out

 private:
  void say(std::string_view line);
  void clear_bar();
  using Clock = std::chrono::steady_clock;
  std::string held_;
  Error broken_;  // of standard output; empty message = none
  bool reader_gone_ = false, colour_out_ = false, colour_error_ = false, bar_ = false, bar_shown_ = false;
  double share_of(const Progress&, double passed);
  std::string stage_;
  Clock::time_point stage_began_, shown_;
  std::uint64_t steps_ = 0;  // done of the stage, and after how many seconds of it
  double steps_took_ = 0;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::string seconds_text(double);                       // "0.42 s", "3:20"
std::string size_text(std::uint64_t bytes);             // "3.1 kB"
std::string left(std::string text, std::size_t width);  // padded to width
std::string right(std::string text, std::size_t width);
// Columns of text two blanks apart, the first to the left, the others to the right.
std::string table_text(const std::vector<std::vector<std::string>>& lines);

}  // namespace wald::cli
