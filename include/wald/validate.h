// How well a learner does on rows it has not seen, estimated by dividing the rows again and again.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "wald/decide.h"
#include "wald/learn.h"
#include "wald/measure.h"
#include "wald/task.h"

namespace wald {

struct Fold {
  std::vector<Row> train, held;  // each ascending
};

struct FoldOptions {
  int folds = 5;                     // as many as rows: each row is held out alone
  int repeats = 1;                   // of the whole division, each drawn anew
  std::vector<std::uint32_t> group;  // per row: rows of one number stay together; empty = none
  std::vector<std::uint32_t> time;   // per row, its place in time: later rows are predicted from earlier ones
  std::vector<std::uint32_t> given;  // per row, the fold that holds it out, counted from 0; empty = drawn
};

// Every row is held out once a repeat, of each class alike; in time, the first of folds + 1 blocks never is. Refused
// where a part would be empty.
Result<std::vector<Fold>> make_folds(const Task&, const FoldOptions&, std::uint64_t seed);

struct Validation {
  std::vector<Measures> measures;         // of each fold; where each holds out one row, of all rows together
  std::vector<Predictions> predictions;   // of each fold's rows held out
  std::vector<std::string> outputs = {};  // where a row has several numbers: what each is
  double seconds = 0;
  std::vector<double> of(std::string_view measure) const;  // a value a fold
};

// Everything, preparation included, is learned anew in each fold from its own rows. An interrupted run gives the folds
// that were done. told(n): n folds are done; said now and then within a fold, too.
Result<Validation> cross_validate(std::string_view learner, const Task&, const Settings&, std::span<const Fold>,
                                  const Run& = {}, const std::function<void(std::size_t)>& told = {},
                                  const Decide& = {});

// quantiles: where several are predicted. survival: as in Measuring.
// how: its rows and their queries are the task's.
std::vector<std::string> measure_names(const Task&, const std::vector<double>& quantiles = {},
                                       const Measuring& how = {});

struct Moments {
  double mean = 0, deviation = 0;  // of a sample; undefined values are left out
};
Moments moments_of(std::span<const double> values);

// Whether two learners differ, by their scores on the same folds. Folds share most of their training rows, so that
// plain t tests see differences everywhere: the variance is enlarged by the rows held out a row trained on (Nadeau and
// Bengio 2003).
struct Paired {
  double difference = 0;  // mean of a - b
  double error = 0;       // its standard error
  double t = 0, p = 1;    // two-sided
  int freedom = 0;
};
Paired compare_paired(std::span<const double> a, std::span<const double> b, double held_per_trained);
double held_per_trained(std::span<const Fold>);

}  // namespace wald
