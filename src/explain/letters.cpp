#include "explain/letters.h"

#include <array>
#include <cstdint>

#include "core/text.h"

namespace wald {
namespace {

// Advances of blank to tilde, in tenths of a pixel.
constexpr std::array<std::uint8_t, 95> kAdvance = {
    38, 48, 55, 101, 76,  114, 94,  33,  47,  47, 60, 101, 38, 43, 38,  40, 76, 76, 76, 76, 76, 76,  76,  76,
    76, 76, 40, 40,  101, 101, 101, 64,  120, 82, 82, 84,  92, 76, 69,  93, 90, 35, 35, 79, 67, 104, 90,  94,
    72, 94, 83, 76,  73,  88,  82,  119, 82,  73, 82, 47,  40, 47, 101, 60, 60, 74, 76, 66, 76, 74,  42,  76,
    76, 33, 33, 69,  33,  117, 76,  73,  76,  76, 49, 63,  47, 76, 71,  98, 71, 71, 63, 76, 40, 76,  101,
};
constexpr double kLetter = 9, kSign = 10.1;  // letters beyond ASCII; what comes after them, such as a less-or-equal
constexpr double kIdeogram = 12;             // what takes two columns of a terminal
constexpr double kBolder = 1.1;              // what a bold character takes more

double width_at(std::string_view text, double more) {
  double width = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    const auto first = static_cast<unsigned char>(text[at]);
    for (end = at + 1; end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;) ++end;
    const std::size_t columns = first < 0x80 ? 1 : display_width(text.substr(at, end - at));
    if (columns == 0) continue;  // an accent stands over the letter before
    if (first >= ' ' && first < 0x7F) width += kAdvance[first - ' '] / 10.0;
    else width += columns > 1 ? kIdeogram : first < 0xE0 ? kLetter : kSign;
    width += more;
  }
  return width;
}

}  // namespace

double text_width(std::string_view utf8) { return width_at(utf8, 0); }
double bold_width(std::string_view utf8) { return width_at(utf8, kBolder); }

}  // namespace wald
