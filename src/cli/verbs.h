// The verbs: one row each, from which dispatch, help and completion are made. A verb is one file of this folder.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/terminal.h"

namespace wald::cli {

struct Verb {
  std::string name;
  std::vector<std::string> operands;  // "DATA"; "[DATA]" may be left out
  std::string help;                   // a sentence without full stop
  std::string more;                   // for --help
  std::vector<Option> options;        // its own
  bool fits = false;                  // takes the learners' options too
  std::vector<std::string> examples;  // run as printed in a folder where `wald demo` has run
  Status (*run)(const Arguments&, Terminal&) = nullptr;
};

const std::vector<Verb>& verbs();
const Verb* find_verb(std::string_view name);

// Everything the verb accepts: its own, the learners' where it fits, and what all verbs share.
std::vector<Option> options_of(const Verb&);
std::vector<Option> shared_options();
// Of one learner, or of all (each name once) if it is empty.
std::vector<Option> learner_options(std::string_view learner = {});

Status run_train(const Arguments&, Terminal&);
Status run_predict(const Arguments&, Terminal&);
Status run_evaluate(const Arguments&, Terminal&);
Status run_cv(const Arguments&, Terminal&);
Status run_tune(const Arguments&, Terminal&);
Status run_curve(const Arguments&, Terminal&);
Status run_tree(const Arguments&, Terminal&);
Status run_explain(const Arguments&, Terminal&);
Status run_importance(const Arguments&, Terminal&);
Status run_dependence(const Arguments&, Terminal&);
Status run_profile(const Arguments&, Terminal&);
Status run_show(const Arguments&, Terminal&);
Status run_forest(const Arguments&, Terminal&);
Status run_demo(const Arguments&, Terminal&);
Status run_completion(const Arguments&, Terminal&);
Status run_help(const Arguments&, Terminal&);
Status run_version(const Arguments&, Terminal&);

}  // namespace wald::cli
