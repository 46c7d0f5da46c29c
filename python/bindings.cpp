// The extension module wald._wald: the library's functions with as little of Python as possible. The package in wald/
// gives them the shape that people use.
#include <pybind11/functional.h>

#include "arrange.h"
#include "convert.h"
#include "explain/dot.h"
#include "explain/rules.h"
#include "explain/svg.h"
#include "explain/text.h"
#include "measure/out_of_bag.h"
#include "model.h"
#include "run.h"
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

py::list learner_list() {
  py::list out;
  for (const LearnerInfo& learner : learners()) {
    py::list options;
    for (const OptionInfo& o : learner.options)
      options.append(py::dict("name"_a = o.name, "kind"_a = o.kind, "default"_a = o.fallback, "range"_a = o.range,
                              "choices"_a = o.choices, "help"_a = o.help));
    out.append(py::dict("name"_a = std::string(learner.name), "help"_a = std::string(learner.help),
                        "options"_a = options, "needs_target"_a = learner.needs_target,
                        "private"_a = is_private(learner.name)));
  }
  return out;
}

// --- tasks ----------------------------------------------------------------------------------------------------------

template <class T>
T given(const py::dict& from, const char* name, T fallback) {
  return from.contains(name) ? from[name].cast<T>() : fallback;
}

Roles roles_of(const py::dict& d) {
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
                                        : TaskKind::Infer,
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
  if (d.contains("schema")) out.declared = value_of(read_declarations(d["schema"].cast<std::string>()));
  return out;
}

Table read_file(const std::string& path, const py::dict& how, const Held* held, int threads) {
  ReadOptions options = reading(how);
  if (held != nullptr) {
    options.declared = declarations(input_schema(held->model()));
    const auto& words = held->schema().missing;
    options.missing.insert(options.missing.end(), words.begin(), words.end());
  }
  return computed(1, threads, [&](const Run& run) { return read_table(path, options, run); });
}

// Takes the table away: a large one is not to be there twice.
Task task_of(Table& table, const py::dict& roles) {
  const Roles how = roles_of(roles);
  const py::gil_scoped_release unlocked;
  return value_of(make_task(std::move(table), how));
}

// (model, interrupted). recorded: what the model is to keep of how the task was made, beside the learner's options.
py::tuple fit_task(const std::string& learner, const Task& task, const Settings& settings, std::uint64_t seed,
                   int threads, const std::vector<std::string>& missing, const Settings& recorded, const Held* from) {
  std::optional<OutOfBag> bag;
  const Rounds rounds{.from = from == nullptr ? nullptr : &from->model(),
                      .out_of_bag = [&](const OutOfBag& told) { bag = told; }};
  bool interrupted = false;
  Model model =
      computed(seed, threads, [&](const Run& run) { return fit(learner, task, settings, run, rounds); }, &interrupted);
  if (bag) model.found.merge(out_of_bag_measures(model.schema, task, *bag));
  model.schema.missing = missing;
  model.made.options.insert(recorded.begin(), recorded.end());
  return py::make_tuple(Held(std::move(model)), interrupted);
}

py::object target_array(const Target& y) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&y)) return array_of(*numbers);
  return array_of(std::get<Classes>(y).code);
}

// --- measures -------------------------------------------------------------------------------------------------------

py::dict measures_dict(const Measures& m) {
  py::dict values;
  for (const Measure& one : m.list) values[py::str(one.name)] = one.value;
  return py::dict("rows"_a = m.rows, "measures"_a = values, "classes"_a = m.classes, "confusion"_a = m.confusion);
}

py::dict evaluate(const Held& held, const Table& table, int threads) {
  const Target truth = value_of(target_of(held.model(), table));
  const auto more = value_of(more_targets_of(held.model(), table));
  const Predictions p = computed(1, threads, [&](const Run& run) { return held.predictor().predict(table, run); });
  py::dict out = measures_dict(measure(held.schema(), p, truth, {}, more));
  out["warnings"] = p.warnings;
  return out;
}

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

