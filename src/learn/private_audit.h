// Attacks on private-boost. The worst pair: many tiny trainings with and without one canary, watched by an auditor who
// knows all else. One run: canaries put by coins into the user's own rows, and guessed from the model's predictions.
#pragma once
#include "learn/private_boost.h"
#include "privacy/audit.h"

namespace wald {

struct PairAudit {
  Lower lower;
  double epsilon = 0, mu = 0;  // claimed
};
// A tiny task whose last row is the canary: alone in its part of the column, where no other row blurs it. The others
// are of both classes alike, so that first and second derivatives of the canary are both large.
PrivateTask worst_pair();
// Prepares one training; the tests plant faults here.
using Prepare = std::function<void(Witness&)>;
PairAudit audit_pair(const PrivateBoost&, int runs, double seconds,
                     const std::function<void(Entropy::Source&)>& entropy = {}, const Prepare& = {});

struct OneRunAudit {
  std::uint64_t canaries = 0, guesses = 0, right = 0;
  double epsilon_lower = 0;
};
// Trains once on the rows and on about half of so many canaries: rows of the table with a target at the other end.
Result<OneRunAudit> audit_one_run(const PrivateTask&, const PrivateBoost&, std::size_t canaries, const Run&);

inline constexpr double kAuditConfidence = 0.95;

}  // namespace wald
