// The extension module wald._wald: the library's functions with as little of Python as possible. The package in wald/
// gives them the shape that people use.
#include <pybind11/functional.h>

#include "add.h"
#include "arrange.h"
#include "convert.h"
#include "learn/assemble.h"
#include "learn/boost_loss.h"
#include "learn/elsewhere.h"
#include "learn/private_account.h"
#include "measure/costs.h"
#include "measure/holdout.h"
#include "measure/out_of_bag.h"
#include "model.h"
#include "model/link.h"
#include "run.h"
#include "table/schema.h"
#include "wald/learn.h"
#include "wald/privacy.h"
#include "wald/rounds.h"
#include "wald/task.h"
#include "wald/tune.h"
#include "wald/validate.h"
#include "wald/version.h"

namespace wald::python {
namespace {

using namespace py::literals;

// --- learners -------------------------------------------------------------------------------------------------------

py::list option_list(const std::vector<OptionInfo>& infos) {
  py::list out;
  for (const OptionInfo& o : infos)
    out.append(py::dict("name"_a = o.name, "kind"_a = o.kind, "default"_a = o.fallback, "range"_a = o.range,
                        "choices"_a = o.choices, "help"_a = o.help));
  return out;
}

py::list learner_list() {
  py::list out;
  for (const LearnerInfo& learner : learners())
    out.append(py::dict("name"_a = std::string(learner.name), "help"_a = std::string(learner.help),
                        "options"_a = option_list(learner.options), "needs_target"_a = learner.needs_target,
                        "private"_a = is_private(learner.name), "several_targets"_a = learns_several(learner.name)));
  return out;
}

// --- tasks ----------------------------------------------------------------------------------------------------------

template <class T>
T given(const py::dict& from, const char* name, T fallback) {
  return from.contains(name) ? from[name].cast<T>() : fallback;
}

Roles roles_of(const py::dict& d, const Table& table) {
  using Names = std::vector<std::string>;
  Names targets = given(d, "target", Names{});
  const std::string kind = given(d, "task", std::string());
  Roles out{.target = targets.empty() ? "" : targets[0],
            .weight = given(d, "weight", std::string()),
            .query = given(d, "query", std::string()),
            .ignore = given(d, "ignore", Names{}),
            .keep = given(d, "keep", Names{}),
            .beside = given(d, "beside", Names{}),
            .kind = kind == "classes"   ? TaskKind::Classes
                    : kind == "numbers" ? TaskKind::Numbers
                                        : kind_said_by(given(d, "loss", std::string()),
                                                       targets.empty() ? nullptr : table.find(targets[0])),
            .no_target = targets.empty() && given(d, "no_target", false),
            .drop_missing_target = given(d, "drop_missing_target", false)};
  if (targets.size() > 1) out.more_targets.assign(targets.begin() + 1, targets.end());
  return out;
}

ReadOptions reading(const py::dict& d) {
  ReadOptions out;
  out.delimiter = given(d, "delimiter", std::string(1, 0))[0];
  out.decimal = given(d, "decimal", std::string(1, 0))[0];
  if (d.contains("header")) out.header = d["header"].cast<bool>();
  out.missing = given(d, "na", std::vector<std::string>{});
  if (d.contains("schema"))
    out.declared =
        value_of(parse_declarations(d["schema"].cast<std::string>(), given(d, "schema_source", std::string())));
  if (d.contains("secret")) out.declared = lenient(std::move(out.declared), d["secret"].cast<std::string>());
  return out;
}

// start: a model to go on from.
Table read_file(const std::string& path, const py::dict& how, const Held* held, int threads, const Held* start) {
  ReadOptions options = reading(how);
  if (start != nullptr) read_going_on(start->model(), options);
  if (held != nullptr) {
    options.declared = declarations(input_schema(held->model()));
    const auto& words = held->schema().missing;
    options.missing.insert(options.missing.end(), words.begin(), words.end());
  }
  return computed(1, threads, [&](const Run& run) { return read_table(path, options, run); });
}

// Takes the table away: a large one is not to be there twice.
Task task_of(Table& table, const py::dict& roles) {
  const Roles how = roles_of(roles, table);
  const py::gil_scoped_release unlocked;
  return value_of(make_task(std::move(table), how));
}

// (task, warnings)
py::tuple task_going_on(Table& table, const py::dict& roles, const Held& from) {
  const Roles how = roles_of(roles, table);
  GoingOn made = [&] {
    const py::gil_scoped_release unlocked;
    return value_of(make_task_going_on(from.model(), std::move(table), how));
  }();
  return py::make_tuple(std::move(made.task), made.warnings);
}

Decide deciding(const py::dict& d) {
  DecideWords words{.calibrate = given(d, "calibrate", std::string("none")),
                    .cost = given(d, "cost", std::vector<std::string>{}),
                    .odds = {},
                    .positive = given(d, "positive", std::string())};
  if (d.contains("odds")) words.odds = d["odds"].cast<std::string>();
  return value_of(read_decide(words));
}

struct Fitting {
  std::uint64_t seed = 1;
  int threads = 0;
  std::vector<std::string> missing;
  Settings recorded;  // what the model is to keep of how the task was made, beside the learner's options
};

// (model, interrupted, notes on how training went). stop_by: a table whose rows say which round is best.
py::tuple fit_task(const std::string& learner, const Task& task, const Settings& settings, const Fitting& how,
                   const Held* from, const py::dict& decide, const Table* stop_by) {
  std::optional<OutOfBag> bag;
  std::optional<Task> judge;
  std::vector<std::string> notes;
  const auto role = [&](const char* name) {
    const auto found = how.recorded.find(name);
    return found == how.recorded.end() ? std::string() : found->second;
  };
  if (stop_by != nullptr) judge = value_of(task_like(task, *stop_by, role("query"), role("weight")));
  const Decide deciding_how = deciding(decide);
  const Rounds rounds{.from = from == nullptr ? nullptr : &from->model(),
                      .out_of_bag = [&](const OutOfBag& told) { bag = told; },
                      .ended = [&](const std::string& why) { notes.push_back(why); },
                      .noted = [&](const std::string& what) { notes.push_back(what); },
                      .stop_by = judge ? &*judge : nullptr};
  bool interrupted = false;
  Model model = computed(
      how.seed, how.threads,
      [&](const Run& run) { return fit_deciding(learner, task, settings, deciding_how, run, rounds); }, &interrupted);
  if (bag && !deciding_how.empty()) apply_link(model, bag->predictions);
  if (bag) model.found.merge(out_of_bag_measures(model.schema, task, *bag));
  model.schema.missing = how.missing;
  for (const auto& [option, text] : how.recorded)  // of what decides, what was learned
    if (const bool decides = option == "cost" || option == "odds" || option == "positive";
        (decides && model.threshold) || (option == "calibrate" && model.calibration.kind != Calibration::Kind::None) ||
        (!decides && option != "calibrate"))
      model.made.options[option] = text;
  return py::make_tuple(Held(std::move(model)), interrupted, notes);
}

// (rows to train on, rows held out, a warning or nothing), as --holdout divides them. from: a model to go on from.
py::tuple held_out(const Task& task, double share, std::uint64_t seed, const Held* from) {
  const Holdout parts = value_of(hold_out(task, share, seed));
  Task train = take_rows(task, parts.train);
  const std::string warning = from == nullptr ? "" : value_of(check_unseen(from->model(), task, train));
  return py::make_tuple(std::move(train), take_rows(task, parts.held), warning);
}

py::object target_array(const Target& y) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&y)) return array_of(*numbers);
  return array_of(std::get<Classes>(y).code);
}

