// What a forest can say besides its predictions, given the table it was trained on. Who was in which tree's bag is a
// function of the seed and is drawn again; that the table is the one is known by its fingerprint. Where the model
// prepares its table, the preparation is fitted again.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wald/model.h"
#include "wald/predict.h"
#include "wald/result.h"
#include "wald/rounds.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald {

// Refuses models of learners that draw no bags of rows, of which nothing below can be asked but proximity.
Status check_bags(const Model&);

// Each training row as the trees see it that did not learn from it. Refused where every tree learns from all rows.
Result<OutOfBag> predict_out_of_bag(const Model&, const Task& training, const Run& = {});

// Quantile forests (Meinshausen 2006): the quantiles of the training targets, each weighted by how often its row shares
// a leaf with the row to predict. Of numbers; rows x quantiles.
Result<std::vector<double>> predict_quantiles(const Model&, const Task& training, const Table&,
                                              std::span<const double> quantiles, const Run& = {});

// A share of `level` of the targets lies between the first and the last; the other is the median. As decimals, which
// (1 - level) / 2 is not: a share of 0.8 lies between the very quantiles 0.1 and 0.9.
inline std::array<double, 3> interval_quantiles(double level) {
  constexpr double kDecimals = 1e12;
  const auto nearest = [](double q) { return std::round(q * kDecimals) / kDecimals; };
  return {nearest((1 - level) / 2), 0.5, nearest((1 + level) / 2)};
}

// How far predictions would move had other rows been drawn for training: the infinitesimal jackknife, less the part
// that more trees would take away (Wager, Hastie and Efron 2014; of subsamples Wager and Athey 2018). Not for --sample
// balanced or all, nor for models that are calibrated: it is what the trees say that has these errors.
struct StandardErrors {
  std::vector<double> error;  // rows x width of a prediction
  std::size_t agreed = 0;     // how many of them are 0 because all trees say the same
};
Result<StandardErrors> standard_errors(const Model&, const Task& training, const Table&, const Run& = {});

// The share of the trees in which a row ends in the same leaf as row `row`, one a row of the table. Refused where there
// is no tree.
Result<std::vector<double>> proximity(const Model&, const Table&, std::size_t row, const Run& = {});

// Importance by rows out of bag, one of input_columns each. gain: what the splits on the column add to the fit of rows
// that did not make them (Li, Wang, Basu, Kumbier and Yu 2019), which is 0 on average for a column of noise.
// permutation: how much worse trees do on such rows when the column's cells are shuffled among them (Breiman 2001):
// share of wrong classes, or squared error. Rows count by their weight in the training.
struct OutOfBagImportance {
  std::vector<double> gain, permutation;
};
Result<OutOfBagImportance> out_of_bag_importance(const Model&, const Task& training, const Run& = {});

}  // namespace wald
