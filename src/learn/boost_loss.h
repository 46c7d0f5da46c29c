// From the word after --loss to what is minimised.
#pragma once
#include "learn/boost.h"
#include "loss/objective.h"

namespace wald {

LossName loss_for(const Task&, const Boost&);  // never Auto
const std::string& word_of(LossName);
Status check_loss(const Task&, const Boost&);  // does it suit the targets, and do all that is said of it concern it?
Status check_own_loss(const Boost&);           // of a loss of one's own: nothing said of another
// With the weights of rows and classes; the task must outlive them.
Result<Targets> targets_of(const Task&, const Boost&);
Link link_of(LossName);  // from scores to predictions
Objective objective_for(LossName, const Task&, const Boost&, const Targets&);

}  // namespace wald
