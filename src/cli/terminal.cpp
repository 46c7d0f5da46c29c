#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/text.h"

namespace wald::cli {
namespace {

constexpr std::size_t kBlock = 1 << 16;
constexpr double kQuietSeconds = 2, kBarSeconds = 0.1, kLineSeconds = 10;
constexpr int kBarWidth = 24;

// A standard descriptor that the caller closed would be given to the next file opened, and what we print would end
// in a model. The place is taken by a descriptor on which reading, or writing, fails.
void occupy_closed_descriptors() {
  for (int descriptor : {0, 1, 2})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)!::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

bool colour_wanted(int descriptor) {
  const char *none = std::getenv("NO_COLOR"), *kind = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (none == nullptr || *none == 0) && kind != nullptr &&
         std::string_view(kind) != "dumb";
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar_text(double share) {
  const int full = static_cast<int>(share * kBarWidth);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < full ? "━" : i == full ? "╸" : " ";
  return text;
}

}  // namespace

Terminal::Terminal() {
  occupy_closed_descriptors();
  colour_out_ = colour_wanted(1);
  colour_error_ = colour_wanted(2);
  const char* kind = std::getenv("TERM");
  bar_ = ::isatty(2) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

void Terminal::print(std::string_view text) {
  held_ += text;
  if (held_.size() >= kBlock) (void)flush();
}

Status Terminal::flush() {
  clear_bar();
  if (!broken_.message.empty()) return broken_;
  if (!reader_gone_ && !write_all(1, held_)) {
    if (errno == EPIPE) reader_gone_ = true;
    else
      broken_ = failure(
          fmt::format("cannot write standard output: {}", std::strerror(errno)),
          offers("output") ? "write to a file with -o, or send the output elsewhere" : "send the output elsewhere");
  }
  held_.clear();
  return broken_.message.empty() ? Status(Done{}) : Status(broken_);
}

bool Terminal::offers(std::string_view option) const { return std::ranges::find(options, option) != options.end(); }

std::string Terminal::bold(std::string_view text) const {
  return colour_out_ ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}
std::string Terminal::faint(std::string_view text) const {
  return colour_out_ ? fmt::format("\x1b[2m{}\x1b[0m", text) : std::string(text);
}

void Terminal::say(std::string_view line) {
  (void)flush();
  (void)write_all(2, fmt::format("{}\n", line));
}

void Terminal::note(std::string_view text) {
  if (quiet) return;
  say(fmt::format("  {}  {}", colour_error_ ? "\x1b[36mnote\x1b[0m" : "note", text));
}
void Terminal::warn(std::string_view text) {
  say(fmt::format("  {}  {}", colour_error_ ? "\x1b[33mwarning\x1b[0m" : "warning", text));
}
void Terminal::detail(std::string_view text) {
  if (verbose) say(fmt::format("  {}", text));
}
void Terminal::fail(const Error& error) {
  say(fmt::format("{} {}", colour_error_ ? "\x1b[1;31merror:\x1b[0m" : "error:", error.message));
  if (!error.cure.empty()) say(fmt::format("  {} {}", colour_error_ ? "\x1b[1mfix:\x1b[0m" : "fix:", error.cure));
}

// Where a step takes long, such as a fold, the part of it that is done is guessed from how long the others took.
double Terminal::share_of(const Progress& p, double passed) {
  if (p.total == 0) return 0;
  if (p.done != steps_) steps_ = p.done, steps_took_ = passed;
  const auto done = static_cast<double>(p.done);
  const double within = done > 0 && steps_took_ > 0 ? std::min(0.95, (passed - steps_took_) / steps_took_ * done) : 0;
  return std::min(1.0, (done + within) / static_cast<double>(p.total));
}

void Terminal::show(const Progress& p) {
  if (quiet) return;
  const auto now = Clock::now();
  const auto since = [&](Clock::time_point t) { return std::chrono::duration<double>(now - t).count(); };
  if (stage_ != p.stage) {
    stage_ = p.stage;
    stage_began_ = shown_ = now;
    steps_ = p.done, steps_took_ = 0;
    return;
  }
  const double passed = since(stage_began_);
  const double share = share_of(p, passed);
  if (passed < kQuietSeconds || since(shown_) < (bar_ ? kBarSeconds : kLineSeconds)) return;
  shown_ = now;
  std::string text = share > 0 ? fmt::format("{}{} {:3.0f} %  {} left", stage_, bar_ ? " " + bar_text(share) : "",
                                             100 * share, clock_text(passed * (1 - share) / share))
                               : fmt::format("{}  {}", stage_, clock_text(passed));
  if (!beside.empty()) text += fmt::format("  {}", beside);
  if (bar_) text = "\r" + text + "\x1b[K";
  else text += "\n";
  bar_shown_ = bar_;
  (void)write_all(2, text);
}

void Terminal::clear_bar() {
  if (bar_shown_) (void)write_all(2, "\r\x1b[K");
  bar_shown_ = false;
}

std::string seconds_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.2f} s", seconds) : clock_text(seconds);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB", "TB"})
    if ((size /= 1000) < 999.5) return fmt::format("{:.{}f} {}", size, size < 9.95 ? 1 : 0, unit);
  return fmt::format("{:.0f} PB", size / 1000);
}

std::string left(std::string text, std::size_t width) {
  return text.append(width - std::min(width, display_width(text)), ' ');
}
std::string right(std::string text, std::size_t width) {
  return text.insert(0, width - std::min(width, display_width(text)), ' ');
}

std::string table_text(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> width(lines[0].size());
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) width[k] = std::max(width[k], display_width(line[k]));
  std::string out;
  for (const auto& line : lines) {
    out += left(line[0], width[0]);
    for (std::size_t k = 1; k < line.size(); ++k) out += "  " + right(line[k], width[k]);
    out += '\n';
  }
  return out;
}

}  // namespace wald::cli
