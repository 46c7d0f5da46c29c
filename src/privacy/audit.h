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

// What an attacker's evidence shows, who has to tell two worlds apart: without and with the canary. How evidence is
// weighed and which test is made of it is chosen on the first quarter of the runs, and judged on the rest.
//
// mu is a bound without assumptions on what the accountant counts: if the learner were mu'-GDP for a smaller mu', no
// test could do so well. `epsilon` is what that mu costs at delta by the Gaussian curve, as `epsilon` of the claim is;
// it says what is true of the learner if its curve is Gaussian, which is what the proof says. `plain_epsilon` assumes
// nothing at all, and needs events so rare (a small delta tells only there) that runs by the million would sharpen it.
struct Lower {
  double mu = 0, epsilon = 0, plain_epsilon = 0;    // each holds with the confidence
  double false_positives = 1, false_negatives = 1;  // seen by the test behind mu
  std::uint64_t runs = 0;                           // judged, each world
};
// Evidence of several kinds, for each run of each world.
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