// --- what a model is ------------------------------------------------------------------------------------------------

py::dict field_dict(const Field& f) {
  return py::dict("name"_a = f.name, "type"_a = f.type == ColumnType::Number ? "number" : "category",
                  "levels"_a = f.level);
}

py::dict described(const Held& held) {
  const Model& m = held.model();
  py::list columns;
  for (const Field& f : input_schema(m).columns) columns.append(field_dict(f));
  std::size_t nodes = m.forest().nodes.size();
  return py::dict("learner"_a = m.made.learner, "options"_a = m.made.options, "seed"_a = m.made.seed,
                  "rows"_a = m.made.rows, "fingerprint"_a = m.made.fingerprint, "version"_a = m.made.version,
                  "target"_a = field_dict(m.schema.target), "targets"_a = m.schema.target_names(),
                  "quantiles"_a = m.schema.quantiles, "columns"_a = columns, "classifies"_a = m.schema.classifies(),
                  "trees"_a = m.forest().trees(), "nodes"_a = nodes, "outputs"_a = m.forest().outputs,
                  "found"_a = m.found,
                  "curve"_a = py::dict("measure"_a = m.curve.measure, "train"_a = m.curve.train,
                                       "held"_a = m.curve.held, "best"_a = m.curve.best));
}

py::dict node_dict(const Model& model, const ShownTree& tree, std::uint32_t index) {
  const Node& node = tree.nodes[index];
  py::dict out("node"_a = index);
  if (!tree.cover.empty()) out["cover"] = tree.cover[index];
  const auto values = tree.values_of(index);
  out["values"] = std::vector<double>(values.begin(), values.end());
  if (node.is_leaf()) return out;
  out["column"] = model.schema.columns[node.column()].name;
  if (!tree.gain.empty()) out["gain"] = tree.gain[index];
  if (node.test() == Test::Threshold) out["threshold"] = model.forest().cuts[node.column()][node.ref];
  py::list children, branches;
  for (std::uint32_t k = 0; k < node.ways(); ++k) {
    children.append(node.child + k);
    branches.append(branch_text(model, node, k));
  }
  out["children"] = children;
  out["branches"] = branches;
  out["missing"] =
      node.missing() == kMissingEverywhere ? py::object(py::none()) : py::int_(node.child + node.missing());
  return out;
}

void check_tree(const Held& held, std::size_t tree) {
  if (tree >= held.model().forest().trees())
    throw py::index_error("the model has " + plural(held.model().forest().trees(), "tree") + ", counted from 0");
}

py::list tree_nodes(const Held& held, std::size_t index) {
  check_tree(held, index);
  const ShownTree tree = shown(held.model(), index);
  py::list out;
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) out.append(node_dict(held.model(), tree, n));
  return out;
}

std::string tree_drawn(const Held& held, std::size_t tree, const std::string& form, std::uint32_t depth) {
  check_tree(held, tree);
  const Model& m = held.model();
  if (form == "rules") return rules_text(m, tree);
  if (form == "dot") return tree_dot(m, tree, depth);
  if (form != "svg") return tree_text(m, tree, depth);
  if (drawn_leaves(m.forest().tree(tree), depth) > kMostDrawnLeaves)
    throw Error{
        usage("a picture of so many leaves cannot be read; at most " + with_commas(kMostDrawnLeaves) + " are drawn",
              "show its upper part with depth=N, or ask for its rules")};
  return tree_svg(m, tree, depth);
}

// --- columns --------------------------------------------------------------------------------------------------------

py::dict importances(const Held& held) {
  const Importance i = importance(held.model());
  return py::dict("gain"_a = array_of(i.gain), "cover"_a = array_of(i.cover), "count"_a = array_of(i.count));
}

py::dict permuted(const Held& held, const Table& table, int repeats, std::uint64_t seed, int threads) {
  const Target truth = value_of(target_of(held.model(), table));
  const PermutationImportance p = computed(
      seed, threads, [&](const Run& run) { return permutation_importance(held.model(), table, truth, repeats, run); });
  return py::dict("measure"_a = p.measure, "before"_a = p.before, "mean"_a = array_of(p.mean),
                  "low"_a = array_of(p.low), "high"_a = array_of(p.high));
}

