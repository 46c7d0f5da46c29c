// Completion scripts for shells, generated from the tables of verbs and options.
#include <fmt/format.h>

#include <algorithm>

#include "cli/verbs.h"
#include "core/text.h"
#include "wald/learn.h"

namespace wald::cli {
namespace {

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  return names;
}

// The words an option's value may be; empty = a file or anything.
std::vector<std::string> value_words(const Option& option) {
  if (option.name == "learner") {
    std::vector<std::string> names;
    for (const LearnerInfo& learner : learners()) names.emplace_back(learner.name);
    return names;
  }
  for (const LearnerInfo& learner : learners())
    for (const OptionInfo& row : learner.options)
      if (row.name == option.name && !row.choices.empty()) return row.choices;
  return option.choices;
}

bool wants_file(const Option& option) { return option.value == "FILE"; }

// Words that may stand where the verb's operands stand, where they are not files.
std::vector<std::string> operand_words(const Verb& verb) {
  if (verb.name == "completion") return {"bash", "zsh", "fish"};
  if (verb.name == "help") return verb_names();
  return {};
}
bool takes_files(const Verb& verb) { return !verb.operands.empty() && operand_words(verb).empty(); }

std::string bash() {
  std::string verbs_case, values;
  std::vector<std::string> done;
  for (const Verb& verb : verbs()) {
    std::vector<std::string> words;
    for (const Option& option : options_of(verb)) {
      words.push_back("--" + option.name);
      if (option.letter) words.push_back(fmt::format("-{}", option.letter));
      if (option.value.empty() || std::ranges::find(done, option.name) != done.end()) continue;
      done.push_back(option.name);
      const std::string match =
          option.letter ? fmt::format("--{}|-{}", option.name, option.letter) : "--" + option.name;
      const std::vector<std::string> choices = value_words(option);
      values += fmt::format("    {}) {} ;;\n", match,
                            !choices.empty()     ? fmt::format("_wald_words '{}'; return", fmt::join(choices, " "))
                            : wants_file(option) ? "_wald_files; return"
                                                 : "return");
    }
    verbs_case += fmt::format("    {}) options='{}' operands='{}' files={} ;;\n", verb.name, fmt::join(words, " "),
                              fmt::join(operand_words(verb), " "), takes_files(verb) ? "yes" : "");
  }
  return fmt::format(R"(# bash completion for wald; made by `wald completion bash`
_wald_words() {{ COMPREPLY+=($(compgen -W "$1" -- "$word")); }}
_wald_files() {{ local IFS=$'\n'; COMPREPLY+=($(compgen -f -- "$word")); }}
_wald() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options= operands= files=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    _wald_words '{}'
    return
  fi
  # --option=value is three words to bash
  if [ "$word" = = ]; then word=
  elif [ "$before" = = ]; then before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  case $before in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
    -*) _wald_words "$options" ;;
    *) _wald_words "$operands"; [ -z "$files" ] || _wald_files ;;
  esac
}}
complete -o filenames -F _wald wald
)",
                     fmt::join(verb_names(), " "), values, verbs_case);
}

// Text inside single quotes of zsh and fish.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}
// Inside the brackets of an _arguments description.
std::string described(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return quoted(out);
}

std::string zsh_option(const Option& option) {
  std::string action;
  if (!option.value.empty()) {
    const std::vector<std::string> choices = value_words(option);
    action = fmt::format(":{}:{}", described(option.value),
                         !choices.empty()     ? fmt::format("({})", fmt::join(choices, " "))
                         : wants_file(option) ? "_files"
                                              : "");
  }
  const std::string star = option.list ? "*" : "";
  std::string out = fmt::format(" \\\n        '{}--{}[{}]{}'", star, option.name, described(option.help), action);
  if (option.letter)
    out += fmt::format(" \\\n        '{}-{}[{}]{}'", star, option.letter, described(option.help), action);
  return out;
}

std::string zsh() {
  std::string list, cases;
  for (const Verb& verb : verbs()) {
    list += fmt::format("    '{}:{}'\n", verb.name, described(verb.help));
    std::string arguments;
    for (const Option& option : options_of(verb)) arguments += zsh_option(option);
    const std::vector<std::string> words = operand_words(verb);
    if (!words.empty()) arguments += fmt::format(" \\\n        '*:word:({})'", fmt::join(words, " "));
    else if (takes_files(verb)) arguments += " \\\n        '*:file:_files'";
    cases += fmt::format("      {})\n        _arguments -S{} ;;\n", verb.name, arguments);
  }
  return fmt::format(R"(#compdef wald
# zsh completion for wald; made by `wald completion zsh`
_wald() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
  else
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
{}    esac
  fi
}}
if [ "$funcstack[1]" = _wald ]; then _wald "$@"; else compdef _wald wald; fi
)",
                     list, cases);
}

std::string fish() {
  std::string out = "# fish completion for wald; made by `wald completion fish`\ncomplete -c wald -f\n";
  for (const Verb& verb : verbs()) {
    out += fmt::format("complete -c wald -n __fish_use_subcommand -a {} -d '{}'\n", verb.name, quoted(verb.help));
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
    if (takes_files(verb)) out += fmt::format("complete -c wald {} -F\n", when);
    if (const auto words = operand_words(verb); !words.empty())
      out += fmt::format("complete -c wald {} -a '{}'\n", when, fmt::join(words, " "));
    for (const Option& option : options_of(verb)) {
      const std::vector<std::string> choices = value_words(option);
      std::string value = option.value.empty() ? "" : " -r";
      if (!choices.empty()) value = fmt::format(" -x -a '{}'", fmt::join(choices, " "));
      else if (!option.value.empty() && !wants_file(option)) value = " -x";
      out += fmt::format("complete -c wald {}{} -l {}{} -d '{}'\n", when,
                         option.letter ? fmt::format(" -s {}", option.letter) : "", option.name, value,
                         quoted(option.help));
    }
  }
  return out;
}

}  // namespace

Status run_completion(const Arguments& given, Terminal& terminal) {
  const std::string& shell = given.operands[0];
  if (shell == "bash") terminal.print(bash());
  else if (shell == "zsh") terminal.print(zsh());
  else if (shell == "fish") terminal.print(fish());
  else {
    const std::string guess = nearest(shell, {"bash", "zsh", "fish"});
    return usage(fmt::format("no completion for a shell called {}", printable(shell)),
                 guess.empty() ? "there is one for bash, zsh and fish" : fmt::format("did you mean {}?", guess));
  }
  return Done{};
}

}  // namespace wald::cli
