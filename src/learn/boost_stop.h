// How many rounds: found on rows held out, then grown on all rows.
//
// The rows are divided into parts. A trial boosts on all parts but one and is measured on that one; the mean of the
// trials' curves says which round is best. Small tables have a trial for every part, since one part of few rows says
// little; large ones have one. Then all rows are boosted for the best number of rounds.
#pragma once
#include <functional>
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

// The part of each row, 0 .. parts - 1, drawn so that every part has its share of each class, and of small and large
// targets alike; rows of one query stay together.
std::vector<int> divide_rows(std::span<const Row> rows, const Targets&, int parts, std::uint64_t seed);

// What an earlier run left: the trees of all trials, round by round, while the best round was looked for; afterwards
// those of all rows.
struct Halfway {
  bool searching = true;
  LearningCurve curve;
  std::vector<Tree> trees;
};

struct Surroundings {
  const Run& run;
  const Rounds& rounds;
  const Before* before = nullptr;                       // a model to go on from
  const Halfway* halfway = nullptr;                     // a run to take up
  const LinearSteps* linear = nullptr;                  // what leaves add; null = a number
  std::function<void(const Halfway&)> checkpoint = {};  // told now and then
};

// Interrupted, it gives the best found so far.
Boosted boost(const Binned&, const Objective&, const Boost&, const std::vector<Row>& rows, const Surroundings&);

}  // namespace wald
