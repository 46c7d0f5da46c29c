#include "cli/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "cli/deciding.h"
#include "cli/found.h"
#include "cli/json.h"
#include "cli/preparation.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "measure/holdout.h"
#include "measure/judged.h"
#include "measure/out_of_bag.h"
#include "model/link.h"
#include "tree/figures.h"

namespace wald::cli {
namespace {

Result<Measures> measure_on(const Model& model, const Table& table, const Target& y,
                            const std::vector<std::vector<double>>& more, std::span<const std::int64_t> weight,
                            const std::vector<std::uint32_t>& query, const Run& run, Fitted& fitted) {
  const Result<Predictions> predictions = predict(model, table, run);
  if (!predictions) return predictions.error();
  fitted.warnings.insert(fitted.warnings.end(), predictions->warnings.begin(), predictions->warnings.end());
  return measure(model.schema, *predictions, y, weight, more, measuring_for(model, query));
}

Status measure_on_file(const FitRequest& request, const std::string& query, Fitted& fitted, Terminal& terminal) {
  ReadOptions options = request.read;
  options.declared = declarations(input_schema(fitted.model));
  const Result<Table> table = read_data(request.valid, options, request.run, terminal);
  if (!table) return table.error();
  const Result<Target> target = target_of(fitted.model, *table);
  if (!target) return target.error();
  const auto more = more_targets_of(fitted.model, *table);
  if (!more) return more.error();
  const auto queries = queries_of(*table, query, "--query");
  if (!queries) return queries.error();
  Result<Measures> measures = measure_on(fitted.model, *table, *target, *more, {}, *queries, request.run, fitted);
  if (!measures) return measures.error();
  fitted.measures = std::move(*measures);
  fitted.measured_on = fmt::format("{} of {}", plural(table->rows, "row"), printable(request.valid, 100));
  return Done{};
}

// The rows to choose the best round on, read as those to learn from were.
Result<Task> task_to_stop_on(const Task& task, const Roles& roles, const FitRequest& request, Terminal& terminal) {
  ReadOptions options = request.read;
  options.declared = declarations(schema_of(task));
  Result<Table> table = read_data(request.stop_on, options, request.run, terminal);
  if (!table) return table.error();
  return task_like(task, std::move(*table), roles.query, roles.weight);
}

// The model, and what its forest says of rows out of bag, decided as the model decides.
Result<Model> fit_rows(const Task& task, const FitRequest& request, Fitted& fitted) {
  Rounds rounds = request.rounds;
  std::optional<OutOfBag> bag;
  rounds.out_of_bag = [&](OutOfBag told) { bag = std::move(told); };
  rounds.ended = [&](const std::string& why) { fitted.ended = why; };
  rounds.noted = [&](const std::string& what) { fitted.noted = what; };
  Result<Model> model = fit_deciding(request.learner, task, request.settings, request.decide, request.run, rounds);
  if (!model) return model;
  if (rounds.from != nullptr && rounds.stop_by == nullptr && model->made.options["early-stop"] != "none")
    fitted.warnings.emplace_back(
        "the model to go on from was made from other rows, or another part of these: if it has learned some of these "
        "too, they say little about "
        "how many rounds to add; --stop-on FILE gives rows to choose them on");
  if (bag && !request.decide.empty()) apply_link(*model, bag->predictions);
  if (bag) model->found.merge(out_of_bag_measures(model->schema, task, *bag));
  if (request.decide.costs && !model->threshold && !request.run.stopped())
    fitted.warnings.emplace_back(
        "no threshold was learned: all rows that weigh something are of one class, so --cost and --odds change "
        "nothing");
  return model;
}

Status fit_held_out(const Task& task, const Holdout& parts, const FitRequest& request, Fitted& fitted,
                    Terminal& terminal) {
  const Stopwatch watch;
  terminal.doing = "training";
  const Task train = take_rows(task, parts.train);
  if (request.rounds.from != nullptr) {
    Result<std::string> warning = check_unseen(*request.rounds.from, task, train);
    if (!warning) return warning.error();
    if (!warning->empty()) fitted.warnings.push_back(std::move(*warning));
  }
  Result<Model> model = fit_rows(train, request, fitted);
  if (!model) return model.error();
  fitted.fit_seconds = watch.seconds();
  fitted.model = std::move(*model);
  if (fitted.interrupted = request.run.stopped(); fitted.interrupted) return Done{};
  const Task held = take_rows(task, parts.held);
  Result<Measures> measures =
      measure_on(fitted.model, held.x, held.y, held.more_y, held.weight, held.query, request.run, fitted);
  if (!measures) return measures.error();
  fitted.measures = std::move(*measures);
  fitted.measured_on =
      fmt::format("{} held out ({:.4g} %{}, seed {})", plural(held.x.rows, "row"), 100 * request.holdout,
                  task.classifies() ? ", of each class alike" : "", request.run.seed);
  return Done{};
}

Status fit_all(const Task& task, const std::string& query, const FitRequest& request, Fitted& fitted,
               Terminal& terminal) {
  const Stopwatch watch;
  terminal.doing = "training";
  Result<Model> model = fit_rows(task, request, fitted);
  if (!model) return model.error();
  fitted.fit_seconds = watch.seconds();
  fitted.model = std::move(*model);
  if (fitted.interrupted = request.run.stopped(); fitted.interrupted) return Done{};
  return request.valid.empty() ? Status(Done{}) : measure_on_file(request, query, fitted, terminal);
}

// A category with few rows a level is learned by heart: worth a word before somebody trusts the tree.
std::vector<std::string> rare_levels(const Task& task) {
  constexpr std::size_t kMany = 50, kRowsEach = 5;
  std::vector<std::string> notes;
  for (const Column& column : task.x.columns) {
    if (column.type() != ColumnType::Category) continue;
    const std::size_t levels = column.categories().level.size();
    if (levels > kMany && levels * kRowsEach > task.x.rows)
      notes.push_back(
          fmt::format("column '{}' has {} levels in {}, hardly anything to learn from each (--ignore '{}' "
                      "leaves it out)",
                      printable(column.name), with_commas(levels), plural(task.x.rows, "row"), printable(column.name)));
  }
  return notes;
}

Result<Task> pose_task(Table table, const Roles& roles, const FitRequest& request, std::vector<std::string>& warnings) {
  if (request.rounds.from == nullptr) return make_task(std::move(table), roles);
  Result<GoingOn> made = make_task_going_on(*request.rounds.from, std::move(table), roles);
  if (!made) return made.error();
  warnings = std::move(made->warnings);
  return std::move(made->task);
}

// Worth a word where the notes of the task have not said so already.
bool says_one_thing(const Model& model, const Task& task, const std::string& ended) {
  if (model.forest().trees() == 0 && !ended.empty()) return false;  // which says it, and why
  const bool leaves = std::ranges::all_of(model.forest().nodes, &Node::is_leaf);
  const auto said = [](const std::string& note) {
    return note.find("can only") != std::string::npos || note.find("can be learned") != std::string::npos;
  };
  return leaves && model.forest().terms.empty() && std::ranges::none_of(task.notes, said);
}

// Why nothing could be learned, where the target alone tells.
std::string why_one_thing(const Model& model, const Task& task) {
  const Measuring how = measuring_for(model);
  if (how.survival && std::ranges::all_of(task.numbers(), [](double time) { return time < 0; }))
    return "no row has an event, all times are below 0: there is no order of risks to learn";
  if (how.ranks) {
    std::map<std::uint32_t, double> first;
    const auto alike = [&](Row r) {
      return first.emplace(task.query[r], task.numbers()[r]).first->second == task.numbers()[r];
    };
    if (std::ranges::all_of(std::views::iota(Row{0}, task.x.rows), alike))
      return "no query has rows of unequal relevance: there is no order to learn";
  }
  return "no question about the columns was worth asking: the model says the same of every row";
}

std::string learned(const Model& model) {
  const Forest& forest = model.forest();
  if (forest.trees() == 1)
    return fmt::format("{}, depth {}",
                       leaves_of(forest.tree(0)) == 1 ? "1 leaf" : with_commas(leaves_of(forest.tree(0))) + " leaves",
                       depth_of(forest.tree(0)));
  return plural(forest.trees(), "tree");
}

nlohmann::ordered_json fit_json(const Fitted& fitted, const Written& written) {
  const Forest& forest = fitted.model.forest();
  nlohmann::ordered_json out = {
      {"model", written.path},
      {"learner", fitted.model.made.learner},
      {"rows", fitted.rows},
      {"columns", fitted.columns},
      {"features", fitted.features},
      {"target", fitted.model.schema.target.name},
      {"task", fitted.model.schema.classifies() ? "classes" : "numbers"},
      {"options", fitted.model.made.options},
      {"seed", fitted.model.made.seed},
      {"seconds", {{"read", fitted.read_seconds}, {"fit", fitted.fit_seconds}, {"total", written.total_seconds}}}};
  if (fitted.model.schema.classifies()) out["classes"] = fitted.model.schema.target.level;
  out["trees"] = forest.trees();
  if (forest.trees() == 1) {
    out["leaves"] = leaves_of(forest.tree(0));
    out["depth"] = depth_of(forest.tree(0));
  }
  if (fitted.measures) {
    for (const Measure& m : fitted.measures->list) out["metrics"][m.name] = m.value;
    out["measured_on"] = {{"rows", fitted.measures->rows}, {"what", fitted.measured_on}};
  }
  if (fitted.model.threshold) out["threshold"] = *fitted.model.threshold;
  add_found(fitted.model, out);
  out["notes"] = fitted.notes;
  out["warnings"] = fitted.warnings;
  return out;
}

std::string size_of(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  return code ? "" : fmt::format(" ({})", size_text(size));
}

}  // namespace

namespace {

// What says in another way which rounds are kept would have no effect.
Status check_stop_on(const Arguments& given) {
  if (!given.has("stop-on")) return Done{};
  if (given.text("early-stop") == "none")
    return usage("--stop-on chooses the best round, but --early-stop none keeps all of them",
                 "leave one of the two away; --valid only measures");
  for (const char* option : {"stop-parts", "stop-trials"})
    if (given.has(option))
      return usage(fmt::format("--{} divides the rows of DATA, but --stop-on chooses the round on other rows", option),
                   "leave one of the two away");
  return Done{};
}

}  // namespace

Result<FitRequest> fit_request(const Arguments& given, Terminal& terminal) {
  FitRequest out{.learner = given.text("learner", std::string(kDefaultLearner))};
  if (Status known = check_settings(out.learner, {}); !known) return known.error();
  for (const Option& option : learner_options())
    if (given.has(option.name)) out.settings[option.name] = given.text(option.name);
  if (Status settings = check_settings(out.learner, out.settings); !settings) return settings.error();
  if (given.has("holdout")) {
    const std::optional<double> share = read_number(given.text("holdout"));
    if (!share || !(*share > 0 && *share < 1))
      return usage(fmt::format("--holdout: '{}' is not a share of the rows", printable(given.text("holdout"))),
                   "give a number between 0 and 1, for example 0.2");
    out.holdout = *share;
  }
  out.valid = given.text("valid"), out.stop_on = given.text("stop-on");
  if (Status chosen = check_stop_on(given); !chosen) return chosen.error();
  if (given.has("holdout") && given.has("valid"))
    return usage("--holdout and --valid exclude each other", "measure on rows held out or on another table");
  Result<Decide> decide = decide_of(given);
  if (!decide) return decide.error();
  out.decide = std::move(*decide);
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  out.run = *run;
  Result<ReadOptions> read = fit_read_options(given);
  if (!read) return read.error();
  out.read = std::move(*read);
  return out;
}

Result<Fitted> fit_table(Table table, const Roles& roles, const FitRequest& request, Terminal& terminal) {
  Fitted fitted{.rows = table.rows, .columns = table.columns.size(), .notes = table.notes};
  terminal.doing = "preparing the table";
  const Result<Task> task = pose_task(std::move(table), roles, request, fitted.warnings);
  if (!task) return task.error();
  if (Status ok = check_roles(*task); !ok) return ok.error();
  if (Status writable = request.may_write(); !writable) return writable.error();
  fitted.features = task->x.columns.size();
  Result<Holdout> parts = Holdout{};
  if (request.holdout > 0) parts = hold_out(*task, request.holdout, request.run.seed);
  if (!parts) return parts.error();
  // The first note sums the task up.
  std::vector<std::string> told = task->notes;
  if (!told.empty()) {
    fitted.summary = told.front();
    told.erase(told.begin());
  }
  std::ranges::move(rare_levels(*task), std::back_inserter(told));
  if (!terminal.json)
    terminal.print(fmt::format("{}  {}\n", terminal.bold(printable(task->x.source, 100)), fitted.summary));
  (void)terminal.flush();  // to be read while the training runs
  for (const std::string& note : told) terminal.note(note);
  fitted.notes.insert(fitted.notes.end(), told.begin(), told.end());
  FitRequest asked = request;
  std::optional<Task> judge;
  if (!request.stop_on.empty()) {
    Result<Task> other = task_to_stop_on(*task, roles, request, terminal);
    if (!other) return other.error();
    asked.rounds.stop_by = &judge.emplace(std::move(*other));
  }
  const Status done = request.holdout > 0 ? fit_held_out(*task, *parts, asked, fitted, terminal)
                                          : fit_all(*task, roles.query, asked, fitted, terminal);
  if (!done) return done.error();
  if (judge) fitted.model.made.options["stop-on"] = fingerprint(*judge);  // a model names no file
  if (request.run.stopped() && !fitted.interrupted) return interrupted_error();
  const auto note = [&](const std::string& text) {
    fitted.notes.push_back(text);
    terminal.note(text);
  };
  if (!fitted.noted.empty()) note(fitted.noted);
  if (!fitted.interrupted && !fitted.ended.empty()) note(fitted.ended);
  if (!fitted.interrupted && says_one_thing(fitted.model, *task, fitted.ended))
    note(why_one_thing(fitted.model, *task));
  for (const std::string& warning : fitted.warnings) terminal.warn(warning);
  return fitted;
}

std::string_view ndcg_told(const Measures& measures) {
  const auto own = std::ranges::find_if(
      measures.list, [](const Measure& m) { return m.name.starts_with("ndcg_") && m.name != "ndcg_10"; });
  return own == measures.list.end() ? std::string_view("ndcg_10") : own->name;
}

std::string measure_text(double value) {
  return std::isnan(value)                       ? "undefined"
         : std::fabs(value) < 1e-4 && value != 0 ? short_text(value)
                                                 : fmt::format("{:.4g}", value);
}

namespace {

// By what was learned.
std::vector<std::string_view> names_by_learned(const Measures& measures, const Model& model) {
  const auto is_quantile = [&](const char* option) {
    const auto found = model.made.options.find(option);
    return found != model.made.options.end() && found->second == "quantile";
  };
  if (!measures.classes.empty()) return {"accuracy", "f1", "auc", "log_loss", "brier"};
  if (measures.find("concordance") != nullptr) return {"concordance"};
  if (measures.find("ndcg") != nullptr) return {"ndcg", ndcg_told(measures), "map"};
  if (is_quantile("loss") || is_quantile("leaf")) return {"pinball", "rmse", "mae", "r2"};
  return {"rmse", "mae", "r2"};
}

}  // namespace

std::string measure_words(const Measures& measures, const Model& model) {
  std::string out;
  for (std::string_view name : names_by_learned(measures, model))
    out += fmt::format("{}{} {}", out.empty() ? "" : "   ", name, measure_text(measures.find(name)->value));
  return out;
}

void report_fit(const Fitted& fitted, const Written& written, Terminal& terminal) {
  if (terminal.json) {
    print_json(fit_json(fitted, written), terminal);
    return;
  }
  const auto line = [&](std::string_view what, std::string_view text) {
    terminal.print(fmt::format(
        "{}{}\n", terminal.bold(left(std::string(what), std::max<std::size_t>(10, what.size() + 1))), text));
  };
  line(fitted.model.made.learner, learned(fitted.model));
  for (const auto& [what, text] : preparation_lines(fitted.model)) line(what, text);
  for (const std::string& text : deciding_lines(fitted.model)) line("decides", text);
  for (const auto& [what, text] : found_lines(fitted.model)) line(what, text);
  if (fitted.measures)
    line("measured", fmt::format("on {}: {}", fitted.measured_on, measure_words(*fitted.measures, fitted.model)));
  line("saved", printable(written.path, 200) + size_of(written.path));
  if (!terminal.quiet)
    for (std::size_t i = 0; i < written.next.size(); ++i) line(i == 0 ? "next" : "", written.next[i]);
  terminal.detail(fmt::format("read {}, fit {}, total {}", seconds_text(fitted.read_seconds),
                              seconds_text(fitted.fit_seconds), seconds_text(written.total_seconds)));
}

std::string default_output(const std::string& data) {
  if (data == "-") return "";
  std::string path = data.starts_with("sqlite:") ? data.substr(7, data.find('?') - 7) : data;
  path = std::filesystem::path(path).filename().string();
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  const std::string stem = std::filesystem::path(path).stem().string();
  return stem.empty() ? "" : stem + ".wald";
}

}  // namespace wald::cli
