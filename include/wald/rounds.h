// Learners that go by rounds: models to go on from, checkpoints, and the curve while it grows.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wald/learn.h"
#include "wald/predict.h"
#include "wald/task.h"

namespace wald {

// What a forest says of its training rows, each by the trees that did not see it.
struct OutOfBag {
  Predictions predictions;
  std::vector<std::uint32_t> trees;  // that spoke; a row of none has no prediction
};

struct Rounds {
  const Model* from = nullptr;                        // a finished model to add rounds to
  const Model* resume = nullptr;                      // a checkpoint to take up: the same bytes as never interrupted
  std::function<void(const Model&)> checkpoint = {};  // told now and then, with all that is needed to resume
  double checkpoint_seconds = 20;
  std::function<void(const LearningCurve&)> told = {};  // after each round
  std::function<void(OutOfBag)> out_of_bag = {};        // told once, by forests whose trees leave rows out
  // Told why, in a sentence with its cure, where adaboost or anyboost end before their last round, or where boost had
  // no rows to hold out to choose its rounds on.
  std::function<void(const std::string&)> ended = {};
  // Told what else is worth knowing of the training, in a sentence with its cure.
  std::function<void(const std::string&)> noted = {};
  // Rows to stop by in the place of rows held out: the model is that of the round that is best on them. Its columns are
  // found by name, its classes are the task's. Only for boost.
  const Task* stop_by = nullptr;
  bool from_knows_rows = false;           // found out by fit: `from` was made from these very rows
  const Preparation* prepared = nullptr;  // set by fit: what made the learner's columns of the user's; null = nothing
};

// A task to go on with from a model, of any rows that could be predicted by it: columns are found by name and have the
// model's levels, also those that no row has; levels that it does not know are missing, with a warning a column, and so
// are columns that it does not know left out. Classes are the model's; a row of another is refused.
struct GoingOn {
  Task task;
  std::vector<std::string> warnings;
};
Result<GoingOn> make_task_going_on(const Model& from, Table, Roles);
// How the table must be read for that, where no schema says more.
void read_going_on(const Model& from, ReadOptions&);

// As fit without them. A learner that does not go by rounds has nothing to go on from. Interrupted, one that does gives
// the best model so far, if there is any.
Result<Model> fit(std::string_view learner, const Task&, const Settings&, const Run&, const Rounds&);

}  // namespace wald
