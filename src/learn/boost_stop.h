// How many rounds: found on rows held out, then grown on all rows.
//
// The rows are divided into parts. A trial boosts on all parts but one and is measured on that one; the mean of the
// trials' curves says which round is best. Small tables have a trial for every part, since one part of few rows says
// little; large ones have one. Then all rows are boosted for the best number of rounds.
#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/boost.h"
#include "loss/objective.h"
#include "tree/tree.h"

namespace wald {

class LinearSteps;

// A model to go on from: what it says of the rows, and how many rounds it had.
struct Before {
  std::vector<double> base;
  std::vector<double> score;  // of all rows, `outputs` a row
  int rounds = 0;
  std::vector<double> watched = {};  // the same of the rows to stop by, where there are any
};

// Trees that a round grows.
inline int trees_a_round(const Objective& objective, const Boost& how) {
  return how.vector_leaves ? 1 : objective.outputs;
}

struct Boosted {
  std::vector<double> base;
  std::vector<Tree> trees;
  LearningCurve curve;
};

// Rows of another table that boosting is judged by after each round: scored as the finished model will score them.
class Watch {
 public:
  // task: what is learned from, targets: its own; other: the rows to watch, its columns found by name, its target coded
  // as the task's.
  static Result<std::unique_ptr<Watch>> of(const Task& task, const Targets& targets, const Task& other, LossName,
                                           const Boost&);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin(std::vector<double> scores) { score_ = std::move(scores); }
  void begin_at(std::span<const double> base);
  void add(const Tree&, double sign, double linear_unit);  // what linear leaves add is rounded to, 0 = not at all
  double measured() const { return objective_.measured(rows_, score_); }

 private:
  Watch() = default;
  std::uint32_t leaf_of(const Tree&, Row) const;

  std::vector<std::vector<double>> cell_;  // of each column: numbers, or the task's codes; NaN = missing
  std::vector<Row> rows_;                  // all of them
  Targets targets_;
  Objective objective_;
  std::vector<double> score_;
};

// The part of each row, 0 .. parts - 1, drawn so that every part has its share of each class, and of small and large
// targets alike; rows of one query stay together.
std::vector<int> divide_rows(std::span<const Row> rows, const Targets&, int parts, std::uint64_t seed);

// What an earlier run left: the trees of all trials, round by round, while the best round was looked for; afterwards
// those of all rows.
struct Halfway {
  bool searching = true;
  LearningCurve curve;
  std::vector<Tree> trees;
  // What an interrupt gives where `trees` do not tell: with dropout, which changes earlier trees, those of the best
  // round as they were then; where all rows are fitted, those of the first trial.
  std::vector<Tree> kept = {};
  double best = 0;  // the measure of the best round, less is better
};

// To the nearest multiple of a power of two.
inline double on_grid(double value, double unit) { return std::nearbyint(value / unit) * unit; }

struct Surroundings {
  const Run& run;
  const Rounds& rounds;
  const Before* before = nullptr;                       // a model to go on from
  const Halfway* halfway = nullptr;                     // a run to take up
  const LinearSteps* linear = nullptr;                  // what leaves add; null = a number
  Watch* watch = nullptr;                               // rows to stop by; null = some are held out
  std::function<void(const Halfway&)> checkpoint = {};  // told now and then
};

// Interrupted, it gives the best found so far.
Boosted boost(const Binned&, const Objective&, const Boost&, const std::vector<Row>& rows, const Surroundings&);

}  // namespace wald
