#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "core/text.h"
#include "wald/learn.h"
#include "wald/version.h"

namespace wald::cli {
namespace {

constexpr std::size_t kNames = 28, kWidth = 100;  // columns: of the options' names, of the page

// Breaks text between words; further lines are indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t width = display_width(word);
    if (used > indent && used + 1 + width > kWidth) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string option_line(const Option& option) {
  std::string names = option.letter ? fmt::format("  -{}, --{}", option.letter, option.name) : "  --" + option.name;
  if (!option.value.empty()) names += " " + option.value;
  std::string help = option.help;
  if (!option.choices.empty()) help += fmt::format(" ({})", fmt::join(option.choices, " | "));
  if (!option.fallback.empty()) help += fmt::format(" [{}]", option.fallback);
  const std::string gap =
      names.size() + 2 > kNames ? "\n" + std::string(kNames, ' ') : std::string(kNames - names.size(), ' ');
  return names + gap + wrapped(help, kNames) + "\n";
}

// Under the heading of each group, in the order of the table.
std::string option_lines(const std::vector<Option>& options, const std::string& heading, const Terminal& terminal) {
  std::string out, group = "none yet";
  for (const Option& option : options) {
    if (option.group != group) out += "\n" + terminal.bold(option.group.empty() ? heading : option.group) + "\n";
    group = option.group;
    out += option_line(option);
  }
  return out;
}

// The learner whose options are shown: the one named, else the default.
std::string learner_asked(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--learner" && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--learner=")) return words[i].substr(10);
  }
  return std::string(kDefaultLearner);
}

nlohmann::ordered_json option_json(const Option& option) {
  nlohmann::ordered_json out = {{"name", option.name}, {"value", option.value}, {"help", option.help}};
  if (!option.fallback.empty()) out["default"] = option.fallback;
  return out;
}

Status print_help_json(const Verb& verb, const std::string& learner, Terminal& terminal) {
  nlohmann::ordered_json options = nlohmann::ordered_json::array(), rows = options;
  for (const Option& option : verb.options) options.push_back(option_json(option));
  for (const Option& option : shared_options()) options.push_back(option_json(option));
  nlohmann::ordered_json out = {{"verb", verb.name}, {"operands", verb.operands}, {"help", verb.help}};
  if (verb.fits) {
    out["learner"] = learner;
    for (const LearnerInfo& info : learners()) {
      if (info.name != learner) continue;
      for (const OptionInfo& o : info.options)
        rows.push_back(
            {{"name", o.name}, {"kind", o.kind}, {"default", o.fallback}, {"range", o.range}, {"help", o.help}});
    }
    out["options"] = rows;  // the learner's: what its page of the manual documents
    out["shared"] = options;
  } else {
    out["options"] = options;
  }
  print_json(out, terminal);
  return Done{};
}

}  // namespace

std::string call_of(const Verb& verb) {
  std::string out = "wald " + verb.name;
  for (const std::string& operand : verb.operands) out += " " + operand;
  return out + (verb.name == "train" ? " --target COLUMN [options]" : verb.options.empty() ? "" : " [options]");
}

Status print_welcome(Terminal& terminal) {
  terminal.print(fmt::format(R"(Wald {} learns from tables.

  wald demo                                    try it on a bundled table
  wald train claims.csv --target claim         learn the column claim; writes claims.wald
  wald predict claims.wald new.csv             predict it for other rows

verbs: {}
wald VERB -h lists a verb's options, wald help VERB explains it.
)",
                             kVersion, [] {
                               std::vector<std::string> names;
                               for (const Verb& verb : verbs()) names.push_back(verb.name);
                               return fmt::format("{}", fmt::join(names, " "));
                             }()));
  return Done{};
}

Status print_help(const Verb& verb, const std::vector<std::string>& words, bool full, Terminal& terminal) {
  const std::string learner = verb.fits ? learner_asked(words) : "";
  if (verb.fits)
    if (Status known = check_settings(learner, {}); !known) return known;
  if (terminal.json) return print_help_json(verb, learner, terminal);
  terminal.print(fmt::format("usage: {}\n{}\n", call_of(verb), wrapped(verb.help, 0)));
  if (full) {
    if (!verb.more.empty()) terminal.print("\n" + wrapped(verb.more, 0) + "\n");
    terminal.print(fmt::format("\n{}\n", terminal.bold("examples, in a folder where wald demo has run:")));
    for (const std::string& example : verb.examples) terminal.print("  " + example + "\n");
  }
  terminal.print(option_lines(verb.options, "options", terminal));
  if (verb.fits) terminal.print(option_lines(learner_options(learner), "options of learner " + learner, terminal));
  terminal.print(option_lines(shared_options(), "options of every verb", terminal));
  return Done{};
}

Status run_help(const Arguments& given, Terminal& terminal) {
  if (!given.operands.empty()) {
    const Verb* verb = find_verb(given.operands[0]);
    if (verb != nullptr) return print_help(*verb, {}, true, terminal);
    std::vector<std::string> names;
    for (const Verb& known : verbs()) names.push_back(known.name);
    const std::string guess = nearest(given.operands[0], names);
    return usage(fmt::format("unknown verb {}", printable(given.operands[0])),
                 guess.empty() ? "wald help lists the verbs" : fmt::format("did you mean {}?", guess));
  }
  if (terminal.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Verb& verb : verbs())
      list.push_back({{"name", verb.name}, {"operands", verb.operands}, {"help", verb.help}});
    print_json({{"verbs", list}}, terminal);
    return Done{};
  }
  terminal.print(fmt::format("Wald {} learns from tables.\n\nusage: wald VERB ... [options]\n\n", kVersion));
  for (const Verb& verb : verbs()) {
    const std::string call = fmt::format("{} {}", verb.name, fmt::join(verb.operands, " "));
    terminal.print(fmt::format("  {:<{}}{}\n", call, kNames - 2, verb.help));
  }
  terminal.print(
      "\nwald VERB -h lists a verb's options, wald help VERB explains it with examples.\n"
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 bad data, 4 bad model, 5 privacy refusal, 130 interrupted.\n");
  return Done{};
}

Status run_version(const Arguments&, Terminal& terminal) {
  if (terminal.json) print_json({{"version", kVersion}}, terminal);
  else terminal.print(fmt::format("wald {}\n", kVersion));
  return Done{};
}

}  // namespace wald::cli
