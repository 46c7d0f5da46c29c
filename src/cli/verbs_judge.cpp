#include <algorithm>

#include "cli/verb_options.h"

namespace wald::cli {
namespace {

// Those of train, less what asks for another way of measuring.
std::vector<Option> judging_one() {
  std::vector<Option> out = fitting();
  std::erase_if(out, [](const Option& option) { return option.name == "holdout" || option.name == "valid"; });
  return out;
}
// With several learners.
std::vector<Option> judging() {
  std::vector<Option> out = judging_one();
  for (Option& option : out)
    if (option.name == "learner") option.value = "NAME,...", option.list = true;
  return out;
}

std::vector<Option> dividing() {
  return {{.name = "folds",
           .value = "N",
           .help = "into how many parts the rows are divided; all: each row by itself",
           .fallback = "5"},
          {.name = "repeats", .value = "N", .help = "how often, each time drawn anew", .fallback = "1"},
          {.name = "group",
           .value = "COLUMN",
           .help = "rows with one value stay in one fold; the column is not learned from"},
          {.name = "time",
           .value = "COLUMN",
           .help = "predict later rows from earlier ones; the column is not learned from"},
          {.name = "folds-file",
           .value = "FILE",
           .help = "a table of one column: for each row of DATA the fold that holds it out"},
          {.name = "measure", .value = "NAME", .help = "what learners are compared by (default: log_loss or rmse)"}};
}

}  // namespace

Verb cv_verb() {
  return {.name = "cv",
          .operands = {"DATA"},
          .help = "cross-validate one or several learners on a table",
          .more =
              "The rows are divided into folds; each fold is predicted by a model of all the others, which learns "
              "everything anew. Given several learners (--learner a,b), the differences to the best are tested on the "
              "same folds, with a variance that allows for their common rows. An option goes to every learner that has "
              "it.",
          .options = joined({{{.name = "target", .value = "COLUMN", .help = "the column to learn"},
                              output("write there, for each row held out, its fold and what was predicted"),
                              force()},
                             dividing(),
                             judging(),
                             reading()}),
          .fits = true,
          .examples = {"wald cv claims.csv --target claim", "wald cv claims.csv --target claim --learner cart,boost",
                       "wald cv claims.csv --target premium --ignore claim --folds 10 --repeats 2"},
          .run = run_cv};
}

Verb tune_verb() {
  return {
      .name = "tune",
      .operands = {"DATA"},
      .help = "search a learner's options by cross-validation",
      .more =
          "The first trial is the defaults; each further one is cross-validated on the same folds. Options given on "
          "the command line stay as they are, the others that are worth it are searched. What is found is taken only "
          "where it beats the defaults by more than its standard error. The trials follow from the seed; the budget "
          "only says how many there are.",
      .options =
          joined({{{.name = "target", .value = "COLUMN", .help = "the column to learn"},
                   {.name = "budget",
                    .value = "TIME",
                    .help = "no trial is begun after this: 60s, 10m, 1.5h",
                    .fallback = "60s"},
                   {.name = "trials", .value = "N", .help = "at most so many trials"},
                   {.name = "method",
                    .value = "NAME",
                    .help = "bayes goes where trials were good, halving tries many on few rows first",
                    .choices = {"bayes", "random", "grid", "halving"},
                    .fallback = "bayes"},
                   {.name = "grid", .value = "N", .help = "values of each option of --method grid", .fallback = "3"},
                   {.name = "log", .value = "FILE", .help = "keep every trial there, a line of JSON each"},
                   {.name = "resume", .help = "take the trials of the log as done and go on"},
                   output("a model of all rows with what was found"),
                   force()},
                  dividing(),
                  judging_one(),
                  reading()}),
      .fits = true,
      .examples = {"wald tune claims.csv --target claim --trials 3",
                   "wald tune claims.csv --target claim --learner cart --budget 2s -o tuned.wald"},
      .run = run_tune};
}

}  // namespace wald::cli
