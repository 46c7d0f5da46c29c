#include "cli/program.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/config.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/signals.h"
#include "cli/verbs.h"
#include "core/parallel.h"
#include "core/text.h"

namespace wald::cli {
namespace {

// For the tests of the promise that the order of work never matters.
void shuffle_if_asked() {
  const char* text = std::getenv("WALD_SHUFFLE_WORK");
  if (text == nullptr) return;
  std::uint64_t seed = 0;
  std::from_chars(text, text + std::char_traits<char>::length(text), seed);
  shuffle_work(seed);
}

// Nor the instructions of the processor: none better than those named are used.
void limit_instructions_if_asked() {
  const char* text = std::getenv("WALD_INSTRUCTIONS");
  if (text == nullptr) return;
  const std::string_view name = text;
  const std::int64_t best = name == "sse4" ? HWY_SSE4 : name == "avx2" ? HWY_AVX2 : 1;
  hwy::DisableTargets(best - 1);  // in Highway's numbers better ones are smaller
}

Error unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  const std::string guess = nearest(word, names);
  return usage(
      fmt::format("unknown verb {}", printable(word)),
      guess.empty() ? fmt::format("the verbs are {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", guess));
}

Status check_operands(const Verb& verb, const Arguments& given) {
  std::size_t least = 0;
  for (const std::string& operand : verb.operands) least += operand[0] != '[';
  if (given.operands.size() < least)
    return usage(fmt::format("{} needs {}", verb.name, verb.operands[given.operands.size()]), "write " + call_of(verb));
  if (given.operands.size() > verb.operands.size())
    return usage(
        fmt::format("{} does not know what to do with {}", verb.name, printable(given.operands[verb.operands.size()])),
        "write " + call_of(verb));
  return Done{};
}

bool asks(const std::vector<std::string>& words, std::string_view what) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == what) return true;
  }
  return false;
}

Status run_verb(const Verb& verb, const std::vector<std::string>& words, Terminal& terminal) {
  if (asks(words, "--help") || asks(words, "-h")) return print_help(verb, words, asks(words, "--help"), terminal);
  Result<Arguments> given = parse(verb.name, options_of(verb), words);
  if (!given) return given.error();
  if (given->has("config"))
    if (Status merged = merge_config(given->text("config"), options_of(verb), *given); !merged) return merged;
  for (const Option& option : options_of(verb)) terminal.options.push_back(option.name);
  terminal.json = given->has("json");
  terminal.quiet = given->has("quiet");
  terminal.verbose = given->has("verbose");
  if (given->has("no-color")) terminal.no_colour();
  if (Status operands = check_operands(verb, *given); !operands) return operands;
  return verb.run(*given, terminal);
}

Status run_words(std::vector<std::string> words, Terminal& terminal) {
  terminal.json = asks(words, "--json");
  if (words.empty()) return print_welcome(terminal);
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "--version" || first == "-V") return run_version({}, terminal);
  if (first == "--help" || first == "-h") return run_help({}, terminal);
  const Verb* verb = find_verb(first);
  if (verb == nullptr && first.starts_with("-"))
    return usage(fmt::format("a verb comes first, not {}", printable(first)), "wald help lists the verbs");
  if (verb == nullptr) return unknown_verb(first);
  return run_verb(*verb, words, terminal);
}

Error out_of_memory(const std::string& cure, const Terminal& terminal) {
  return failure(fmt::format("out of memory{}", terminal.doing.empty() ? "" : " while " + terminal.doing),
                 cure + (terminal.offers("ignore") ? "leave out columns (--ignore) or rows" : "leave out rows"));
}

// Errors that come as exceptions: memory, and bugs of ours.
Status run_caught(const std::vector<std::string>& words, Terminal& terminal) {
  try {
    return run_words(words, terminal);
  } catch (const std::bad_alloc&) {
    return out_of_memory("close other programs, use a machine with more memory, or ", terminal);
  } catch (const std::length_error&) { return out_of_memory("", terminal); } catch (const std::exception& e) {
    return failure(fmt::format("internal error: {}", printable(e.what(), 200)), "please report this as a bug");
  }
}

void print_json_error(const Error& error, Terminal& terminal) {
  constexpr std::pair<ErrorKind, const char*> kinds[] = {
      {ErrorKind::Failure, "failure"},        {ErrorKind::Usage, "usage"},
      {ErrorKind::BadData, "bad data"},       {ErrorKind::BadModel, "bad model"},
      {ErrorKind::PrivacyRefusal, "privacy"}, {ErrorKind::Interrupted, "interrupted"}};
  const auto* kind = std::ranges::find(kinds, error.kind, &std::pair<ErrorKind, const char*>::first);
  print_json({{"error",
               {{"kind", kind->second},
                {"code", static_cast<int>(error.kind)},
                {"message", error.message},
                {"cure", error.cure}}}},
             terminal);
}

}  // namespace

int run_program(const std::vector<std::string>& words) {
  install_signals();
  shuffle_if_asked();
  limit_instructions_if_asked();
  Terminal terminal;
  Status status = run_caught(words, terminal);
  if (!status && terminal.json && !terminal.answered) print_json_error(status.error(), terminal);
  if (Status flushed = terminal.flush(); status && !flushed) status = flushed;
  if (status) return 0;
  terminal.fail(status.error());
  return static_cast<int>(status.error().kind);
}

}  // namespace wald::cli
