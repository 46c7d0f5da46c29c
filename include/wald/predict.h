// From a model and a table to predictions.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wald/model.h"
#include "wald/result.h"
#include "wald/run.h"
#include "wald/table.h"

namespace wald {

// Levels of a column that training did not know.
struct Unseen {
  std::size_t column = 0;  // of input_schema
  std::uint64_t rows = 0;
  std::vector<std::string> level;  // each once, in the order of the rows
};

struct Predictions {
  std::size_t rows = 0;
  int outputs = 1;
  std::vector<double> score;  // rows x outputs, before the link
  std::vector<double> value;  // numbers: the prediction, one a target and row; classes: probabilities, rows x classes
  std::vector<std::int32_t> label;    // classes: the most probable one (the first among equals); else empty
  std::vector<Unseen> unseen;         // by ascending column
  std::vector<std::string> warnings;  // unseen levels and the like, each once
};

// A measure of predictions of some rows.
struct Judge {
  std::string measure;  // "concordance"
  std::function<double(const Predictions&)> value;
  bool more_is_better = false;
};

// Prepared once for many predictions; any number of threads may use one at the same time. A single row costs
// microseconds. Rows of a table and single rows get the same bits.
class Predictor {
 public:
  explicit Predictor(Model);  // keeps the model; large arrays are shared, not copied

  const Model& model() const;
  Result<Predictions> predict(const Table&, const Run& = {}) const;  // as below

  // cells: one a column of input_schema, in its order: a number, or the place of a level in Field::level; NaN, or a
  // place that is none, is missing. prediction: the number, or the probability of each class.
  void predict_row(std::span<const double> cells, std::span<double> prediction) const;
  std::size_t width() const;  // of a row's prediction

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Matches columns by name. A column the model needs and the table lacks is an error that names it; further
// columns are ignored; a level unseen in training follows the missing branch, unless a step of the preparation has a
// place for it, with one warning a column.
Result<Predictions> predict(const Model&, const Table&, const Run& = {});

// The table as the model's body sees it: the columns of its schema, made by its preparation, and those beside them. A
// model without preparation says of it what the whole one says of the table given.
Result<Table> prepare(const Model&, const Table&);
Model without_preparation(Model);

// For tables that are predicted block by block: what the blocks found together, and the warnings about it.
void add(std::vector<Unseen>& all, const std::vector<Unseen>& more);
std::vector<std::string> warnings_of(const Model&, const std::vector<Unseen>&, std::uint64_t rows);

// How a table must be read for this model: the types its columns had in training, and the target's if present.
// Words that mean missing besides the usual ones are in schema.missing; give them as ReadOptions::missing.
Declarations declarations(const Schema&);

}  // namespace wald
