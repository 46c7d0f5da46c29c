// From the word after --loss to what is minimised.
#pragma once
#include "learn/boost.h"
#include "loss/objective.h"

namespace wald {

LossName loss_for(const Task&, const Boost&);  // never Auto
const std::string& word_of(LossName);
// What a word after --loss says of its target: a loss for numbers says that a column of numbers holds no classes,
// however few its values are. Of no such column (null) and of other words nothing.
TaskKind kind_said_by(std::string_view loss, const Column* target);
Status check_loss(const Task&, const Boost&);  // does it suit the targets, and do all that is said of it concern it?
std::string size_words(const Task&);           // of targets too small to be learned from; "" = they are not
Status check_judge(const Task&, LossName);     // do its targets, which suit the loss, tell rounds apart?
Status check_own_loss(const Boost&);           // of a loss of one's own: nothing said of another
// With the weights of rows and classes; the task must outlive them.
Result<Targets> targets_of(const Task&, const Boost&);
Link link_of(LossName);  // from scores to predictions
// learned: those that say what the loss leaves to the data (the width of huber), also where others are judged by it.
Objective objective_for(LossName, const Task&, const Boost&, const Targets&, const Targets& learned);
inline Objective objective_for(LossName loss, const Task& task, const Boost& how, const Targets& targets) {
  return objective_for(loss, task, how, targets, targets);
}

}  // namespace wald
