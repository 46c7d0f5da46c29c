// What noise costs. Gaussian differential privacy (Dong, Roth and Su 2022, "Gaussian differential privacy"): a query of
// sensitivity s with Gaussian noise of deviation d is (s/d)-GDP, adaptive composition adds the squares exactly, and
// mu-GDP is (epsilon, delta)-private for exactly the pairs of the curve below (Balle and Wang 2018).
#pragma once
#include <cstdint>

#include "wald/result.h"

namespace wald {

// The delta that mu-GDP gives at epsilon: Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2).
double gaussian_delta(double epsilon, double mu);

// The largest mu whose curve passes below (epsilon, delta), and the least epsilon of a mu at delta; both rounded to the
// safe side.
double gaussian_mu(double epsilon, double delta);
double gaussian_epsilon(double mu, double delta);

// Discrete Gaussian noise is not Gaussian noise rounded, but so near that a bound on the distance settles the matter:
// the total variation between the two is at most 1 / (4 variance) for variance >= 64 (docs/methods/private-boosting.md
// proves it), and so many numbers differ by at most the sum. Distance v costs (1 + exp(epsilon)) v of delta.
double discretisation(double numbers, double variance);

}  // namespace wald
