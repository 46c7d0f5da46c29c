// Attempts at disproof. An audit can show that a claim is false, and how much an attacker learns at the least; it
// cannot prove a claim. The proof is in docs/methods/private-boosting.md.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "privacy/entropy.h"

namespace wald {

// Bounds that hold with this confidence each (Clopper and Pearson 1934): `hits` of `draws` were seen.
double proportion_at_least(std::uint64_t hits, std::uint64_t draws, double confidence);
double proportion_at_most(std::uint64_t hits, std::uint64_t draws, double confidence);

// What an attacker's evidence shows, who has to tell two worlds apart: without and with the canary. The threshold is
// chosen on the first half of the runs and judged on the second.
struct Lower {
  double mu = 0, epsilon = 0;                       // hold with the confidence
  double false_positives = 1, false_negatives = 1;  // seen on the second half
  std::uint64_t runs = 0;                           // of the second half, each world
};
// Evidence of several kinds, for each run of each world: weighed on the first half, too.
using Evidence = std::vector<std::vector<double>>;
Lower lower_bound(const Evidence& without, const Evidence& with, double delta, double confidence);

// One-run audit (Steinke, Nasr and Jagielski 2023): of `guesses` canaries whose membership was guessed, `right` were.
// The largest epsilon that is refuted at this confidence.
double one_run_epsilon(std::uint64_t right, std::uint64_t guesses, std::uint64_t canaries, double delta,
                       double confidence);

struct Check {
  std::string name;
  bool passed = false;
  std::string what;  // what was seen
};
// Chi-square tests of the samplers against their distributions, fed from this entropy.
std::vector<Check> check_samplers(Entropy&, int draws);
// Fresh starts must not agree: a seed of few bits soon comes again.
Check check_freshness(const std::function<std::uint64_t()>& first_draw_of_a_fresh_start, int starts);

}  // namespace wald
