#include "cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/outputs.h"
#include "cli/private_verbs.h"
#include "cli/verb_options.h"
#include "wald/learn.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

std::vector<Option> private_fitting() {
  return grouped(
      "private learners",
      {
          {.name = "ledger", .value = "FILE", .help = "what was spent on this data (default: DATA.ledger, beside it)"},
          {.name = "contributor",
           .value = "COLUMN",
           .help = "whose row it is: then all rows of a party are protected (a schema may say so too)"},
          {.name = "accept-observed-bounds",
           .help = "take bounds and levels that were read off the data, which then are not protected"},
      });
}

Verb train() {
  return {.name = "train",
          .operands = {"DATA"},
          .help = "fit a learner to a table and save the model",
          .more =
              "DATA is a table (.csv .tsv .svm, each also .gz; sqlite:FILE?table=T) or - for standard input. Types, "
              "missing cells and the kind of task are inferred and told; options and a schema overrule them.",
          .options = joined({{{.name = "target",
                               .value = "COLUMN",
                               .help = "the column to learn; several numbers for boost or cart: A,B"},
                              output("the model file (default: the table's name with .wald)"),
                              force(),
                              {.name = "stop-on",
                               .value = "FILE",
                               .help = "a table whose rows say which round of boost is best; then all rows of DATA "
                                       "are learned from"},
                              {.name = "continue", .value = "MODEL", .help = "add rounds to this model of boost"},
                              {.name = "checkpoint",
                               .value = "FILE",
                               .help = "keep there, now and then, all that is needed to resume; removed at the end"},
                              {.name = "resume",
                               .help = "take up the run that left the checkpoint; the model is the same to the byte"}},
                             fitting(),
                             deciding(),
                             private_fitting(),
                             reading()}),
          .fits = true,
          .examples = {"wald train claims.csv --target claim -o mine.wald",
                       "wald train claims.csv --target claim --holdout 0.2 --max-depth 4 -o small.wald",
                       "wald train claims.csv --target premium --ignore claim -o premium.wald"},
          .run = run_train};
}

Verb predict_verb() {
  return {
      .name = "predict",
      .operands = {"MODEL", "DATA"},
      .help = "predict each row of a table, as CSV",
      .more =
          "Writes the column prediction and, for classes, a probability p_CLASS for each. Columns are matched by "
          "name; further columns of DATA are ignored. A plain file may be larger than memory; what comes packed, from "
          "a "
          "database or from standard input is held in it.",
      .options = joined({{output("write there instead of to standard output"),
                          force(),
                          {.name = "raw", .help = "scores before they become probabilities"}},
                         reading()}),
      .examples = {"wald predict claims.wald claims.csv -o predicted.csv", "wald predict claims.wald claims.csv --raw"},
      .run = run_predict};
}

Verb tree() {
  return {
      .name = "tree",
      .operands = {"MODEL", "[DATA]"},
      .help = "show a tree: as text, picture or rules, or the path of one row",
      .more =
          "A node's line gives the branch that leads to it, what it predicts and n, how many training rows reached it; "
          "of "
          "boosted trees, what their second derivatives add up to.",
      .options =
          joined({{{.name = "depth", .value = "N", .help = "show this many levels (default 64)"},
                   {.name = "tree", .value = "N", .help = "which tree of the model", .fallback = "1"},
                   {.name = "dot", .help = "in the language of Graphviz"},
                   {.name = "svg", .help = "as a picture"},
                   {.name = "rules", .help = "one rule a leaf; they decide exactly as the tree does"},
                   {.name = "path", .value = "ROW", .help = "the way this row of DATA takes, counted from 1"},
                   {.name = "prune-path",
                    .help = "the trees that cost-complexity pruning leaves, by the price of a leaf, to the seven "
                            "digits that models keep of gains; with DATA, the training table, exactly, of the "
                            "whole tree and with cross-validated errors"},
                   output("write there instead of to standard output"),
                   force()},
                  reading()}),
      .examples = {"wald tree claims.wald --depth 2", "wald tree claims.wald --svg -o tree.svg",
                   "wald tree claims.wald --rules", "wald tree claims.wald claims.csv --path 3",
                   "wald tree claims.wald claims.csv --prune-path"},
      .run = run_tree};
}

