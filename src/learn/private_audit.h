// Attacks on private-boost. The worst pair: many tiny trainings with and without one canary, watched by an auditor who
// knows all else. One run: canaries put by coins into the user's own rows, and guessed from the model's predictions.
#pragma once
#include "learn/private_boost.h"
#include "privacy/audit.h"

namespace wald {

struct PairAudit {
  // Of pure epsilon, lower.plain_epsilon is what was reached.
  double reached() const { return mu > 0 ? lower.epsilon : lower.plain_epsilon; }
  Lower lower;
  double epsilon = 0, mu = 0;  // claimed; mu of Gaussian noise alone
  bool refuted = false;        // at a confidence that calls no sound learner wrong
};
// A small task whose last row is the canary: the only one of its level, where no other row blurs it. Of the
// others seven in ten are of the other class. So the canary begins with p = 0.7 against it, where its vector (p, 3.25 p
// (1-p)) is nearly as long as it may be and stays so while noise moves its score, and both derivatives are put to the
// test; and there are so many others that the start, which is noisy too, does not stray.
// The published algorithm learns numbers here: its canary, at the upper bound, moves the leaf that it has to itself by
// as much as any row can move one.
PrivateTask worst_pair(PrivateAlgorithm = PrivateAlgorithm::Grids);
// At so small a plan that the canary stands out: of dpboost one tree of two leaves, which spends all there is.
PrivateBoost worst_plan(PrivateBoost);
// Prepares one training; the tests plant faults here.
using Arrange = std::function<void(Witness&)>;
PairAudit audit_pair(const PrivateBoost&, int runs, double seconds,
                     const std::function<void(Entropy::Source&)>& entropy = {}, const Arrange& = {});

struct OneRunAudit {
  std::uint64_t canaries = 0, guesses = 0, right = 0;
  double epsilon_lower = 0;
};
// Trains once on the rows and on about half of so many canaries: rows of the table with a target at the other end.
Result<OneRunAudit> audit_one_run(const PrivateTask&, const PrivateBoost&, std::size_t canaries, const Run&);

inline constexpr double kAuditConfidence = 0.95, kRefutingConfidence = 0.9999;

}  // namespace wald
