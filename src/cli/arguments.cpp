#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/shell.h"
#include "core/text.h"
#include "learn/elsewhere.h"

namespace wald::cli {
namespace {

const Option* find(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

std::string shown(const Option& option) { return "--" + option.name; }

Error unknown(std::string_view verb, const std::vector<Option>& options, std::string_view word) {
  const std::string_view ours = known_elsewhere(word);
  const bool has = !ours.empty() && find(options, ours) != nullptr;
  const std::string guess = has ? fmt::format("--{}", ours) : nearest(word, names_of(options));
  return usage(
      fmt::format("unknown option {} of {}", printable(word), verb),
      guess.empty() ? fmt::format("wald {} -h lists the options", verb) : fmt::format("did you mean {}?", guess));
}

Error no_value(const Option& option) {
  return usage(fmt::format("{} needs a value", shown(option)), fmt::format("write {} {}", shown(option), option.value));
}

Status put(const Option& option, std::string value, Arguments& out) {
  if (out.has(option.name) && !option.list)
    return usage(fmt::format("{} is given twice", shown(option)), "give it once");
  if (!option.choices.empty() && std::ranges::find(option.choices, value) == option.choices.end()) {
    const std::string guess = did_you_mean(value, option.choices);
    return usage(fmt::format("{}: '{}' is none of its choices", shown(option), printable(value)),
                 guess.empty() ? fmt::format("choose one of {}", fmt::join(option.choices, ", ")) : guess);
  }
  out.set(option.name, std::move(value));
  return Done{};
}

// One option and, where it takes one, its value; `at` moves past both.
Status take(std::string_view verb, const std::vector<Option>& options, const std::vector<std::string>& words,
            std::size_t& at, Arguments& out) {
  const std::string& word = words[at++];
  const bool is_long = word.starts_with("--");
  const std::size_t equals = is_long ? word.find('=') : std::string::npos;
  const auto letter = std::ranges::find(options, word[1], &Option::letter);
  const Option* option = is_long ? find(options, std::string_view(word).substr(2, equals - 2))
                                 : (letter != options.end() ? &*letter : nullptr);
  if (option == nullptr || (!is_long && option->value.empty() && word.size() > 2))
    return unknown(verb, options, word.substr(0, equals));
  if (option->value.empty()) {
    if (equals != std::string::npos)
      return usage(fmt::format("{} is a switch and takes no value", shown(*option)),
                   "leave out the = and what follows");
    return put(*option, "", out);
  }
  if (equals != std::string::npos) return put(*option, word.substr(equals + 1), out);
  if (!is_long && word.size() > 2) return put(*option, word.substr(2), out);
  if (at == words.size() || words[at].starts_with("--")) return no_value(*option);
  return put(*option, words[at++], out);
}

}  // namespace

std::vector<std::string> names_of(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back(shown(option));
  return names;
}

Result<Arguments> parse(std::string_view verb, const std::vector<Option>& options,
                        const std::vector<std::string>& words) {
  Arguments out;
  bool options_over = false;
  for (std::size_t at = 0; at < words.size();) {
    const std::string& word = words[at];
    if (!options_over && word == "--") {
      options_over = true;
      ++at;
    } else if (options_over || word.size() < 2 || word[0] != '-') {
      out.operands.push_back(word);
      ++at;
    } else if (Status taken = take(verb, options, words, at, out); !taken) {
      return taken.error();
    }
  }
  return out;
}

std::string Arguments::text(std::string_view name, std::string fallback) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::move(fallback) : found->second.front();
}

const std::vector<std::string>& Arguments::raw(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  std::vector<std::string> out;
  for (const std::string& value : raw(name)) std::ranges::move(split_list(value), std::back_inserter(out));
  return out;
}

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

Result<std::uint64_t> Arguments::whole(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                                       std::uint64_t most) const {
  if (!has(name)) return fallback;
  const std::string given = text(name);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (code != std::errc{} || end != given.data() + given.size() || value < least || value > most)
    return usage(fmt::format("--{}: '{}' is not a number it takes", name, printable(given)),
                 fmt::format("give a whole number from {} to {}", least, most));
  return value;
}

Result<double> Arguments::number(std::string_view name, double fallback, double least, double most) const {
  if (!has(name)) return fallback;
  const std::string given = text(name);
  const std::optional<double> value = read_number(given);
  if (!value || !(*value >= least && *value <= most))
    return usage(fmt::format("--{}: '{}' is not a number it takes", name, printable(given)),
                 fmt::format("give a number from {} to {}", short_text(least), short_text(most)));
  return *value;
}

}  // namespace wald::cli
