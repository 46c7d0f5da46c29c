// Bounds and category lists that the schema leaves open, bought with a share of the budget. Numbers: a noisy histogram
// over powers of two, whose outermost cells that stand out of the noise are the bounds. Levels: those whose noisy count
// is above a threshold that a level of one contributor passes with a probability of at most `delta` altogether
// (Korolova, Kenthapadi, Mishra and Ntoulas 2009; Gaussian noise as in the other releases).
#pragma once
#include "learn/private_boost.h"
#include "privacy/domain.h"

namespace wald {

// "bounds=0.05": the share; 0 = "none".
Result<double> bought_share(const std::string& text);

// The share of delta that lists of levels may cost.
inline constexpr double kListShare = 0.05;

// Of what is set aside for the noise's being discrete, what bought bounds and levels may take.
inline constexpr double kPurchase = 0.5;
// Histograms of d columns are sqrt(d) long, which is rounded up to a whole number where units are chosen: the variance
// may be half of what was thought.
inline constexpr double kLengthRoundedUp = 2;

// Whether so many different words can be bought: noise is drawn for each, and each costs a little of delta.
Status check_purchase(const PrivateTask&, const Domain&, const PrivateBoost&, double share, const GaussianBudget&);

struct Bought {
  PrivateTask task;
  Domain domain;
};
// What is open in the domain is closed; the rows are moved into their new bounds. Refused where noise so fine would not
// be what delta has room for.
Bought buy(const PrivateTask&, const Domain&, const PrivateBoost&, double share, GaussianBudget&, Entropy&);

}  // namespace wald
