#include "cli/verb_options.h"

#include <fmt/format.h>

#include "wald/learn.h"

namespace wald::cli {
namespace {

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const LearnerInfo& learner : learners()) names.emplace_back(learner.name);
  return names;
}

}  // namespace

std::vector<Option> joined(std::initializer_list<std::vector<Option>> groups) {
  std::vector<Option> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

std::vector<Option> grouped(const std::string& heading, std::vector<Option> options) {
  for (Option& option : options) option.group = heading;
  return options;
}

std::vector<Option> reading() {
  return grouped(
      "reading the table",
      {
          {.name = "na",
           .value = "WORD,...",
           .help = "words that mean missing, besides NA N/A n/a NaN nan null NULL ? - #N/A and the empty cell",
           .list = true},
          {.name = "delimiter",
           .value = "CHARACTER",
           .help = "what separates cells: a character, comma, semicolon or tab"},
          {.name = "decimal", .value = "CHARACTER", .help = "the decimal sign: point or comma"},
          {.name = "header", .help = "the first line names the columns"},
          {.name = "no-header", .help = "the first line is a row already"},
          {.name = "threads", .value = "N", .help = "threads to use; results do not depend on it", .fallback = "all"},
      });
}

Option output(std::string help) { return {.name = "output", .letter = 'o', .value = "FILE", .help = std::move(help)}; }
Option force() { return {.name = "force", .help = "replace files that exist"}; }
Option schema(std::string help) { return {.name = "schema", .value = "FILE", .help = std::move(help)}; }

std::vector<Option> fitting() {
  return {
      {.name = "learner",
       .value = "NAME",
       .help = "what to fit: " + fmt::format("{}", fmt::join(learner_names(), ", ")),
       .fallback = std::string(kDefaultLearner)},
      {.name = "seed", .value = "N", .help = "of all randomness: the same seed gives the same model", .fallback = "1"},
      {.name = "weight", .value = "COLUMN", .help = "a column that says how much each row counts"},
      {.name = "query", .value = "COLUMN", .help = "for ranking: rows of one value are ranked among each other"},
      {.name = "ignore", .value = "COLUMN,...", .help = "columns to leave out", .list = true},
      {.name = "keep", .value = "COLUMN,...", .help = "columns to use though they look like identifiers", .list = true},
      {.name = "task",
       .value = "KIND",
       .help = "what a target of numbers holds: two values, or whole numbers from 0 or 1 up to 20 "
               "values, are taken for classes, but not with --query or a loss for numbers",
       .choices = {"classes", "numbers"}},
      {.name = "drop-missing-target", .help = "leave out rows without a target instead of refusing them"},
      schema("a file that fixes types, levels and bounds of columns (wald profile --schema makes one)"),
      {.name = "holdout", .value = "SHARE", .help = "measure on this share of the rows, which the model does not see"},
      {.name = "valid", .value = "FILE", .help = "measure on another table"},
      {.name = "config", .value = "FILE", .help = "a JSON object of options and values; the command line wins"},
  };
}

}  // namespace wald::cli
