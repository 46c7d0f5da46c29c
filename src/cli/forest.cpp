#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>

#include "cli/found.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/plot.h"
#include "measure/out_of_bag.h"
#include "wald/forests.h"

namespace wald::cli {
namespace {

// Columns of numbers or words under their names: what every question of this verb answers with.
struct Answer {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<std::string> warnings;  // told already

  void add(const std::vector<nlohmann::ordered_json>& cells) {
    std::vector<std::string>& row = rows.emplace_back();
    nlohmann::ordered_json& object = json.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      object[names[i]] = cells[i];
      row.push_back(cells[i].is_null()           ? ""
                    : cells[i].is_string()       ? cells[i].get<std::string>()
                    : cells[i].is_number_float() ? exact_text(cells[i].get<double>())
                                                 : cells[i].dump());
    }
  }
};

Status print(const Answer& answer, std::string_view key, const Arguments& given, Terminal& terminal) {
  if (terminal.json && given.text("output", "-") == "-") {
    print_json({{"rows", answer.rows.size()}, {std::string(key), answer.json}, {"warnings", answer.warnings}},
               terminal);
    return Done{};
  }
  auto output = Output::open(given, terminal);
  if (!output) return output.error();
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + csv_cell(cells[i]);
    text += '\n';
  };
  line(answer.names);
  for (const auto& row : answer.rows) line(row);
  if (Status written = output->write(text); !written) return written;
  if (Status finished = output->finish(); !finished) return finished;
  if (terminal.json)
    print_json({{"rows", answer.rows.size()}, {"output", output->path()}, {"warnings", answer.warnings}}, terminal);
  else if (output->to_file())
    terminal.print(
        fmt::format("wrote {} with {}\n", printable(output->path(), 200), plural(answer.rows.size(), "row")));
  return Done{};
}

// Which rows of a table are told of, and how many trees spoke of each: nothing is predicted where none did.
struct Spoken {
  std::span<const Row> row;
  std::span<const std::uint32_t> trees;
};

// Predictions, then a column of `more` numbers a row under each name.
Answer with_predictions(const Model& model, const Predictions& p, const std::vector<std::string>& names,
                        const std::vector<double>& more, const Spoken& spoken = {}) {
  Answer out;
  if (!spoken.row.empty()) out.names.push_back("row");
  out.names.push_back("prediction");
  for (const std::string& level : model.schema.target.level) out.names.push_back("p_" + level);
  out.names.insert(out.names.end(), names.begin(), names.end());
  const std::size_t classes = model.schema.target.level.size();
  for (std::size_t r = 0; r < p.rows; ++r) {
    std::vector<nlohmann::ordered_json> cells;
    if (classes > 0) cells.emplace_back(model.schema.target.level[p.label[r]]);
    else cells.emplace_back(p.value[r]);
    for (std::size_t k = 0; k < classes; ++k) cells.emplace_back(p.value[r * classes + k]);
    if (!spoken.trees.empty() && spoken.trees[r] == 0) cells.assign(cells.size(), nullptr);
    if (!spoken.row.empty()) cells.insert(cells.begin(), spoken.row[r] + 1);
    for (std::size_t k = 0; k < names.size(); ++k) cells.emplace_back(more[r * names.size() + k]);
    out.add(cells);
  }
  return out;
}

Status out_of_bag(const Model& model, const TrainingRows& training, const Run& run, const Arguments& given,
                  Terminal& terminal) {
  const Task& task = training.task;
  const auto bag = predict_out_of_bag(model, task, run);
  if (!bag) return bag.error();
  const std::vector<double> trees(bag->trees.begin(), bag->trees.end());
  if (!terminal.json && !terminal.quiet) {
    Model measured = model;
    measured.found = out_of_bag_measures(model.schema, task, *bag);
    for (const auto& [what, text] : found_lines(measured)) terminal.note(what + ": " + text);
  }
  return print(with_predictions(model, bag->predictions, {"trees"}, trees, {training.rows, bag->trees}), "predictions",
               given, terminal);
}

Status intervals(const Model& model, const Task& task, const Table& table, const Run& run, const Arguments& given,
                 Terminal& terminal) {
  const std::optional<double> level = read_number(given.text("interval"));
  if (!level || !(*level > 0 && *level < 1))
    return usage(fmt::format("--interval: '{}' is not a share of the targets", printable(given.text("interval"))),
                 "give a number between 0 and 1, for example 0.9");
  const auto q = interval_quantiles(*level);
  const auto found = predict_quantiles(model, task, table, q, run);
  if (!found) return found.error();
  const auto p = predict(model, table, run);
  if (!p) return p.error();
  Answer out = with_predictions(model, *p, {"low", "median", "high"}, *found);
  out.warnings = warn_of_levels(model, table, terminal);
  return print(out, "predictions", given, terminal);
}

