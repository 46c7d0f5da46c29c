// Numbers as files write them: sign, digits, point, digits, exponent; or inf. Read without the process locale.
#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

namespace wald {

double power_of_ten(int exponent);  // exact for 0 .. 22

// What the text of one cell is.
struct NumberText {
  bool number = false;
  bool whole = false;         // digits only: no point, no exponent
  bool leading_zero = false;  // "007", "00": more than one digit, the first one zero
  bool compact = false;       // mantissa and decimals below hold the number exactly
  std::int64_t mantissa = 0;  // up to 18 digits
  int decimals = 0;           // up to 18
};

// mantissa / 10^decimals, correctly rounded, for mantissas of up to 18 digits and 0 .. 18 decimals.
double decimal_value(std::int64_t mantissa, int decimals);

NumberText number_text(std::string_view text, char decimal);

// The correctly rounded double of a text that number_text calls a number; infinite when it is too large to hold
// though not written as inf.
double number_value(std::string_view text, const NumberText& parsed, char decimal);
bool says_infinite(std::string_view text);  // the text is a form of inf, so its value is meant

// What the cells of a column have in common. Merging is associative and commutative, and every field is a function
// of the cells, not of the order they were met in.
struct Facts {
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  std::uint64_t cells = 0;                                 // not missing
  std::uint64_t numbers = 0;                               // of those
  int decimals = 0;                                        // the most digits behind the point
  double largest = 0;                                      // of the absolute values
  bool fraction = false;                                   // some number has a point, an exponent or is infinite
  bool wide = false;                                       // some number does not fit mantissa and decimals
  bool leading_zero = false;                               // some whole number is written like a code
  bool beyond = false;                                     // some whole number is beyond 2^53
  std::size_t word_at = kNowhere, overflow_at = kNowhere;  // offset of the first such cell

  void add(std::string_view text, char decimal, std::size_t at);
  void merge(const Facts&);
  bool is_number() const { return numbers == cells; }
  bool is_code() const { return !fraction && (leading_zero || beyond); }
};

// How a column is held. Decimal: whole numbers of 10^-decimals in four bytes.
enum class Shape : std::uint8_t { Skip, Decimal, Double, Text, Survey };
struct Form {
  Shape shape = Shape::Decimal;
  int decimals = 0;
};
// The narrowest form that holds every cell the facts were taken from. Facts of some of the cells give a form that
// the whole column needs at least, so that a guess from a sample which then holds is the form of the whole.
Form form_of(const Facts&, bool must_be_number);

}  // namespace wald
