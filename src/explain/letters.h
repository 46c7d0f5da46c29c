// How wide letters are, so that the labels of pictures have room.
#pragma once
#include <string_view>

namespace wald {

// In pixels at 12 px, in DejaVu Sans: of the fonts that a picture may be shown in one of the widest.
double text_width(std::string_view utf8);
double bold_width(std::string_view utf8);

}  // namespace wald
