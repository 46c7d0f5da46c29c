// What train and demo share: from options and a table to a fitted and measured model, and the report of it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/decide.h"
#include "wald/learn.h"
#include "wald/measure.h"
#include "wald/predict.h"
#include "wald/rounds.h"

namespace wald::cli {

struct FitRequest {
  std::string learner = std::string(kDefaultLearner);
  Settings settings;
  ReadOptions read;
  Run run;
  Rounds rounds;
  Decide decide;
  double holdout = 0;   // share; 0 = none
  std::string valid;    // a table to measure on; empty = none
  std::string stop_on;  // a table to choose the best round on; empty = none
  // The last question before training: may the model be written? Asked after the table and the target have been
  // judged, so that a mistake there is named first.
  std::function<Status()> may_write = [] { return Status(Done{}); };
};
// How the table is to be read, by a schema where one is named.
Result<ReadOptions> fit_read_options(const Arguments&);
Error no_target(std::string_view verb, const Arguments&);
// What the options make of the table's columns.
Roles roles_of(const Arguments&, const Table&, const Declarations&);
// Roles that would change nothing.
Status check_roles(const Task&);
// Judged as far as it can be without the data.
Result<FitRequest> fit_request(const Arguments&, Terminal&);

struct Fitted {
  Model model;
  std::string summary;  // what was read: rows, columns, target
  std::size_t rows = 0, columns = 0, features = 0;
  std::vector<std::string> notes, warnings;
  std::string noted;  // by the learner
  std::string ended;  // why the learner did fewer rounds than asked for; empty = it did them, or has none
  std::optional<Measures> measures;
  bool interrupted = false;  // the model is the best so far, of a learner that goes by rounds; nothing was measured
  std::string measured_on;   // "60 rows held out (20 %, seed 1)"
  double read_seconds = 0, fit_seconds = 0;
};

// read_seconds: what reading the table took.
Result<Fitted> fit_table(Table, const Roles&, const FitRequest&, Terminal&);

// Where the model went, and from which table; as text or as JSON.
struct Written {
  std::string source, path;
  std::vector<std::string> next;  // commands
  double total_seconds = 0;
};
void report_fit(const Fitted&, const Written&, Terminal&);

std::string measure_words(const Measures&, const Model&);  // "accuracy 0.91   auc 0.95   ..."
std::string_view ndcg_told(const Measures&);               // the NDCG of as many places as the loss counted
std::string measure_text(double value);                    // four digits, or "undefined"
std::string default_output(const std::string& data);  // "claims.wald"; empty where there is no name to make it from

}  // namespace wald::cli