Option background() {
  return {.name = "background",
          .value = "FILE",
          .help = "a table whose rows stand in for what is left out (interventional values)"};
}
Option picture() { return {.name = "svg", .value = "FILE", .help = "draw a picture there"}; }

Verb explain_verb() {
  return {
      .name = "explain",
      .operands = {"MODEL", "DATA"},
      .help = "say what each column adds to each prediction (Shapley values)",
      .more =
          "Writes a line a row: what each column adds, then base, the mean prediction, and prediction, the raw "
          "score; base and the values sum to it. Of two classes the second is meant, see --class; with more, each "
          "row has a line a class and the first column names it.",
      .options = joined({{output("write there instead of to standard output"),
                          force(),
                          {.name = "row", .value = "N", .help = "explain this row alone, counted from 1, as bars"},
                          class_option(),
                          background(),
                          {.name = "interactions",
                           .help = "pairs of columns: a line a row and column, half of a pair's effect in each of "
                                   "its two places, a column's own on the diagonal"},
                          picture(),
                          {.name = "plot",
                           .value = "KIND",
                           .help = "what --svg draws (default: beeswarm, or with --row waterfall)",
                           .choices = {"beeswarm", "waterfall", "bar", "dependence"}},
                          {.name = "column", .value = "NAME", .help = "the column of --plot dependence"}},
                         reading()}),
      .examples = {"wald explain claims.wald claims.csv -o explained.csv",
                   "wald explain claims.wald claims.csv --row 3", "wald explain claims.wald claims.csv --svg swarm.svg",
                   "wald explain claims.wald claims.csv --svg age.svg --plot dependence --column age"},
      .run = run_explain};
}

Verb importance_verb() {
  return {.name = "importance",
          .operands = {"MODEL", "[DATA]"},
          .help = "rank the columns a model uses",
          .more =
              "Gain and cover are shares of the sums over all splits. With DATA also the mean absolute Shapley value, "
              "and, where DATA has the target, how much the error grows when a column is shuffled: log loss for "
              "classes, root mean squared error for numbers.",
          .options = joined({{{.name = "repeats", .value = "N", .help = "shuffles of each column", .fallback = "5"},
                              {.name = "seed", .value = "N", .help = "of the shuffles", .fallback = "1"},
                              class_option(),
                              background(),
                              picture(),
                              force()},
                             reading()}),
          .examples = {"wald importance claims.wald", "wald importance claims.wald claims.csv",
                       "wald importance claims.wald claims.csv --svg importance.svg"},
          .run = run_importance};
}

Verb dependence_verb() {
  return {.name = "dependence",
          .operands = {"MODEL", "DATA"},
          .help = "show how the prediction depends on one column (partial dependence)",
          .more =
              "Every row of DATA gets each value of the column in turn; the mean of the predictions is shown, in a "
              "picture also the lines of single rows. More than 2,000 rows are thinned.",
          .options = joined({{{.name = "column", .value = "NAME", .help = "the column"},
                              {.name = "points",
                               .value = "N",
                               .help = "at most this many values of the column: of numbers quantiles (default 20, in a "
                                       "picture 60), of levels the most frequent (default 40)"},
                              class_option(),
                              picture(),
                              force()},
                             reading()}),
          .examples = {"wald dependence claims.wald claims.csv --column age",
                       "wald dependence claims.wald claims.csv --column region --svg region.svg"},
          .run = run_dependence};
}

