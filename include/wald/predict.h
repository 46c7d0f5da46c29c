// From a model and a table to predictions.
#pragma once
#include <string>
#include <vector>

#include "wald/model.h"
#include "wald/result.h"
#include "wald/run.h"
#include "wald/table.h"

namespace wald {

struct Predictions {
  std::size_t rows = 0;
  int outputs = 1;
  std::vector<double> score;  // rows x outputs, before the link
  std::vector<double> value;  // numbers: the prediction, one a target and row; classes: probabilities, rows x classes
  std::vector<std::int32_t> label;    // classes: the most probable one (the first among equals); else empty
  std::vector<std::string> warnings;  // unseen levels and the like, each once
};

// Matches columns by name. A column the model needs and the table lacks is an error that names it; further
// columns are ignored; a level unseen in training follows the missing branch, with one warning a column.
Result<Predictions> predict(const Model&, const Table&, const Run& = {});

// How a table must be read for this model: the types its columns had in training, and the target's if present.
// Words that mean missing besides the usual ones are in schema.missing; give them as ReadOptions::missing.
Declarations declarations(const Schema&);

}  // namespace wald
