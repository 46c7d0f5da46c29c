// The parts of `wald evaluate`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "measure/intervals.h"
#include "measure/measures.h"
#include "measure/roc.h"

namespace wald::cli {

// What is asked of the two-class case.
struct Binary {
  std::int32_t positive = 1;
  Costs costs;
  bool costs_given = false;
};

struct Evaluation {
  Measures measures;
  bool weighted = false;
  Binary binary;
  Roc roc;  // empty unless there are two classes
  std::vector<RocPoint> hull;
  std::optional<OperatingPoint> best;
  std::optional<double> threshold;  // that reaches it, of the second class
  std::vector<CalibrationBin> bins;
  std::vector<MeasureInterval> intervals;
  std::vector<std::string> warnings;
};

// --intervals.
Status add_intervals(const Arguments&, const Model&, const Predictions&, const Target&, std::span<const double> weight,
                     std::span<const std::vector<double>> more, const Measuring&, const Run&, Evaluation&);
// --roc, --pr, --calibration: files. --plot: on the terminal.
Status check_curves(const Arguments&);
Status write_curves(const Evaluation&, const Arguments&);
Status plot_curves(const Evaluation&, const Arguments&, Terminal&);

}  // namespace wald::cli
