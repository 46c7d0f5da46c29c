// What cv found, for the parts of the verb.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/tune.h"
#include "wald/validate.h"

namespace wald::cli {

struct Contender {
  std::string learner;
  Settings settings;
  Validation found;
  std::vector<Settings> chosen = {};  // in each fold, where options are searched
};

struct Judged {
  std::string measure;          // by which learners are compared
  std::vector<Contender> list;  // as asked for
  Decide decide;
  std::optional<TuneOptions> search;  // inside each fold
  int inner = 3;                      // folds of it
  std::vector<Fold> folds;
  std::string division;  // "5 folds, of each class alike, seed 1"
  std::size_t best = 0;  // of the list
  double seconds = 0;
  bool interrupted = false;
};

struct Division {
  FoldOptions how;
  std::string words;
};
// What cv and tune have in common: from the options to a task and its folds.
Status check_division(const Arguments&);
Result<double> read_time(std::string text, std::string_view option);  // "60s", "10m", "1.5h": seconds
Status refuse_private(const std::string& learner);
// Rows of a fold that are divided once more are divided at random.
Status check_within_folds(const Arguments&, const Decide&);
struct Posed {
  Task task;
  std::vector<Fold> folds;
  std::string division;
  ReadOptions read = {};
};
Result<Posed> pose(const Arguments&, const Run&, Terminal&);
// --measure, or the usual one of the task.
Result<std::string> measure_of(const Arguments&, const Task&);

std::string spread_text(const Moments&);  // "0.42 ± 0.03"; of one value without it
bool more_is_better(std::string_view measure);
// The best against each other; empty where there is but one.
std::vector<Paired> against_best(const Judged&);
void report_judged(const Judged&, const Task&, Terminal&);

}  // namespace wald::cli
