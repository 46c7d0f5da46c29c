#include "learn/boost_constraints.h"

#include <algorithm>

#include "core/shell.h"
#include "learn/boost_loss.h"
#include "learn/named_values.h"

namespace wald {
namespace {

std::vector<std::string> column_names(const Task& task) {
  std::vector<std::string> out;
  for (const Column& column : task.x.columns) out.push_back(column.name);
  return out;
}

// A column that is there and not learned from: ignored, or made others of by the preparation.
Error of_left_out(std::span<const std::string> names, const std::string& name, std::string_view option) {
  const auto made = std::ranges::find_if(names, [&](const std::string& n) { return n.starts_with(name + "="); });
  return usage(
      fmt::format("--{}: column '{}' is not learned from{}", option, printable(name),
                  made == names.end() ? "" : fmt::format(" itself, but as '{}' and its like", printable(*made))),
      made == names.end() ? "leave it away there, or let it be learned from: neither ignored nor dropped"
                          : "name those, or leave --categories one-hot away");
}

Result<std::uint32_t> column_at(const Task& task, std::span<const std::string> names, const std::string& name,
                                std::string_view option) {
  if (const auto found = std::ranges::find(names, name); found != names.end())
    return static_cast<std::uint32_t>(found - names.begin());
  if (std::ranges::count(task.left_out, name) > 0) return of_left_out(names, name, option);
  const std::string guess = did_you_mean(name, {names.begin(), names.end()});
  return usage(fmt::format("--{}: '{}' is no column that is learned from", option, printable(name)),
               guess.empty() ? "name columns of the table that are not left out" : guess);
}

Status read_monotone(const Task& task, Boost& how) {
  how.monotone.assign(task.x.columns.size(), 0);
  const std::vector<std::string> names = column_names(task);
  const auto parts = named_values("monotone", how.monotone_words, names);
  if (!parts) return parts.error();
  for (const auto& [part, name, way] : *parts) {
    if (way != "up" && way != "down")
      return usage(fmt::format("--monotone: '{}' does not say up or down", printable(part)),
                   "write COLUMN=up or COLUMN=down, separated by commas");
    const auto column = column_at(task, names, name, "monotone");
    if (!column) return column.error();
    if (task.x.columns[*column].type() == ColumnType::Category)
      return usage(fmt::format("--monotone: '{}' is a category, which neither rises nor falls", printable(name)),
                   "name columns of numbers");
    how.monotone[*column] = way == "up" ? 1 : -1;
  }
  return Done{};
}

Status read_interactions(const Task& task, Boost& how) {
  const std::vector<std::string> names = column_names(task);
  auto groups = split_groups(how.interaction_words, '+');
  if (std::ranges::find(names, how.interaction_words) != names.end()) groups = {{how.interaction_words}};  // alone
  for (const auto& words : groups) {
    std::vector<std::uint32_t> group;
    for (const std::string& name : words) {
      const auto column = column_at(task, names, name, "interactions");
      if (!column) return column.error();
      if (std::ranges::find(group, *column) != group.end())
        return usage(fmt::format("--interactions names '{}' twice in a group", printable(name)),
                     "name it once; a column alone acts with no other");
      group.push_back(*column);
    }
    how.together.push_back(std::move(group));
  }
  return Done{};
}

// A bound holds for the one score that a leaf of a Newton step moves.
Status check_monotone(const Boost& how, const Task& task, const Objective& objective) {
  if (!task.more_targets.empty())
    return usage(fmt::format("--monotone is for one target, but there are {}", 1 + task.more_targets.size()),
                 "leave it away, or train one model a target");
  const std::string& loss = word_of(loss_for(task, how));
  if (!objective.quantile.empty())
    return usage(fmt::format("--monotone bounds leaves that are Newton steps, but those of --loss {} are quantiles of "
                             "what their rows are off by",
                             loss),
                 "leave it away, or choose --loss huber or squared");
  if (objective.outputs > 1)
    return usage(fmt::format("--monotone is for one score a row, but --loss {} has one a class", loss),
                 "leave it away, or tell two classes apart with --loss logistic");
  return Done{};
}

}  // namespace

namespace {

Status check_constant(const Boost& how) {
  const Boost usual;
  for (const auto& [option, given] :
       {std::pair{"ridge", how.ridge != usual.ridge}, {"leaf-terms", how.leaf_terms != usual.leaf_terms}})
    if (given)
      return usage(fmt::format("--{} belongs to --leaf linear, but the leaves are constant", option),
                   fmt::format("give --leaf linear, or leave --{} away", option));
  return Done{};
}

}  // namespace

Status check_leaf(const Boost& how, const Objective& objective) {
  if (how.max_step != kUnlimited && how.max_step > objective.longest_step)
    return usage(fmt::format("--max-step {}: leaves of this loss go no further than {}, because second derivatives are "
                             "too small where scores are far off",
                             how.max_step, objective.longest_step),
                 fmt::format("give {} or less, or leave it away", objective.longest_step));
  if (how.vector_leaves && objective.outputs == 1)
    return usage("--vector-leaves yes is for several classes, targets or quantiles, but a round has one tree already",
                 "leave it away");
  if (how.leaf == BoostLeaf::Constant) return check_constant(how);
  if (!objective.quantile.empty() || objective.longest_step < kUnlimited)
    return usage("--leaf linear goes with losses whose leaves are Newton steps of any length",
                 "choose --loss squared, huber, logistic or softmax, or leave it away");
  if (how.vector_leaves)
    return usage("--leaf linear and --vector-leaves yes exclude each other", "leave one of them away");
  if (how.monotone_words != "none")
    return usage("--leaf linear may fall within a leaf, whatever --monotone says", "leave one of them away");
  return Done{};
}

namespace {

Status check_drawing(const Boost& how) {
  if (how.sampling == Sampling::Gradient && how.rows >= 1)
    return usage("--sampling gradient says which rows are drawn, but --rows 1 takes all of them",
                 "give --rows below 1, or leave --sampling away");
  const Boost usual;
  if (Status used =
          check_idle({{how.stop_parts != usual.stop_parts, how.early_stop > 0, "stop-parts", "--early-stop"},
                      {how.stop_trials != usual.stop_trials, how.early_stop > 0, "stop-trials", "--early-stop"}});
      !used)
    return used;
  if (how.stop_trials > how.stop_parts)
    return usage(fmt::format("--stop-trials {}: each holds out one of the parts, and there are {}", how.stop_trials,
                             how.stop_parts),
                 fmt::format("give {} or fewer, or more --stop-parts", how.stop_parts));
  return Done{};
}

}  // namespace

Result<Boost> constrained(Boost how, const Task& task, const Objective& objective) {
  if (Status fits = check_drawing(how); !fits) return fits.error();
  if (how.monotone_words != "none") {
    if (Status fits = check_monotone(how, task, objective); !fits) return fits.error();
    if (Status read = read_monotone(task, how); !read) return read.error();
  }
  if (how.interaction_words != "none")
    if (Status read = read_interactions(task, how); !read) return read.error();
  return how;
}

}  // namespace wald