Verb profile() {
  return {.name = "profile",
          .operands = {"DATA"},
          .help = "describe the columns of a table and suggest what to do about them",
          .more =
              "--schema writes what was seen as a schema file to edit; its bounds and levels are marked as observed. "
              "--schema-only looks at no value: the file lists the columns and leaves the rest to be filled in.",
          .options = joined({{schema("write a schema file there (- for standard output)"),
                              {.name = "schema-only", .help = "write a schema from the column names alone"},
                              force()},
                             reading()}),
          .examples = {"wald profile claims.csv", "wald profile claims.csv --schema claims.schema.json",
                       "wald profile claims.csv --schema-only"},
          .run = run_profile};
}

Verb show() {
  return {.name = "show",
          .operands = {"MODEL"},
          .help = "say what a model is: learner, options, columns, where it came from",
          .more = "Nothing of it depends on when, where or by how many threads the model was made.",
          .examples = {"wald show claims.wald", "wald show claims.wald --json"},
          .run = run_show};
}

Verb privacy_verb() {
  return {
      .name = "privacy",
      .operands = {"LEDGER", "[MODEL]"},
      .help = "say what has been spent on a data set and what is left, and verify the ledger",
      .more =
          "Every line of a ledger carries the hash of the one before: a line that was changed, left out or put in is "
          "found, said (intact: false) and answered with exit code 3. With MODEL, also whether it was paid from this "
          "ledger. --budget makes a new ledger where there is none.",
      .options = {{.name = "budget", .value = "EPSILON", .help = "from now on all releases together may cost this"},
                  {.name = "budget-delta",
                   .value = "DELTA",
                   .help = "at this delta (default: as before, or 1e-6 in a new ledger)"}},
      .examples = {"wald privacy claims.csv.ledger --budget 2 --budget-delta 1e-6",
                   "wald privacy claims.csv.ledger --json"},
      .run = run_privacy};
}

Verb audit_verb() {
  return {
      .name = "audit",
      .operands = {"[DATA]"},
      .help = "attack the private learner and print the lower bound on epsilon beside the claim",
      .more =
          "Trains many tiny models with and without one canary, as an attacker who knows everything else, and tests "
          "the noise. With DATA, --target and --schema also trains once on your rows with canaries among them; where "
          "the "
          "schema names a contributor, a canary is a party with all its rows. An audit can refute a claim, not prove "
          "it.",
      .options =
          joined({{{.name = "epsilon", .value = "E", .help = "the claim to attack", .fallback = "2"},
                   {.name = "delta", .value = "D", .help = "its delta", .fallback = "1e-5"},
                   {.name = "algorithm",
                    .value = "WORD",
                    .help = "grids, or dpboost, which claims pure epsilon",
                    .fallback = "grids"},
                   {.name = "seconds", .value = "S", .help = "in which it is done, but for DATA", .fallback = "50"},
                   {.name = "target", .value = "COLUMN", .help = "of DATA"},
                   {.name = "ignore", .value = "COLUMN,...", .help = "columns to leave out", .list = true},
                   schema("what is public of DATA")},
                  reading()}),
      .examples = {"wald audit --seconds 1"},
      .run = run_audit};
}

Verb forest_verb() {
  return {
      .name = "forest",
      .operands = {"MODEL", "TRAIN", "[DATA]"},
      .help = "ask a forest what it knows of itself, given the table it was trained on",
      .more =
          "Without options: what the trees that did not see a training row say of it (out of bag), as CSV. Which rows "
          "a tree saw is drawn again from the seed; a table that is not the training table is refused.",
      .options =
          joined({{{.name = "interval",
                    .value = "SHARE",
                    .help = "of DATA: bounds that hold this share of the targets (quantile forest)"},
                   {.name = "errors", .help = "of DATA: standard errors of the predictions (infinitesimal jackknife)"},
                   {.name = "proximity",
                    .value = "ROW",
                    .help = "rows of the table by the share of trees in which they share a leaf with this one, "
                            "counted from 1"},
                   {.name = "importance",
                    .help = "columns by what their splits gain, and by how much worse trees do when they are "
                            "shuffled, on rows out of bag"},
                   {.name = "seed", .value = "N", .help = "of the shuffles", .fallback = "1"},
                   output("write there instead of to standard output"),
                   force()},
                  reading()}),
      .examples = {"wald train claims.csv --target premium --learner forest -o forest.wald",
                   "wald forest forest.wald claims.csv", "wald forest forest.wald claims.csv --importance",
                   "wald forest forest.wald claims.csv claims.csv --interval 0.9"},
      .run = run_forest};
}

