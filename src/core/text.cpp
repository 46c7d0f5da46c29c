#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace wald {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + !same});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

// Length of the valid UTF-8 sequence at the start of text, 0 if there is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF0 && byte(1) < 0x90) ||
      (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::min<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    if (const std::size_t d = edits(word, candidate); d < least) least = d, best = candidate;
  }
  if (best.empty() && word.size() >= 3)
    for (const std::string& candidate : candidates)
      if (candidate.starts_with(word)) return candidate;
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("did you mean '{}'?", printable(best));
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == limit) return out + "...";
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    // C1 controls (U+0080 to U+009F) steer some terminals too.
    const bool control =
        byte < 0x20 || byte == 0x7F || (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (text[0] == '\n') out += "\\n";
    else if (text[0] == '\t') out += "\\t";
    else if (text[0] == '\r') out += "\\r";
    else if (length == 0 || control)
      out += fmt::format("\\x{:02x}", length == 2 ? static_cast<unsigned char>(text[1]) : byte);
    else out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string short_text(double value) {
  if (!std::isfinite(value)) return exact_text(value);
  std::string text = fmt::format("{:.4g}", value);
  return text.find('e') != std::string::npos && std::fabs(value) >= 1 && std::fabs(value) < 1e15
             ? fmt::format("{:.0f}", value)
             : text;
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string plural(std::uint64_t n, std::string_view word) {
  return fmt::format("{} {}{}", with_commas(n), word, n == 1 ? "" : "s");
}

}  // namespace wald
