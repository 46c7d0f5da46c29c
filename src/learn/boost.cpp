#include "learn/boost.h"

#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/boost_stop.h"

namespace wald {
namespace {

Model model_of(const Task& task, Boosted boosted, Link link) {
  std::vector<Tree> trees;
  for (BoostedTree& grown : boosted.trees) {
    Tree& tree = trees.emplace_back(std::move(grown.tree));
    if (boosted.base.size() > 1) tree.output = static_cast<std::uint32_t>(grown.output);
  }
  return Model{.schema = schema_of(task),
               .body = assemble(boosted.base, task.x.columns.size(), trees),
               .link = link,
               .made = {}};
}

Result<Model> fit_objective(const Task& task, const Boost& how, const Objective& objective, Link link, const Run& run) {
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  Boosted boosted = boost(*x, objective, how, weighted_rows(task), run);
  return model_of(task, std::move(boosted), link);
}

}  // namespace

Result<Model> fit_boost(const Task& task, const Boost& how, const Run& run) {
  if (Status fits = check_loss(task, how); !fits) return fits.error();
  const Targets targets = targets_of(task, how);
  const LossName loss = loss_for(task, how);
  return fit_objective(task, how, objective_for(loss, task, how, targets), link_of(loss), run);
}

Result<Model> fit_boost(const Task& task, const OwnLoss& loss, const Settings& settings, const Run& run) {
  const auto how = read_options<Boost>("boost", settings);
  if (!how) return how.error();
  const Targets targets = targets_of(task, *how);
  return fit_objective(task, *how, objective_of(loss, targets), loss.link, run);
}

}  // namespace wald