// --- measures -------------------------------------------------------------------------------------------------------

std::vector<Fold> folds_of(const Task& task, int folds, int repeats, std::uint64_t seed) {
  return value_of(make_folds(task, {.folds = folds, .repeats = repeats}, seed));
}

py::dict validate(const std::string& learner, const Task& task, const Settings& settings, int folds, int repeats,
                  std::uint64_t seed, int threads) {
  const std::vector<Fold> parts = folds_of(task, folds, repeats, seed);
  bool interrupted = false;
  const Validation v = computed(
      seed, threads, [&](const Run& run) { return cross_validate(learner, task, settings, parts, run); }, &interrupted);
  py::dict measures;
  if (!v.measures.empty())
    for (const Measure& one : v.measures[0].list) measures[py::str(one.name)] = array_of(v.of(one.name));
  return py::dict("measures"_a = measures, "seconds"_a = v.seconds, "folds"_a = v.measures.size(),
                  "interrupted"_a = interrupted);
}

py::dict search(const std::string& learner, const Task& task, const Settings& fixed, int folds, int trials,
                double seconds, const std::string& measure, bool more, std::uint64_t seed, int threads) {
  const std::vector<Fold> parts = folds_of(task, folds, 1, seed);
  const TuneOptions how{.trials = trials, .seconds = seconds, .measure = measure, .more_is_better = more};
  bool interrupted = false;
  const Tuned found = computed(
      seed, threads, [&](const Run& run) { return tune(learner, task, fixed, parts, how, {}, run); }, &interrupted);
  py::list list;
  for (const Trial& t : found.trials)
    list.append(py::dict("settings"_a = t.settings, "score"_a = t.score, "share"_a = t.share, "seconds"_a = t.seconds));
  return py::dict("trials"_a = list, "best"_a = found.best, "worthwhile"_a = found.worthwhile,
                  "interrupted"_a = interrupted);
}

}  // namespace

