#include "learn/quinlan.h"

#include <fmt/format.h>

#include "core/text.h"
#include "learn/assemble.h"
#include "learn/learner.h"
#include "tree/assembler.h"

namespace wald {
namespace {

Status check_classes(const Task& task, std::string_view learner) {
  if (task.classifies()) return Done{};
  return usage(fmt::format("{} learns classes, but the target '{}' has numbers", learner, printable(task.target)),
               "take --learner cart, or give --task classes");
}

Result<Model> fit_tree(const Task& task, const QuinlanOptions& options, int bins, const Run& run) {
  const auto x = bin(task.x, bins);
  if (!x) return x.error();
  const QuinlanTask what{.x = *x,
                         .label = task.classes().code,
                         .weight = task.weight,
                         .classes = static_cast<int>(task.classes().name.size())};
  const Tree tree = grow_quinlan(what, weighted_rows(task), options, run);
  return Model{.schema = schema_of(task),
               .body = assemble(std::vector<double>(static_cast<std::size_t>(tree.outputs), 0.0), task.x.columns.size(),
                                std::span(&tree, 1)),
               .link = Link::Probabilities,
               .made = {}};
}

}  // namespace
Result<Model> fit_id3(const Task& task, const Id3& options, const Run& run) {
  if (Status classes = check_classes(task, "id3"); !classes) return classes.error();
  for (const Column& column : task.x.columns)
    if (column.type() == ColumnType::Number)
      return usage(fmt::format("id3 learns from categories, but column '{}' holds numbers", printable(column.name)),
                   "take --learner c45, leave it out with --ignore, or declare a category in a schema");
  return fit_tree(task, options, kMaxBins, run);
}

Result<Model> fit_c45(const Task& task, const C45& options, const Run& run) {
  if (Status classes = check_classes(task, "c45"); !classes) return classes.error();
  const C45 usual;
  const bool prunes = options.pruning == C45Prune::Pessimistic;
  const Status idle = check_idle({{options.confidence != usual.confidence, prunes, "confidence", "--prune pessimistic"},
                                  {options.raise != usual.raise, prunes, "subtree-raising", "--prune pessimistic"}});
  if (!idle) return idle.error();
  QuinlanOptions how = options;
  how.prune = prunes;
  return fit_tree(task, how, options.bins, run);
}

std::vector<Learner> quinlan_learners() {
  return {learner<Id3, fit_id3>("id3", "one decision tree of categories (ID3)"),
          learner<C45, fit_c45>("c45", "one decision tree (C4.5)")};
}

}  // namespace wald
