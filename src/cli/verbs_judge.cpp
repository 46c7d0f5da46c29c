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
          {.name = "measure",
           .value = "NAME",
           .help = "what learners are compared by (default: log_loss, rmse, pinball of quantiles, concordance of "
                   "--loss cox, ndcg where there is a query)"}};
}

std::vector<Option> costs(const std::string& what, const std::string& rows) {
  return {{.name = "cost",
           .value = "fp=A,fn=B",
           .help = "what a false positive and a false negative cost: " + what,
           .list = true},
          {.name = "odds",
           .value = "NEG:POS",
           .help = "negatives per positive where the model will be used (default: as in " + rows + ")"}};
}

}  // namespace

std::vector<Option> deciding() {
  return grouped(
      "deciding",
      joined({{{.name = "calibrate",
                .value = "HOW",
                .help = "make probabilities right on average, by a curve learned from rows held out in turn",
                .choices = {"none", "sigmoid", "isotonic"},
                .fallback = "none"}},
              costs("the model decides at the least cost, on rows held out in turn", "DATA"),
              {{.name = "positive", .value = "CLASS", .help = "the class that --cost and --odds call positive"}}}));
}

Verb evaluate_verb() {
  return {.name = "evaluate",
          .operands = {"MODEL", "DATA"},
          .help = "measure a model on a table that has the true target",
          .more =
              "For two classes, precision, recall and F1 are those of the second class (see --positive), and the "
              "operating point is the cheapest corner of the convex hull of the ROC curve.",
          .options =
              joined({{{.name = "positive", .value = "CLASS", .help = "the class that precision and recall speak of"}},
                      costs("sets the operating point", "DATA"),
                      {output("write there the model, made to decide by the operating point"),
                       {.name = "intervals",
                        .value = "LEVEL",
                        .help = "say between which values each measure lies with this certainty, for example 0.95"},
                       {.name = "resamples", .value = "N", .help = "of the rows, for --intervals", .fallback = "1000"},
                       {.name = "seed", .value = "N", .help = "of the resamples", .fallback = "1"},
                       {.name = "plot",
                        .value = "CURVE",
                        .help = "draw a curve on the terminal",
                        .choices = {"roc", "pr", "calibration"}},
                       {.name = "roc",
                        .value = "FILE",
                        .help = "write the ROC curve there: CSV, or by the file's name .svg or .json"},
                       {.name = "pr", .value = "FILE", .help = "write precision against recall there, likewise"},
                       {.name = "calibration",
                        .value = "FILE",
                        .help = "write what came true against what was predicted there, likewise"},
                       {.name = "query",
                        .value = "COLUMN",
                        .help = "rank rows of one value among each other (default: as in training)"},
                       {.name = "weight", .value = "COLUMN", .help = "a column that says how much each row counts"},
                       {.name = "out-of-bag",
                        .help = "DATA is the table a forest was trained on: measure what those trees say of each row "
                                "that did not learn from it"},
                       force()},
                      reading()}),
          .examples = {"wald evaluate claims.wald claims.csv", "wald evaluate claims.wald claims.csv --cost fp=1,fn=12",
                       "wald evaluate claims.wald claims.csv --cost fp=1,fn=12 -o wary.wald",
                       "wald evaluate claims.wald claims.csv --json"},
          .run = run_evaluate};
}

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
                              {.name = "tune",
                               .value = "N|TIME",
                               .help = "search each learner's options anew in every fold, by so many trials or for so "
                                       "long (60s)"},
                              {.name = "inner-folds",
                               .value = "N",
                               .help = "into how many parts --tune divides a fold's training rows",
                               .fallback = "3"},
                              output("write there, for each row held out, its fold and what was predicted"),
                              force()},
                             dividing(),
                             judging(),
                             deciding(),
                             reading()}),
          .fits = true,
          .examples = {"wald cv claims.csv --target claim", "wald cv claims.csv --target claim --learner cart,boost",
                       "wald cv claims.csv --target premium --ignore claim --folds 10 --repeats 2",
                       "wald cv claims.csv --target claim --learner cart --tune 5"},
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
                    .help = "the search ends after this, and leaves out a trial cut off by it: 60s, 10m, 1.5h",
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
                  deciding(),
                  reading()}),
      .fits = true,
      .examples = {"wald tune claims.csv --target claim --trials 3",
                   "wald tune claims.csv --target claim --learner cart --budget 2s -o tuned.wald"},
      .run = run_tune};
}

Verb curve_verb() {
  return {.name = "curve",
          .operands = {"DATA"},
          .help = "draw how the error falls with more rows, with an option, or round by round",
          .more =
              "Each point is a cross-validation: the measure on the rows trained on and on those held out. --by rows "
              "learns from ever more of the training rows, --by OPTION tries values of an option of the learner, --by "
              "rounds shows what boosting tells of itself. A gap between the two lines that more rows close asks for "
              "more rows; one that stays asks for a simpler model.",
          .options = joined({{{.name = "target", .value = "COLUMN", .help = "the column to learn"},
                              {.name = "by", .value = "WHAT", .help = "rows, rounds, or an option", .fallback = "rows"},
                              {.name = "values",
                               .value = "A,B,...",
                               .help = "of the option, or shares of the rows (default: some of what tune searches)",
                               .list = true},
                              output("write the curve there: CSV, or by the file's name .svg or .json"),
                              force()},
                             dividing(),
                             judging_one(),
                             reading()}),
          .fits = true,
          .examples = {"wald curve claims.csv --target claim --learner cart --folds 3",
                       "wald curve claims.csv --target claim --learner cart --by max-depth --values 1,2,4,8,16",
                       "wald curve claims.csv --target claim --by rounds -o rounds.svg"},
          .run = run_curve};
}

}  // namespace wald::cli
