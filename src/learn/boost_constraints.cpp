#include "learn/boost_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/shell.h"
#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/named_values.h"
#include "prepare/steps.h"
#include "tree/newton.h"

namespace wald {
namespace {

// The columns of the user's table, of which constraints speak, and those of it that each column learned from is made
// of.
struct TableColumns {
  std::vector<Field> field;
  std::vector<std::string> name;  // of each
  std::vector<std::vector<std::size_t>> source;
  std::vector<std::string> left_out;
  const Preparation* made = nullptr;  // null: columns are learned from as they are
};
TableColumns named_columns(const Task& task, const Preparation* made) {
  TableColumns out{.field = schema_of(task).columns, .name = {}, .source = {}, .left_out = task.left_out, .made = made};
  if (made != nullptr) {
    out.source = sources_of(*made, out.field);
    out.field = made->columns;
  } else {
    for (std::size_t c = 0; c < out.field.size(); ++c) out.source.push_back({c});
  }
  for (const Field& field : out.field) out.name.push_back(field.name);
  return out;
}

Result<std::size_t> column_at(const TableColumns& columns, const std::string& name, std::string_view option) {
  const auto found = std::ranges::find(columns.name, name);
  const auto at = static_cast<std::size_t>(found - columns.name.begin());
  const auto is_of = [&](const std::vector<std::size_t>& source) { return std::ranges::count(source, at) > 0; };
  if (found != columns.name.end() && std::ranges::any_of(columns.source, is_of)) return at;
  if (found != columns.name.end() || std::ranges::count(columns.left_out, name) > 0)
    return usage(fmt::format("--{}: column '{}' is not learned from", option, printable(name)),
                 "leave it away there, or let it be learned from: neither ignored nor dropped");
  const std::string guess = did_you_mean(name, columns.name);
  return usage(fmt::format("--{}: '{}' is no column that is learned from", option, printable(name)),
               guess.empty() ? "name columns of the table that are not left out" : guess);
}

// What is drawn for a missing cell depends on all cells of its row, so that every column acts through it.
Status check_drawn(const TableColumns& columns, std::string_view option) {
  if (columns.made == nullptr) return Done{};
  for (const PreparationStep& step : columns.made->steps)
    if (step.kind == StepKind::Draw)
      return usage(fmt::format("--impute draw fills '{}' in by what the other cells of its row are, whatever --{} says",
                               printable(step.from[0]), option),
                   fmt::format("choose --impute median, or leave --{} away", option));
  return Done{};
}

// A power, a product or a region may fall where the column rises.
Status check_followed(const TableColumns& columns, const std::string& name) {
  if (columns.made == nullptr) return Done{};
  for (const PreparationStep& step : columns.made->steps) {
    const bool region = step.kind == StepKind::Region;
    if ((!region && step.kind != StepKind::Product) || std::ranges::count(step.from, name) == 0) continue;
    const bool power = std::ranges::count(step.from, step.from[0]) == std::ssize(step.from);
    const std::string_view option = region ? "regions" : power ? "powers" : "products";
    return usage(fmt::format("--monotone bounds what '{}' itself says, but --{} makes '{}' of it", printable(name),
                             option, printable(step.to[0])),
                 fmt::format("leave --{} away, or '{}' out of --monotone", option, printable(name)));
  }
  return Done{};
}

Status read_monotone(const Task& task, const TableColumns& columns, Boost& how) {
  how.monotone.assign(task.x.columns.size(), 0);
  const auto parts = named_values("monotone", how.monotone_words, columns.name);
  if (!parts) return parts.error();
  for (const auto& [part, name, way] : *parts) {
    if (way != "up" && way != "down")
      return usage(fmt::format("--monotone: '{}' does not say up or down", printable(part)),
                   "write COLUMN=up or COLUMN=down, separated by commas");
    const auto column = column_at(columns, name, "monotone");
    if (!column) return column.error();
    if (columns.field[*column].type == ColumnType::Category)
      return usage(fmt::format("--monotone: '{}' is a category, which neither rises nor falls", printable(name)),
                   "name columns of numbers");
    if (Status follows = check_followed(columns, name); !follows) return follows;
    // Of numbers a preparation keeps the name and the order.
    const auto at = std::ranges::find(task.x.columns, name, &Column::name) - task.x.columns.begin();
    how.monotone[static_cast<std::size_t>(at)] = way == "up" ? 1 : -1;
  }
  return check_drawn(columns, "monotone");
}

Result<std::vector<std::vector<std::size_t>>> read_groups(const TableColumns& columns, const std::string& text) {
  auto groups = split_groups(text, '+');
  if (std::ranges::find(columns.name, text) != columns.name.end()) groups = {{text}};  // alone
  std::vector<std::vector<std::size_t>> out;
  for (const auto& words : groups) {
    std::vector<std::size_t>& group = out.emplace_back();
    for (const std::string& name : words) {
      const auto column = column_at(columns, name, "interactions");
      if (!column) return column.error();
      if (std::ranges::find(group, *column) != group.end())
        return usage(fmt::format("--interactions names '{}' twice in a group", printable(name)),
                     "name it once; a column alone acts with no other");
      group.push_back(*column);
    }
  }
  return out;
}

// A column that is made belongs to the groups that have all it is made of.
Status read_interactions(const Task& task, const TableColumns& columns, Boost& how) {
  auto groups = read_groups(columns, how.interaction_words);
  if (!groups) return groups.error();
  // What is made of one column may meet, also where the column is in no group.
  for (std::size_t c = 0; c < columns.field.size(); ++c)
    if (std::ranges::count(columns.source, std::vector{c}) > 1) groups->push_back({c});
  std::vector<bool> fits(columns.source.size());
  for (const auto& group : *groups) {
    std::vector<std::uint32_t>& together = how.together.emplace_back();
    for (std::size_t made = 0; made < columns.source.size(); ++made) {
      const auto is_in = [&](std::size_t c) { return std::ranges::find(group, c) != group.end(); };
      if (!std::ranges::all_of(columns.source[made], is_in)) continue;
      together.push_back(static_cast<std::uint32_t>(made));
      fits[made] = true;
    }
  }
  for (std::size_t made = 0; made < fits.size(); ++made)
    if (!fits[made] && columns.source[made].size() > 1)
      return usage(fmt::format("--interactions: '{}' is made of columns that are in no group together",
                               printable(task.x.columns[made].name)),
                   "leave --products and --regions away, or --interactions");
  return check_drawn(columns, "interactions");
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
  if (how.max_step != kUnlimited)
    return usage("--max-step cuts the one value of a leaf, but what a leaf of --leaf linear adds has no single value",
                 "leave one of them away");
  if (how.vector_leaves)
    return usage("--leaf linear and --vector-leaves yes exclude each other", "leave one of them away");
  if (how.monotone_words != "none")
    return usage("--leaf linear may fall within a leaf, whatever --monotone says", "leave one of them away");
  return Done{};
}

namespace {

Status check_drawing(const Boost& how, Row rows) {
  if (how.sampling == Sampling::Gradient && how.rows >= 1)
    return usage("--sampling gradient says which rows are drawn, but --rows 1 takes all of them",
                 "give --rows below 1, or leave --sampling away");
  const Boost usual;
  if (Status used =
          check_idle({{how.stop_parts != usual.stop_parts, how.early_stop > 0, "stop-parts", "--early-stop"},
                      {how.stop_trials != usual.stop_trials, how.early_stop > 0, "stop-trials", "--early-stop"},
                      {how.order != usual.order, how.max_leaves > 0, "order", "--max-leaves"}});
      !used)
    return used;
  if (how.stop_parts != usual.stop_parts && std::cmp_greater(how.stop_parts, rows))
    return usage(fmt::format("--stop-parts {}: there are {} rows", how.stop_parts, with_commas(rows)),
                 fmt::format("give {} or fewer", rows));
  if (how.stop_trials > how.stop_parts)
    return usage(fmt::format("--stop-trials {}: each holds out one of the parts, and there are {}", how.stop_trials,
                             how.stop_parts),
                 fmt::format("give {} or fewer, or more --stop-parts", how.stop_parts));
  return Done{};
}

}  // namespace

// Sums of all rows must fit 64 bits, and each output's of a tree of vectors 32 bits a row.
Status check_digits(const Boost& how, Row rows, bool vectors) {
  const int most = vectors ? kGradientBits : std::max(kGradientBits, most_bits(rows));
  if (how.gradient_bits <= most) return Done();
  return usage(fmt::format("--gradient-bits {}: {} have room for {}", how.gradient_bits,
                           vectors ? "leaves of vectors" : fmt::format("the sums of {} rows", with_commas(rows)), most),
               fmt::format("give at most {}", most));
}

Result<Boost> constrained(Boost how, const Task& task, const Objective& objective, const Preparation* made) {
  if (Status fits = check_drawing(how, task.x.rows); !fits) return fits.error();
  const TableColumns columns = named_columns(task, made);
  if (how.monotone_words != "none") {
    if (Status fits = check_monotone(how, task, objective); !fits) return fits.error();
    if (Status read = read_monotone(task, columns, how); !read) return read.error();
  }
  if (how.interaction_words != "none")
    if (Status read = read_interactions(task, columns, how); !read) return read.error();
  return how;
}

}  // namespace wald
