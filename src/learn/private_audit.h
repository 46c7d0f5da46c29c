// Attacks on private-boost. The worst pair: many tiny trainings with and without one canary, watched by an auditor who
// knows all else. One run: canaries put by coins into the user's own rows, and guessed from the model's predictions.
#pragma once
#include <string_view>

#include "learn/private_boost.h"
#include "privacy/audit.h"

namespace wald {

// What the tiny trainings learn.
enum class PairKind { TwoClasses, SeveralClasses, Numbers };
std::string_view pair_kind_word(PairKind);
// Those that an algorithm is attacked by. The published one has numbers alone: there a row moves a leaf by as much as
// any can, and by half as much where it learns classes.
std::vector<PairKind> pair_kinds(PrivateAlgorithm);

struct PairAudit {
  // Of pure epsilon, lower.plain_epsilon is what was reached.
  double reached() const { return mu > 0 ? lower.epsilon : lower.plain_epsilon; }
  PairKind kind = PairKind::TwoClasses;
  Lower lower;
  double epsilon = 0, mu = 0;  // claimed; mu of Gaussian noise alone
  bool refuted = false;        // at a confidence that calls no sound learner wrong
};
// A small task whose last row is the canary (the last rows, where so many of a contributor count): the only one of its
// level, where no other row blurs it, among so many others that the start, which is noisy too, does not stray.
// Of classes, seven in ten of the others are of the last but one and the canary is of the last. So it begins with p =
// 0.7 against it, where its vector (p, 3.25 p (1-p)) is nearly as long as it may be and stays so while noise moves its
// score, and both derivatives are put to the test. Of three classes the first is nobody's.
// Of numbers, the others are in the middle and the canary is at the upper bound, so far off that its residual is cut
// off in every tree, where its vector is as long as any.
PrivateTask worst_pair(const PrivateBoost&, PairKind);
// At so small a plan that the canary stands out: of dpboost one tree of two leaves, which spends all there is.
PrivateBoost worst_plan(PrivateBoost, PairKind);
// Prepares one training; the tests plant faults here.
using Arrange = std::function<void(Witness&)>;
PairAudit audit_pair(const PrivateBoost&, PairKind, int runs, double seconds,
                     const std::function<void(Entropy::Source&)>& entropy = {}, const Arrange& = {});

struct OneRunAudit {
  std::uint64_t canaries = 0, guesses = 0, right = 0;
  double epsilon_lower = 0;
};
// Trains once on the rows and on about half of so many canaries: rows of the table with a target at the other end;
// where rows have contributors, all rows of some of them.
Result<OneRunAudit> audit_one_run(const PrivateTask&, const PrivateBoost&, std::size_t canaries, const Run&);

inline constexpr double kAuditConfidence = 0.95, kRefutingConfidence = 0.9999;

}  // namespace wald
