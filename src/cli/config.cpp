#include "cli/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file.h"
#include "core/text.h"

namespace wald::cli {
namespace {

using nlohmann::json;

Error wrong(const std::string& path, std::string_view what, std::string cure) {
  return usage(fmt::format("{}: {}", printable(path, 300), what), std::move(cure));
}

// The words a person would have written after --name; empty for a switch that is off.
Result<std::vector<std::string>> words_of(const std::string& path, const Option& option, const json& value) {
  const auto text = [](const json& one) { return one.is_string() ? one.get<std::string>() : one.dump(); };
  const auto plain = [](const json& one) { return one.is_string() || one.is_number(); };
  if (option.value.empty()) {
    if (!value.is_boolean())
      return wrong(path, fmt::format("'{}' is a switch", option.name), "set it to true or false");
    return value.get<bool>() ? std::vector<std::string>{""} : std::vector<std::string>{};
  }
  if (plain(value)) return std::vector<std::string>{text(value)};
  if (option.list && value.is_array() && std::ranges::all_of(value, plain)) {
    std::vector<std::string> words;
    for (const json& one : value) {
      std::string quoted = text(one);  // so that a comma in a name stays part of the name
      for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2) quoted.insert(at, 1, '"');
      words.push_back('"' + quoted + '"');
    }
    return words;
  }
  const bool several = option.value == "TEXT";  // a learner's, which may hold several separated by commas
  if (several && value.is_array() && std::ranges::all_of(value, plain)) {
    std::string joined;
    for (const json& one : value) {
      const std::string word = text(one);  // one with quotes has seen to its commas itself
      const bool parted = word.find(',') != std::string::npos && word.find('"') == std::string::npos;
      joined += (joined.empty() ? "" : ",") + (parted ? '"' + word + '"' : word);
    }
    return std::vector{joined};
  }
  return wrong(path, fmt::format("'{}' has a value that is neither text nor number", option.name),
               option.list || several ? "give a text, a number or a list of them" : "give a text or a number");
}

}  // namespace

Status merge_config(const std::string& path, const std::vector<Option>& options, Arguments& arguments) {
  const Result<Bytes> bytes = map_file(path);
  if (!bytes) return bytes.error();
  std::set<std::string> seen;
  std::string twice;
  const auto watched = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key && !seen.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return depth <= 4;
  };
  const json config = json::parse(bytes->text(), watched, false);
  if (config.is_discarded() || !config.is_object())
    return wrong(path, "is not a JSON object", R"(write options as in {"max-depth": 4, "holdout": 0.2})");
  if (!twice.empty()) return wrong(path, fmt::format("'{}' is set twice", printable(twice)), "set it once");
  for (const auto& [name, value] : config.items()) {
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end() || name == "config" || name == "help") {
      std::vector<std::string> names;
      for (const Option& known : options) names.push_back(known.name);
      const std::string guess = did_you_mean(name, names);
      return wrong(path, fmt::format("unknown option '{}'", printable(name)),
                   guess.empty() ? "use the names of the command line, without dashes" : guess);
    }
    if (arguments.has(name)) continue;
    const Result<std::vector<std::string>> words = words_of(path, *option, value);
    if (!words) return words.error();
    for (const std::string& word : *words) {
      if (!option->choices.empty() && std::ranges::find(option->choices, word) == option->choices.end())
        return wrong(path, fmt::format("'{}': '{}' is none of its choices", name, printable(word)),
                     fmt::format("choose one of {}", fmt::join(option->choices, ", ")));
      arguments.set(name, word);
    }
  }
  return Done{};
}

}  // namespace wald::cli