py::dict depended(const Held& held, const Table& table, const std::string& column, std::size_t output,
                  std::size_t points, int threads) {
  const Dependence d = computed(1, threads, [&](const Run& run) {
    return dependence(held.model(), table, column, {.output = output, .points = points}, run);
  });
  const Field& field = input_columns(held.model())[d.column];
  py::list grid;
  for (const double at : d.grid)
    if (std::isnan(at)) grid.append(py::none());
    else if (field.type == ColumnType::Category) grid.append(field.level[static_cast<std::size_t>(at)]);
    else grid.append(at);
  return py::dict("column"_a = column, "grid"_a = grid, "mean"_a = array_of(d.mean),
                  "svg"_a = dependence_svg(held.model(), d));
}

Held loaded_bytes(const py::bytes& bytes) {
  const std::string_view view = bytes;
  return Held(value_of(from_bytes(std::as_bytes(std::span(view)), "the pickled model")));
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
      .def("turn_to_words", &turn_to_words)
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
  m.def("read_file", &read_file, "path"_a, "how"_a, "model"_a = nullptr, "threads"_a = 0);
  m.def("task_of", &task_of);
}

void add_models(py::module_& m) {
  py::class_<Held>(m, "Model")
      .def("predict", &Held::predict)
      .def("evaluate", &evaluate)
      .def("classes", [](const Held& h) { return h.schema().target.level; })
      .def("describe", &described)
      .def("tree", &tree_drawn)
      .def("tree_nodes", &tree_nodes)
      .def("importance", &importances)
      .def("permutation_importance", &permuted)
      .def("dependence", &depended)
      .def("bytes", [](const Held& h) { return py::bytes(to_bytes(h.model())); })
      .def("save", [](const Held& h, const std::string& path, bool force) {
        value_of(save(h.model(), path, force ? Overwrite::Allow : Overwrite::Refuse));
      });
  py::class_<Rows>(m, "Rows")
      .def(py::init<const Held&, std::vector<std::size_t>, std::size_t>())
      .def("values", &Rows::values)
      .def("labels", &Rows::labels);
  py::class_<Reasons>(m, "Reasons")
      .def(py::init<const Held&, const Table&, const Table*, bool, std::vector<std::size_t>, int>())
      .def_property_readonly("base", [](const Reasons& r) { return array_of(r.explained().base); })
      .def_property_readonly("score",
                             [](const Reasons& r) { return array_of(r.explained().score, {r.rows(), r.outputs()}); })
      .def_property_readonly(
          "values",
          [](const Reasons& r) { return array_of(r.explained().value, {r.rows(), r.outputs(), r.columns()}); })
      .def_property_readonly("interactions",
                             [](const Reasons& r) -> py::object {
                               const auto& pairs = r.explained().interaction;
                               if (pairs.empty()) return py::none();
                               return array_of(pairs, {r.rows(), r.outputs(), r.columns(), r.columns()});
                             })
      .def_property_readonly("outputs", [](const Reasons& r) { return r.explained().outputs; })
      .def_property_readonly("warnings", [](const Reasons& r) { return r.explained().warnings; })
      .def("svg", &Reasons::svg);
  m.def("load", [](const std::string& path) { return Held(value_of(load(path))); });
  m.def("from_bytes", &loaded_bytes);
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
  add_tables(m);
  add_models(m);
  m.def("fit", &fit_task, "learner"_a, "task"_a, "settings"_a, "seed"_a = 1, "threads"_a = 0,
        "missing"_a = std::vector<std::string>{}, "recorded"_a = Settings{}, "start"_a = nullptr);
  m.def("cross_validate", &validate);
  m.def("tune", &search);
  m.def("measure_names", &measure_names, "task"_a, "quantiles"_a = std::vector<double>{});
}