Status errors(const Model& model, const Task& task, const Table& table, const Run& run, const Arguments& given,
              Terminal& terminal) {
  const auto found = standard_errors(model, task, table, run);
  if (!found) return found.error();
  const auto p = predict(model, table, run);
  if (!p) return p.error();
  std::vector<std::string> names;
  for (const std::string& level : model.schema.target.level) names.push_back("error_" + level);
  if (names.empty()) names.push_back("error");
  Answer out = with_predictions(model, *p, names, found->error);
  out.warnings = warn_of_levels(model, table, terminal);
  // Trees in finite number scatter by themselves; what is taken off for that may be all there is. Where all trees say
  // the same, they do not.
  const std::size_t all = found->error.size();
  const std::size_t none = static_cast<std::size_t>(std::ranges::count(found->error, 0.0)) - found->agreed;
  if (20 * none > all) {
    out.warnings.push_back(
        fmt::format("{} of {} standard errors are 0: {} too few to tell them from the trees' own scatter; train "
                    "several for each of the {}{}",
                    with_commas(none), with_commas(all),
                    plural(model.forest().trees(), "tree") + (model.forest().trees() == 1 ? " is" : " are"),
                    plural(task.x.rows, "training row"),
                    model.made.learner == "honest-forest" ? "" : ", best with --sample subsample --rows 0.3"));
    terminal.warn(out.warnings.back());
  }
  return print(out, "predictions", given, terminal);
}

Status print_nearest(const Model& model, const Table& table, const Run& run, const Arguments& given,
                     Terminal& terminal) {
  const auto row = given.whole("proximity", 1, 1, table.rows);
  if (!row) return row.error();
  const auto found = proximity(model, table, static_cast<std::size_t>(*row) - 1, run);
  if (!found) return found.error();
  std::vector<std::size_t> order(found->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return (*found)[a] > (*found)[b]; });
  Answer out{.names = {"row", "proximity"}, .warnings = warn_of_levels(model, table, terminal)};
  for (const std::size_t r : order)
    if ((*found)[r] > 0) out.add({r + 1, (*found)[r]});
  return print(out, "proximity", given, terminal);
}

Status importance_lines(const Model& model, const Task& task, const Run& run, const Arguments& given,
                        Terminal& terminal) {
  const auto found = out_of_bag_importance(model, task, run);
  if (!found) return found.error();
  Answer out{.names = {"column", "gain", "permutation"}};
  std::vector<std::size_t> order(found->permutation.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t c) { return found->permutation[c]; });
  for (const std::size_t c : order) out.add({input_columns(model)[c].name, found->gain[c], found->permutation[c]});
  return print(out, "importance", given, terminal);
}

}  // namespace

Status run_forest(const Arguments& given, Terminal& terminal) {
  int asked = 0;
  for (const char* option : {"interval", "errors", "proximity", "importance"}) asked += given.has(option);
  if (asked > 1) return usage("one question at a time", "give one of --interval, --errors, --proximity, --importance");
  if (given.has("seed") && !given.has("importance"))
    return usage("--seed is of the shuffles of --importance; nothing else is drawn", "leave it away");
  const bool of_data = given.has("interval") || given.has("errors");
  if (of_data && given.operands.size() < 3)
    return usage("--interval and --errors are of rows to predict", "write wald forest MODEL TRAIN DATA");
  if (!of_data && given.operands.size() > 2)
    return usage("DATA goes with --interval or --errors", "leave it away, or ask for one of them");
  if (of_data && given.operands[1] == "-" && given.operands[2] == "-")
    return usage("standard input cannot be both TRAIN and DATA", "give a file for one of them");
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  if (given.has("output"))
    if (Status possible = check_output(given.text("output"), given); !possible) return possible;
  if (given.has("proximity")) {
    const auto table = read_data_for(*model, given.operands[1], given, *run, terminal);
    return table ? print_nearest(*model, *table, *run, given, terminal) : Status(table.error());
  }
  if (Status draws = check_bags(*model); !draws) return draws;
  const auto training = training_rows(*model, given.operands[1], given, *run, terminal);
  if (!training) return training.error();
  if (given.has("importance")) return importance_lines(*model, training->task, *run, given, terminal);
  if (!of_data) return out_of_bag(*model, *training, *run, given, terminal);
  const auto table = read_data_for(*model, given.operands[2], given, *run, terminal);
  if (!table) return table.error();
  return given.has("interval") ? intervals(*model, training->task, *table, *run, given, terminal)
                               : errors(*model, training->task, *table, *run, given, terminal);
}

}  // namespace wald::cli