void add_tables(py::module_& m) {
  py::class_<Table>(m, "Table")
      .def(py::init([](const std::string& source) { return Table{.source = source}; }))
      .def_readonly("rows", &Table::rows)
      .def_readonly("source", &Table::source)
      .def_readonly("notes", &Table::notes)
      .def_property_readonly("names",
                             [](const Table& t) {
                               std::vector<std::string> out;
                               for (const Column& c : t.columns) out.push_back(c.name);
                               return out;
                             })
      .def("is_number", [](const Table& t, std::size_t c) { return t.columns.at(c).type() == ColumnType::Number; })
      .def("arranged", &arranged)
      .def("arrangement", [](const Table& t, const std::string& weight) { return array_of(arrangement(t, weight)); })
      .def("csv", &csv_of)
      .def("turn_to_words",
           [](Table& t) {
             for (Column& column : t.columns) turn_to_words(column);
           })
      .def("add_matrix", &add_matrix)
      .def("add_objects", &add_objects)
      .def("add_codes", &add_codes);
  py::class_<Task>(m, "Task")
      .def_readonly("notes", &Task::notes)
      .def_readonly("left_out", &Task::left_out)
      .def_property_readonly("classifies", &Task::classifies)
      .def_property_readonly("rows", [](const Task& t) { return t.x.rows; })
      .def_property_readonly("y", [](const Task& t) { return target_array(t.y); });
  m.def("table_from_arrow", &table_from_arrow);
  m.def("read_file", &read_file, "path"_a, "how"_a, "model"_a = nullptr, "threads"_a = 0, "start"_a = nullptr);
  m.def("task_of", &task_of);
  m.def("task_going_on", &task_going_on);
}

}  // namespace wald::python

PYBIND11_MODULE(_wald, m) {
  using namespace wald;
  using namespace wald::python;
  using namespace py::literals;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) { raise(error); }
  });
  m.attr("version") = kVersion;
  m.attr("default_learner") = std::string(kDefaultLearner);
  m.def("learners", &learner_list);
  m.def("check_settings",
        [](const std::string& learner, const Settings& settings) { value_of(check_settings(learner, settings)); });
  m.def("known_elsewhere", [](const std::string& word) { return std::string(known_elsewhere(word)); });
  add_tables(m);
  add_models(m);
  add_forests(m);
  add_private(m);
  m.def("preparation_options", [] { return option_list(preparation_options()); });
  m.def(
      "fit",
      [](const std::string& learner, const Task& task, const Settings& settings, std::uint64_t seed, int threads,
         const std::vector<std::string>& missing, const Settings& recorded, const Held* start, const py::dict& decide,
         const Table* stop_by) {
        return fit_task(learner, task, settings, {seed, threads, missing, recorded}, start, decide, stop_by);
      },
      "learner"_a, "task"_a, "settings"_a, "seed"_a = 1, "threads"_a = 0, "missing"_a = std::vector<std::string>{},
      "recorded"_a = Settings{}, "start"_a = nullptr, "decide"_a = py::dict(), "stop_by"_a = nullptr);
  m.def("hold_out", &held_out);
  m.def("cross_validate", &validate);
  m.def("tune", &search);
  m.def(
      "measure_names",
      [](const Task& task, const std::vector<double>& quantiles, bool survival) {
        return measure_names(task, quantiles, {.survival = survival});
      },
      "task"_a, "quantiles"_a = std::vector<double>{}, "survival"_a = false);
}
