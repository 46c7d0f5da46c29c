#include "learn/private_boost_plan.h"

#include <algorithm>
#include <cmath>

namespace wald {

Shares shares_of(const PrivateBoost& how) {
  Shares out;
  if (how.column_share >= 0) out.columns = how.column_share;
  out.trees = 1 - out.start - out.columns;
  return out;
}

Plan plan_of(const PrivateBoost& how, double mu, double rows, std::size_t columns, int outputs) {
  Plan out;
  (void)mu, (void)rows, (void)columns, (void)outputs;
  if (how.trees > 0) out.trees = how.trees;
  if (how.learning_rate > 0) out.rate = how.learning_rate;
  if (how.parts > 0) out.parts = how.parts;
  if (how.columns > 0) out.columns = how.columns;
  return out;
}

}  // namespace wald
