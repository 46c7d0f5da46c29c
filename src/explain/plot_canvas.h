// What every picture is made of: an SVG of its own, white ground, text escaped, axes with round numbers.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wald {

inline constexpr const char *kRise = "#d1495b", *kFall = "#3b6fb6", *kInk = "#222", *kPale = "#d8dde3",
                            *kGrey = "#8a8f96";

enum class Anchor { Start, Middle, End };

class Canvas {
 public:
  Canvas(double width, double height, std::string_view title);
  void rect(double x, double y, double width, double height, std::string_view fill, std::string_view tip = {});
  void line(double x0, double y0, double x1, double y1, std::string_view stroke, double width = 1,
            std::string_view dash = {});
  void circle(double x, double y, double radius, std::string_view fill, double opacity = 1);
  void path(const std::string& d, std::string_view fill, std::string_view tip = {});
  void polyline(const std::vector<std::pair<double, double>>&, std::string_view stroke, double width, double opacity);
  void text(double x, double y, std::string_view text, Anchor = Anchor::Start, std::string_view fill = kInk,
            std::string_view more = {});  // more: further attributes
  void centred(double x, double y, std::string_view text,
               std::string_view fill = kInk);  // moved aside where it would leave the picture
  std::string finish();

 private:
  std::string out_;
  double width_ = 0;
};

std::string escaped(std::string_view text);  // for XML; characters XML cannot hold become U+FFFD

// Round numbers that cover low .. high, about `count` of them.
std::vector<double> ticks(double low, double high, int count);
// Their numbers, all written in one way: in full, or where that is long and powers of ten are shorter, so.
std::vector<std::string> tick_texts(const std::vector<double>& at);
// As many digits as a change of `size` needs to be seen: 1000000000.25 beside 0.5, but 10.32 beside 3.
std::string text_beside(double value, double size);

struct Scale {  // of data to pixels
  double low = 0, high = 1, from = 0, to = 1;
  double operator()(double x) const { return from + (x - low) / (high - low) * (to - from); }
};
// Widens low .. high a little; never empty.
Scale scale_of(double low, double high, double from, double to);

double y_axis_room(const Scale&);  // what its numbers need to the left of it
void draw_x_axis(Canvas&, const Scale&, double top, double bottom, std::string_view label);
void draw_y_axis(Canvas&, const Scale&, double left, double right, std::string_view label);

std::string blend(double share);  // from the colour of low values (0) to that of high ones (1)

}  // namespace wald
