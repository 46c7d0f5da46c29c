#include "cli/prune_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "core/parallel.h"
#include "core/text.h"
#include "explain/walk.h"
#include "learn/cart.h"
#include "learn/preparing.h"
#include "tree/figures.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShownSteps = 60;  // longer paths are thinned for people, never for --json

Status print(const std::string& text, const Arguments& given, Terminal& terminal) {
  Result<Output> output = Output::open(given, terminal);
  if (!output) return output.error();
  if (Status written = output->write(text); !written) return written;
  return output->finish();
}

// The options the model was made with, as far as they are the learner's own.
Result<Cart> cart_options(const Model& model) {
  if (model.made.learner != "cart")
    return usage(fmt::format("the model was made by {}; only cart has a table of prices with cross-validation",
                             printable(model.made.learner)),
                 "leave the table away to see the path of the tree as it is");
  Settings settings;
  for (const OptionInfo& info : option_infos<Cart>())
    if (const auto found = model.made.options.find(info.name); found != model.made.options.end())
      settings[info.name] = found->second;
  return wald::read_options<Cart>("cart", settings);
}

Result<Task> task_for(const Model& model, Table table) {
  Roles roles{.target = model.schema.target.name,
              .kind = model.schema.classifies() ? TaskKind::Classes : TaskKind::Numbers};
  const auto made = [&](const char* name) {
    const auto found = model.made.options.find(name);
    return found == model.made.options.end() ? std::string() : found->second;
  };
  roles.more_targets = model.schema.more_targets;
  roles.weight = made("weight");
  roles.drop_missing_target = made("drop-missing-target") == "yes";
  for (const Field& field : input_columns(model)) roles.keep.push_back(field.name);
  for (const Column& column : table.columns)
    if (std::ranges::find(roles.keep, column.name) == roles.keep.end() && column.name != roles.target &&
        std::ranges::find(roles.more_targets, column.name) == roles.more_targets.end() && column.name != roles.weight)
      roles.ignore.push_back(column.name);
  return make_task(std::move(table), roles);
}

ordered_json steps_json(const PruneTable& table) {
  ordered_json out = ordered_json::array();
  for (std::size_t k = 0; k < table.path.steps.size(); ++k) {
    const PruneStep& step = table.path.steps[k];
    out.push_back({{"alpha", step.alpha}, {"leaves", step.leaves}, {"risk", step.risk}});
    if (table.loss.empty()) continue;
    out.back()["cv"] = table.loss[k];
    out.back()["se"] = table.error[k];
  }
  return out;
}

// Which steps a person sees: all, or the first, the last, the chosen and an even choice of the rest.
std::vector<std::size_t> shown(const PruneTable& table) {
  const std::size_t count = table.path.steps.size();
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < count; ++k)
    if (count <= kShownSteps || k * kShownSteps / count != (k + 1) * kShownSteps / count || k == 0 || k == table.chosen)
      out.push_back(k);
  return out;
}

// rule: that has chosen a step, of which the tree of the model, made otherwise, need not be.
std::string steps_text(const PruneTable& table, const std::string& risk, const std::string& loss,
                       const std::string& rule) {
  const bool folds = !table.loss.empty();
  std::string out = fmt::format("{:>11}  {:>7}  {:>11}", "alpha", "leaves", risk);
  out += folds ? fmt::format("  {:>11}  {:>9}\n", loss, "± se") : "\n";
  for (const std::size_t k : shown(table)) {
    const PruneStep& step = table.path.steps[k];
    out += fmt::format("{:>11.5g}  {:>7}  {:>11.5g}", step.alpha, with_commas(step.leaves), step.risk);
    if (folds) out += fmt::format("  {:>11.5g}  {:>8.3g}", table.loss[k], table.error[k]);
    if (folds && k == table.chosen) out += fmt::format("  <- {}", rule);
    out += "\n";
  }
  return out;
}

// The path of the tree in the model: its splits' gains tell all but the risk of its leaves.
Result<PruneTable> path_of_model(const Model& model, std::size_t index) {
  Figures tree = figures(model.forest(), index);
  if (tree.gain.empty() && model.forest().tree(index).nodes.size() > 1)
    return usage("the model keeps no gains, so its tree cannot be priced", "");
  tree.gain.resize(model.forest().tree(index).nodes.size());  // a tree of one leaf has none to keep
  Parents parent;
  for (const Origin& origin : origins(model.forest().tree(index))) parent.push_back(origin.parent);
  PruneTable table{.path = cost_complexity(parent, risk_of_gains(parent, tree.gain)), .loss = {}, .error = {}};
  const double all = tree.cover.empty() || !(tree.cover[0] > 0) ? 1 : tree.cover[0];
  for (PruneStep& step : table.path.steps) step.alpha /= all, step.risk /= all;
  return table;
}

Result<PruneTable> path_of_data(const Model& model, const Arguments& given, Terminal& terminal) {
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Cart> options = cart_options(model);
  if (!options) return options.error();
  Result<Table> data = read_data_for(model, given.operands[1], given, *run, terminal);
  if (!data) return data.error();
  const Result<Task> task = task_for(model, std::move(*data));
  if (!task) return task.error();
  if (fingerprint(*task) != model.made.fingerprint)
    terminal.warn("these are not the rows that the model was trained on: the table is of a tree of these");
  Run seeded = *run;
  seeded.seed = model.made.seed;
  Result<PruneTable> table = failure("not computed");
  with_threads(run->threads, [&] {
    const auto prepared = prepared_again(model, *task, seeded);
    if (!prepared) table = prepared.error();
    else table = cart_prune_table(*prepared ? (*prepared)->task : *task, *options, seeded);
  });
  return table;
}

}  // namespace

Status show_prune_path(const Model& model, std::size_t index, const Arguments& given, Terminal& terminal) {
  const bool data = given.operands.size() > 1;
  const Result<PruneTable> table = data ? path_of_data(model, given, terminal) : path_of_model(model, index);
  if (!table) return table.error();
  if (terminal.json) {
    ordered_json out = {{"target", model.schema.target.name}, {"path", steps_json(*table)}};
    if (data) out["chosen"] = table->chosen;
    print_json(out, terminal);
    return Done{};
  }
  const bool classes = model.schema.classifies();
  if (!data) return print(steps_text(*table, "risk above", "", ""), given, terminal);
  const std::string rule = prune_rule_words()[static_cast<std::size_t>(cart_options(model)->prune_rule)];
  return print(steps_text(*table, classes ? "risk" : "mean square", classes ? "cv error" : "cv square", rule), given,
               terminal);
}

}  // namespace wald::cli
