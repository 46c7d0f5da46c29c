// Budgets can only be spent, and what a private learner may know of the rows it gets from here: it hands in exact whole
// numbers with their sensitivity, and gets them back with noise. A budget is built from what was claimed, never from a
// scale of noise.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/entropy.h"
#include "wald/result.h"

namespace wald {

struct Noisy {
  std::vector<std::int64_t> value;
  double deviation = 0;  // of the noise in each: public
};

// (epsilon, delta), accounted by the exact curve of Gaussian differential privacy.
class GaussianBudget {
 public:
  // `other`: a share of delta that is spent beside Gaussian noise.
  static Result<GaussianBudget> of(double epsilon, double delta, double other = 0);
  GaussianBudget(GaussianBudget&&) = default;  // moved, never copied: what is spent is spent
  GaussianBudget& operator=(GaussianBudget&&) = default;

  double mu() const { return mu_; }
  double left() const { return left_; }        // share of mu^2, 1 at first
  double set_aside() const { return aside_; }  // of delta, beside what mu costs

  // The finest unit, as a power of two, in which contributions may be measured if no release gets a smaller share than
  // this and one contributor adds vectors of length `units` at most.
  int unit_bits(double least_share, std::uint64_t units) const;
  // The share of what is set aside for the noise's being discrete that so many numbers take at most, in units that
  // fine, whatever share between these is spent on them; HUGE_VAL where no unit is coarse enough for the least.
  double discrete_share(double numbers, std::uint64_t units, double least_share, double most_share) const;

  // Adding or removing one contributor moves the vector by a Euclidean length of `reach` at most. Spends the share.
  Noisy release(Entropy&, std::vector<std::int64_t> exact, std::uint64_t reach, double share);

 private:
  GaussianBudget(double aside, double mu, double slack) : aside_(aside), mu_(mu), slack_(slack) {}
  double aside_, mu_;
  double slack_;  // total variation set aside for the noise's being discrete
  double left_ = 1;
};

// Pure epsilon, in units of 2^-30. Costs add.
class PureBudget {
 public:
  static constexpr int kBits = 30;
  explicit PureBudget(double epsilon);
  PureBudget(PureBudget&&) = default;
  PureBudget& operator=(PureBudget&&) = default;

  std::uint64_t left() const { return left_; }

  // Adding or removing one contributor moves the number by `reach` at most.
  std::int64_t release(Entropy&, std::int64_t exact, std::uint64_t reach, std::uint64_t cost);
  // The place of one of the scores, likely a high one; no score moves by more than `reach`.
  std::size_t choose(Entropy&, std::span<const std::int64_t> scores, std::uint64_t reach, std::uint64_t cost);

  // Parts to be spent on rows of which no other part sees any: together they cost as much as one.
  std::vector<PureBudget> disjoint(std::size_t parts, std::uint64_t cost);

 private:
  PureBudget() = default;
  void spend(std::uint64_t cost);
  std::uint64_t left_ = 0;
};

}  // namespace wald
