// Trees of a model as if just grown: to go on from a model, or to take up a run that was interrupted.
#pragma once
#include <vector>

#include "learn/boost_stop.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

// A threshold's ref is its bin in x; without x it has no meaning, which is enough for trees that are only to be
// assembled again.
std::vector<Tree> trees_of(const Model&, const Binned* x = nullptr);

// `like`: a model without trees that has the schema, link and provenance of the one to be made.
Model checkpoint_of(const Halfway&, const std::vector<double>& base, const Model& like);
// Marks it by the task, the model that the run goes on from and the rows that it stops by: what its checkpoints are
// told apart by.
void mark(Model& like, const Task&, const Rounds&);
// Refused if the checkpoint is of another table, seed or options, goes on from another model or stops by other rows.
Result<Halfway> halfway_of(const Model& checkpoint, const Model& like, const Binned&);

// The model to go on from, as it sees this task; refused where columns, classes or scores are of another kind.
Result<Before> before_of(const Model& from, const Model& like, const Task&, int trees_a_round, const Run&);

}  // namespace wald
