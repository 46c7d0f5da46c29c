// One table per options struct: name, member, range, sentence. The default is the member's initializer. Command line,
// model file, manual and completion are all read from it.
#pragma once
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/text.h"
#include "wald/learn.h"

namespace wald {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();
inline constexpr double kMostSmoothing = 1e9;  // more would drown any table's counts, and at last be lost itself
inline constexpr double kAboveZero = std::numeric_limits<double>::denorm_min();  // as a least value: 0 is refused

template <class Struct, class T>
struct NumberOption {
  std::string_view name;
  T Struct::* member;
  T least, most;
  std::string_view help;
  std::string_view word = {};  // stands for word_value: "exact", "none"; or kUnset
  T word_value = {};
};
// How many of some things: a share of them below 1, else a whole number. With a decimal point a number from 1 up could
// be meant for either.
template <class Struct>
struct ShareOption : NumberOption<Struct, double> {};
inline constexpr std::string_view kUnset = "unset";  // of an option that has no default: told where one is told, but
                                                     // never offered as a value

template <class Struct, class T>
struct ChoiceOption {  // T is an enum whose values count from 0 in the order of the words, or bool
  std::string_view name;
  T Struct::* member;
  std::vector<std::string> (*words)();
  std::string_view help;
};

template <class Struct>
struct TextOption {  // judged by whoever knows the table
  std::string_view name;
  std::string Struct::* member;
  std::string_view form;  // "COLUMN=up,..."
  std::string_view help;
};

namespace options_detail {

std::string number_text(double value);
Error not_a_number(std::string_view name, std::string_view text, std::string_view range);
Error outside(std::string_view name, std::string_view text, std::string_view range);
Error neither_share_nor_count(std::string_view name, std::string_view text, std::string_view word);
Error not_a_choice(std::string_view name, std::string_view text, const std::vector<std::string>& choices);
Error unknown_option(std::string_view learner, std::string_view name, const std::vector<std::string>& known);

template <class Struct, class T>
std::string range_of(const NumberOption<Struct, T>& o) {
  const double least = static_cast<double>(o.least), most = static_cast<double>(o.most);
  std::string range = least == kAboveZero  ? "a number above 0"
                      : most == kUnlimited ? fmt::format("{} or more", number_text(least))
                                           : fmt::format("{} to {}", number_text(least), number_text(most));
  return o.word.empty() || o.word == kUnset ? range : fmt::format("{}, or {}", range, o.word);
}

template <class Struct, class T>
std::string text_of(const NumberOption<Struct, T>& o, const Struct& s) {
  return !o.word.empty() && s.*o.member == o.word_value ? std::string(o.word)
                                                        : number_text(static_cast<double>(s.*o.member));
}
template <class Struct, class T>
std::string text_of(const ChoiceOption<Struct, T>& o, const Struct& s) {
  return o.words()[static_cast<std::size_t>(s.*o.member)];
}

template <class Struct>
std::string text_of(const TextOption<Struct>& o, const Struct& s) {
  return s.*o.member;
}

template <class Struct>
Status read_one(const TextOption<Struct>& o, std::string_view text, Struct& into) {
  into.*o.member = text;
  return Done{};
}
template <class Struct, class T>
Status read_one(const NumberOption<Struct, T>& o, std::string_view text, Struct& into) {
  if (!o.word.empty() && text == o.word) {
    into.*o.member = o.word_value;
    return Done{};
  }
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) return outside(o.name, text, range_of(o));
  if (code != std::errc{} || end != text.data() + text.size()) return not_a_number(o.name, text, range_of(o));
  const bool finite = std::is_integral_v<T> || std::isfinite(static_cast<double>(value));  // a word says none or all
  if (!(finite && value >= o.least && value <= o.most)) return outside(o.name, text, range_of(o));
  into.*o.member = value;
  return Done{};
}
template <class Struct>
Status read_one(const ShareOption<Struct>& o, std::string_view text, Struct& into) {
  const NumberOption<Struct, double>& number = o;
  if (Status read = read_one(number, text, into); !read) return read;
  const bool whole = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (into.*o.member < 1 || whole) return Done{};
  return neither_share_nor_count(o.name, text, o.word);
}
template <class Struct, class T>
Status read_one(const ChoiceOption<Struct, T>& o, std::string_view text, Struct& into) {
  const auto words = o.words();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == text) {
      into.*o.member = static_cast<T>(i);
      return Done{};
    }
  return not_a_choice(o.name, text, words);
}

template <class Struct>
OptionInfo info_of(const TextOption<Struct>& o) {
  return {std::string(o.name), "text", text_of(o, Struct{}), std::string(o.form), {}, std::string(o.help)};
}
template <class Struct, class T>
OptionInfo info_of(const NumberOption<Struct, T>& o) {
  return {std::string(o.name), std::is_integral_v<T> ? "whole number" : "number", text_of(o, Struct{}), range_of(o), {},
          std::string(o.help)};
}
template <class Struct, class T>
OptionInfo info_of(const ChoiceOption<Struct, T>& o) {
  return {std::string(o.name), "choice",           text_of(o, Struct{}), fmt::format("{}", fmt::join(o.words(), " | ")),
          o.words(),           std::string(o.help)};
}

}  // namespace options_detail

// An option that was changed, and whether anything asks for it; `where` says what would.
struct Idle {
  bool changed = false, asked_for = true;
  std::string_view option, where;
};
Status check_idle(std::initializer_list<Idle>);

// Of --bins, wherever there is one.
constexpr std::string_view kBinsWords = "bins a column of numbers is cut into; exact: one a value, of up to 65,535";

inline std::vector<std::string> yes_or_no() { return {"no", "yes"}; }

// Struct::table() gives a tuple of the options above.
template <class Struct>
std::vector<OptionInfo> option_infos() {
  return std::apply([](const auto&... o) { return std::vector<OptionInfo>{options_detail::info_of(o)...}; },
                    Struct::table());
}

template <class Struct>
Result<Struct> read_options(std::string_view learner, const Settings& settings) {
  Struct out;
  for (const auto& [name, text] : settings) {
    bool known = false;
    Status status = Done{};
    const auto try_one = [&](const auto& o) {
      if (o.name == name) known = true, status = options_detail::read_one(o, text, out);
    };
    std::apply([&](const auto&... o) { (try_one(o), ...); }, Struct::table());
    if (!known) {
      std::vector<std::string> names;
      for (const OptionInfo& info : option_infos<Struct>()) names.push_back(info.name);
      return options_detail::unknown_option(learner, name, names);
    }
    if (!status) return status.error();
  }
  return out;
}

template <class Struct>
std::map<std::string, std::string> option_texts(const Struct& options) {
  std::map<std::string, std::string> out;
  std::apply([&](const auto&... o) { (out.emplace(o.name, options_detail::text_of(o, options)), ...); },
             Struct::table());
  return out;
}

}  // namespace wald
