// The parts of `wald explain`.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/explain.h"

namespace wald::cli {

struct Explaining {
  const Model& model;
  const Table& table;
  const ExplainOptions& options;
  const Run& run;
  double read_seconds = 0;
  Stopwatch total;
};
nlohmann::ordered_json seconds_json(const Explaining&, double explain);

// --row: one row as bars. --svg: a picture. Both return what they did in --json's object.
Status explain_row(const Explaining&, Row, Terminal&);
Status explain_picture(const Explaining&, const Arguments&, Terminal&);

}  // namespace wald::cli
