#include "learn/boost_constraints.h"

#include <algorithm>

#include "learn/words.h"

namespace wald {
namespace {

Result<std::uint32_t> column_at(const Task& task, const std::string& name, std::string_view option) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < task.x.columns.size(); ++c) {
    if (task.x.columns[c].name == name) return static_cast<std::uint32_t>(c);
    names.push_back(task.x.columns[c].name);
  }
  const std::string guess = did_you_mean(name, names);
  return usage(fmt::format("--{}: '{}' is no column that is learned from", option, printable(name)),
               guess.empty() ? "name columns of the table that are not left out" : guess);
}

Status read_monotone(const Task& task, Boost& how) {
  how.monotone.assign(task.x.columns.size(), 0);
  for (const std::string& part : split_at(how.monotone_words, ',')) {
    const std::size_t equals = part.rfind('=');
    const std::string way = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (way != "up" && way != "down")
      return usage(fmt::format("--monotone: '{}' does not say up or down", printable(part)),
                   "write COLUMN=up or COLUMN=down, separated by commas");
    const auto column = column_at(task, part.substr(0, equals), "monotone");
    if (!column) return column.error();
    if (task.x.columns[*column].type() == ColumnType::Category)
      return usage(fmt::format("--monotone: '{}' is a category, which neither rises nor falls",
                               printable(task.x.columns[*column].name)),
                   "name columns of numbers");
    how.monotone[*column] = way == "up" ? 1 : -1;
  }
  return Done{};
}

Status read_interactions(const Task& task, Boost& how) {
  for (const std::string& part : split_at(how.interaction_words, ',')) {
    std::vector<std::uint32_t> group;
    for (const std::string& name : split_at(part, '+')) {
      const auto column = column_at(task, name, "interactions");
      if (!column) return column.error();
      group.push_back(*column);
    }
    how.together.push_back(std::move(group));
  }
  return Done{};
}

}  // namespace

Status check_leaf(const Boost& how, const Objective& objective) {
  if (how.leaf == BoostLeaf::Constant) return Done{};
  if (!objective.quantile.empty() || objective.longest_step < kUnlimited)
    return usage("--leaf linear goes with losses whose leaves are Newton steps of any length",
                 "choose --loss squared, huber, logistic or softmax, or leave it away");
  if (how.vector_leaves && objective.outputs > 1)
    return usage("--leaf linear and --vector-leaves yes exclude each other", "leave one of them away");
  if (how.monotone_words != "none")
    return usage("--leaf linear may fall within a leaf, whatever --monotone says", "leave one of them away");
  return Done{};
}

Result<Boost> constrained(Boost how, const Task& task, bool exact_leaves, int outputs) {
  if (how.monotone_words != "none") {
    if (exact_leaves || outputs > 1)
      return usage("--monotone goes with losses of one score whose leaves are Newton steps",
                   "choose another loss than softmax, absolute or quantile");
    if (Status read = read_monotone(task, how); !read) return read.error();
  }
  if (how.interaction_words != "none")
    if (Status read = read_interactions(task, how); !read) return read.error();
  return how;
}

}  // namespace wald
