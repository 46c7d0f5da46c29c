// The published private boosting (Li, Wu, Wen and He 2020, "Privacy-preserving gradient boosting decision trees"; the
// two-node trees of Giovanna Theo's and Loretan's implementations), for pure epsilon and for comparison. Gradients are
// bounded by filtering rows, splits are drawn by an exponential mechanism, leaves are clipped ever closer and get
// Laplace noise, and the trees of an ensemble see different rows, so that each may spend what the ensemble has.
//
// Corrected where the published code departs from its proof: thresholds are public, rows are dealt to trees by coins
// rather than by quotas that one row more would shift, every node is split whatever it holds, and the start is public.
#pragma once
#include "learn/private_boost.h"
#include "privacy/budget.h"
#include "privacy/domain.h"

namespace wald {

// A score of a split in whole numbers: the sum over both sides of G^2 / (n + 1), G in units of 2^-10 and each term
// rounded down. One row with |g| <= 1 more or less changes one side, by 3 units of 2^20 at most (and 1 by rounding).
inline constexpr int kGainBits = 10;
inline constexpr std::uint64_t kGainReach = (std::uint64_t{3} << (2 * kGainBits)) + 1;

struct Side {
  std::int64_t g = 0, rows = 0;
};
std::int64_t split_score(Side left, Side right);

// A leaf in units of 2^-14: -G / (n + 1) clipped to +- most. Its sensitivity is the least of g* / 2 and 2 most.
inline constexpr int kLeafBits = 14;
std::int64_t leaf_score(Side, std::int64_t most);
std::uint64_t leaf_reach(std::int64_t most);

// What auto stands for.
PrivateBoost with_defaults(PrivateBoost);

// A witness sees the leaves; with more trees than one in an ensemble it does not know in which the canary would be.
Result<Forest> fit_dpboost(const PrivateTask&, const Domain&, const PrivateBoost&, PureBudget, Entropy&, const Run&,
                           Witness* = nullptr);

}  // namespace wald
