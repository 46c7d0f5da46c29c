// Searching a learner's options: each trial is a cross-validation on the same folds.
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "wald/validate.h"

namespace wald {

enum class TuneMethod {
  Bayes,    // where trials were good so far (Bergstra and others 2011, tree-structured Parzen estimator)
  Random,   // anywhere
  Grid,     // a few values of each option, every combination, in an order drawn
  Halving,  // many trials on few rows, the best third of them on three times as many, and so on
};

struct TuneOptions {
  TuneMethod method = TuneMethod::Bayes;
  int trials = 0;       // at most; 0 = no limit
  double seconds = 0;   // the search ends after this, and leaves out a trial cut off by it; 0 = no limit
  int grid = 3;         // values of each option
  std::string measure;  // a name of measure_names
  bool more_is_better = false;
  Decide decide = {};  // learned in each trial too
};

struct Trial {
  Settings settings;          // what was searched; the first trial has none, which is the defaults
  std::vector<double> score;  // a value a fold; empty = this combination cannot be learned
  double share = 1;           // of the rows trained on
  double seconds = 0;
};

struct Tuned {
  std::vector<Trial> trials;
  std::size_t best = 0;        // of those on all rows, by the mean
  bool worthwhile = false;     // better than the defaults by more than its standard error; else they are to be kept
  bool first_cut_off = false;  // the time ended within the first trial: its score is of the folds that were done
  std::string refused;         // why the first combination that cannot be learned cannot; empty = all could
  // How many others on all rows the defaults were compared with.
  std::size_t compared() const;
};

// fixed: options that are not searched. earlier: trials of a run like this one, which are taken as done. told: after
// each trial. An interrupted search gives what it has found. The trials follow from the seed; only how many there are
// from the time.
Result<Tuned> tune(std::string_view learner, const Task&, const Settings& fixed, std::span<const Fold>,
                   const TuneOptions&, std::vector<Trial> earlier, const Run& = {},
                   const std::function<void(const Tuned&)>& told = {});

// Of options that are searched, what is left of the gain on rows that the search did not see: in each fold the search
// runs on the training rows alone, divided in `inner` folds.
struct Nested {
  Validation found;
  std::vector<Settings> chosen;  // in each fold; empty = the defaults
};
Result<Nested> validate_tuned(std::string_view learner, const Task&, const Settings& fixed, std::span<const Fold>,
                              const TuneOptions&, int inner, const Run& = {},
                              const std::function<void(std::size_t)>& told = {});

}  // namespace wald
