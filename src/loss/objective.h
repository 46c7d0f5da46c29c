// A loss over whole columns of rows: what boosting minimises. Made from a plug by objective_of, which owns the loop
// over rows, the weights and the threads.
#pragma once
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "loss/loss.h"
#include "wald/table.h"

namespace wald {

struct Cox;
struct Rank;
struct Softmax;

struct Targets {
  std::vector<double> y;                     // numbers; of two classes 0 and 1
  std::vector<std::vector<double>> more_y;   // of several targets those after the first
  std::vector<int> label;                    // classes
  std::vector<double> weight;                // empty = 1
  std::span<const std::int64_t> row_weight;  // without the weights of classes, in units of 2^-30; empty = 1
  std::vector<std::uint32_t> query;          // for ranking: rows of one number are ranked among each other
  double of(Row r) const { return weight.empty() ? 1 : weight[r]; }
  double at(Row r, std::size_t output) const { return output == 0 || more_y.empty() ? y[r] : more_y[output - 1][r]; }
};

struct Start {
  std::vector<double> score;        // the best constant ones
  std::vector<double> spread = {};  // how far scores will lie from each: the size of a number, no bound; empty = 1
};

struct Objective {
  using Rows = std::span<const Row>;
  using Scores = std::span<const double>;  // `outputs` a row
  const Targets* targets = nullptr;
  int outputs = 1;
  ScoreIs score = ScoreIs::Value;
  std::string measure;
  bool more_is_better = false;
  double longest_step = std::numeric_limits<double>::infinity();
  std::vector<double> quantile;  // of residuals, which is a leaf's best value, one an output; empty = a Newton step's

  std::function<Start(Rows)> start;
  // Weighted derivatives of these rows, in g and h at [output * all rows + row].
  std::function<void(Rows, Scores, std::span<double> g, std::span<double> h)> slopes;
  std::function<double(Rows, Scores)> measured;  // on these rows
};

// The targets must outlive the objective.
template <Loss L>
Objective objective_of(const L&, const Targets&);
Objective objective_of(const Softmax&, const Targets&, int classes);
Objective objective_of(const Rank&, const Targets&);
Objective objective_of(const Cox&, const Targets&);
Objective objective_of(const OwnLoss&, const Targets&);

// Several numbers of a row, each with its own objective of one output; what they were made from must outlive it.
// relative: what is measured of each is divided by what its best constant score has on all rows, because targets of
// different units cannot be averaged.
Objective objective_of_each(std::vector<Objective>, const Targets& all, bool relative);

// The same bits for any number of threads: blocks of one size, their sums added in order.
double ordered_sum(std::size_t n, const std::function<double(std::size_t begin, std::size_t end)>& of_block);

// The value with at most q of the weight below it and at most 1 - q above; between two such, their middle. Reorders.
// rounding: by how much sums of weights may differ that are the same; 0 of those that doubles add exactly.
struct Weighted {
  double value = 0, weight = 1;
};
double quantile(std::span<Weighted>, double q, double rounding = 0);

}  // namespace wald
