// The parts of `wald explain`.
#pragma once
#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/explain.h"

namespace wald::cli {

struct Explaining {
  const Model& model;
  const Table& table;
  const ExplainOptions& options;
  const Run& run;
};

// --row: one row as bars. --svg: a picture. Both return what they did in --json's object.
Status explain_row(const Explaining&, Row, const Arguments&, Terminal&);
Status explain_picture(const Explaining&, const Arguments&, Terminal&);

}  // namespace wald::cli
