// Why a model predicts what it predicts: Shapley values of each row, importance and dependence of columns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wald/model.h"
#include "wald/predict.h"
#include "wald/result.h"
#include "wald/run.h"
#include "wald/table.h"
#include "wald/task.h"

namespace wald {

// Without a background, a column left out of a coalition is averaged over the training rows as each tree counted them
// (path-dependent; needs the covers, which private models do not keep). With one, it is taken from the background's
// rows (interventional).
struct ExplainOptions {
  const Table* background = nullptr;
  bool interactions = false;         // pairs too
  std::vector<std::size_t> outputs;  // which of the model's outputs; empty = all
  std::size_t block_rows = 0;        // rows given to the sink at a time; 0 = as many as fit in about 64 MB
};

// Rows first .. first + rows - 1. For every row and output: base + the sum of its values = score. Columns are those of
// the table, input_columns: where a model prepares them, what a column that is made adds is given to the column it is
// made of, in equal parts where it is made of several.
struct Explained {
  std::size_t first = 0, rows = 0, columns = 0;
  std::vector<std::size_t> outputs;  // of the model
  std::vector<double> base;          // one an output
  std::vector<double> score;         // rows x outputs: what predict() says before the link
  std::vector<double> value;         // rows x outputs x columns
  // rows x outputs x columns x columns, symmetric: half of a pair's effect in each of its two places, the main effect
  // on the diagonal; a line sums to the column's value. Empty unless asked for.
  std::vector<double> interaction;
  std::vector<std::string> warnings;  // of predict(); in the first block

  std::span<const double> values(std::size_t row, std::size_t output) const {
    return std::span(value).subspan((row * outputs.size() + output) * columns, columns);
  }
  std::span<const double> pairs(std::size_t row, std::size_t output) const {
    return std::span(interaction).subspan((row * outputs.size() + output) * columns * columns, columns * columns);
  }
};

// Block after block in the order of the rows, so that memory does not grow with them; an error of the sink ends it.
Status explain_each(const Model&, const Table&, const ExplainOptions&, const Run&,
                    const std::function<Status(const Explained&)>& sink);
Result<Explained> explain(const Model&, const Table&, const ExplainOptions& = {}, const Run& = {});

// --- any model, by sampling -----------------------------------------------------------------------------------------

// Shapley values of one row for any function of a row, against background rows (interventional): the mean over random
// orders of the columns of what a column adds when its turn comes (Castro, Gomez and Tejada 2009).
struct SampledShapley {
  double base = 0;                   // the mean over the background rows drawn: all of them, in turn
  double score = 0;                  // of the row; base + the sum of the values, whatever their errors
  std::vector<double> value, error;  // error: standard error of the value
};
// f maps `count` rows of `columns` cells each to as many numbers.
using RowFunction = std::function<void(const double* rows, std::size_t count, double* into)>;
SampledShapley sample_shapley(const RowFunction& f, std::span<const double> row, std::span<const double> background,
                              std::size_t permutations, std::uint64_t seed);

// --- columns --------------------------------------------------------------------------------------------------------

struct Importance {
  // One of input_columns each: sums over its splits, and as above over those of the columns made of it; the slopes of
  // linear leaves are no splits. Gain and cover are empty in private models.
  std::vector<double> gain, cover, count;
};
Importance importance(const Model&);

// How much worse predictions become when a column's cells are shuffled among the rows. The interval, Student's of 95 %,
// is that of the shuffles, not of another table.
struct PermutationImportance {
  std::string measure;
  bool more_is_better = false;
  double before = 0;         // the measure on the rows as they are
  std::vector<double> mean;  // by how much it becomes worse, one of input_columns each
  std::vector<double> low, high;
};
Result<PermutationImportance> permutation_importance(const Model&, const Table&, const Judge&, int repeats,
                                                     const Run& = {});
// By the root mean squared error of numbers, "rmse", or the log loss of classes, "log_loss".
Result<PermutationImportance> permutation_importance(const Model&, const Table&, const Target& truth, int repeats,
                                                     const Run& = {});

// Mean absolute Shapley value of each column, summed over the outputs asked for.
Result<std::vector<double>> mean_absolute_shapley(const Model&, const Table&, const ExplainOptions&, const Run& = {});

// Partial dependence (Friedman 2001) of the model's scores on one column, and the lines of single rows (ICE, Goldstein
// and others 2015), all rows' cells of that column replaced by each point of the grid in turn.
struct Dependence {
  std::size_t column = 0, output = 0;  // column: of input_columns
  std::vector<double> grid;            // numbers, or the codes of levels; NaN, at the end, where cells are missing
  std::vector<double> mean;            // one a point
  std::vector<std::size_t> line_rows;  // the rows whose lines are kept
  std::vector<double> lines;           // line_rows x grid
};
struct DependenceOptions {
  std::size_t output = 0;
  std::size_t points = 40;       // at most, at quantiles of the column; of levels the most frequent
  std::size_t most_rows = 2000;  // averaged over; more are thinned evenly
  std::size_t lines = 60;        // at most
};
Result<Dependence> dependence(const Model&, const Table&, std::string_view column, const DependenceOptions&,
                              const Run& = {});

}  // namespace wald
