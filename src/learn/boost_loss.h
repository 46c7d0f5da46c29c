// From the word after --loss to what is minimised.
#pragma once
#include "learn/boost.h"
#include "loss/objective.h"

namespace wald {

LossName loss_for(const Task&, const Boost&);   // never Auto
Status check_loss(const Task&, const Boost&);   // does it suit the targets?
Targets targets_of(const Task&, const Boost&);  // with the weights of rows and classes
Link link_of(LossName);                         // from scores to predictions
Objective objective_for(LossName, const Task&, const Boost&, const Targets&);

}  // namespace wald