Verb demo() {
  return {.name = "demo",
          .operands = {"[FOLDER]"},
          .help = "train on a bundled table and show the next steps",
          .more =
              "Writes claims.csv (300 made-up insurance contracts) and claims.wald into FOLDER, which is made where it "
              "is not there, by default the current one; the examples of every verb run on them.",
          .options = {force()},
          .examples = {"wald demo"},
          .run = run_demo};
}

Verb completion() {
  return {
      .name = "completion",
      .operands = {"SHELL"},
      .help = "print a completion script for bash, zsh or fish",
      .more =
          "bash: eval \"$(wald completion bash)\" in ~/.bashrc. zsh: write it to a file _wald in a folder of fpath. "
          "fish: wald completion fish > ~/.config/fish/completions/wald.fish",
      .examples = {"wald completion bash"},
      .run = run_completion};
}

}  // namespace

std::vector<Option> shared_options() {
  return {
      {.name = "json", .help = "print one JSON object and nothing else on standard output"},
      {.name = "quiet", .letter = 'q', .help = "no notes and no progress"},
      {.name = "verbose", .letter = 'v', .help = "timings too"},
      {.name = "no-color", .help = "no colour (as does the variable NO_COLOR)"},
      {.name = "help", .letter = 'h', .help = "-h: the options; --help: more, with examples"},
  };
}

namespace {

// Choices are not given to the parser: the learner's own check judges values, with its own words.
Option option_of(const OptionInfo& row) {
  return {.name = row.name,
          .value = row.kind == "choice" ? "WORD"
                   : row.kind == "text" ? "TEXT"
                                        : "N",
          .help = fmt::format("{} ({})", row.help, row.range),
          .fallback = row.fallback};
}

}  // namespace

std::vector<Option> learner_options(std::string_view learner) {
  std::vector<Option> out, first;
  for (const LearnerInfo& info : learners()) {
    if (!learner.empty() && info.name != learner) continue;
    for (const OptionInfo& row : info.options) {
      const auto known = std::ranges::find(out, row.name, &Option::name);
      if (known == out.end()) out.push_back(option_of(row));
      else if (row.kind == "text") known->value = option_of(row).value;  // which takes whatever the others take
    }
  }
  for (const OptionInfo& row : preparation_options()) first.push_back(option_of(row));
  return is_private(learner) ? out : joined({out, grouped("preparing the table", std::move(first))});
}

std::vector<Option> options_of(const Verb& verb) {
  return joined({verb.options, verb.fits ? learner_options() : std::vector<Option>{}, shared_options()});
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = {
      train(),
      predict_verb(),
      evaluate_verb(),
      cv_verb(),
      tune_verb(),
      curve_verb(),
      tree(),
      explain_verb(),
      importance_verb(),
      dependence_verb(),
      profile(),
      show(),
      privacy_verb(),
      audit_verb(),
      forest_verb(),
      demo(),
      completion(),
      {.name = "help",
       .operands = {"[VERB]"},
       .help = "explain a verb",
       .examples = {"wald help train"},
       .run = run_help},
      {.name = "version", .help = "print the version", .examples = {"wald version"}, .run = run_version},
  };
  return table;
}

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(verbs(), name, &Verb::name);
  return found == verbs().end() ? nullptr : &*found;
}

}  // namespace wald::cli
