// Models: what they are, what they say, why.

#include "add.h"
#include "core/text.h"
#include "explain/dot.h"
#include "explain/rules.h"
#include "explain/svg.h"
#include "explain/text.h"
#include "learn/adaboost.h"
#include "measure/judged.h"
#include "measure/measures.h"
#include "model.h"

namespace wald::python {
namespace {

using namespace py::literals;

py::dict measures_dict(const Measures& m) {
  py::dict values;
  for (const Measure& one : m.list) values[py::str(one.name)] = one.value;
  return py::dict("rows"_a = m.rows, "measures"_a = values, "classes"_a = m.classes, "confusion"_a = m.confusion);
}

py::dict evaluate(const Held& held, const Table& table, int threads, const std::string& query,
                  const std::string& weight) {
  const Judged rows = computed(1, threads, [&](const Run& run) {
    return judged(held.predictor(), table, {.query = query, .weight = weight}, run);
  });
  py::dict out =
      measures_dict(measure_weighted(held.schema(), rows.said, rows.truth, rows.weight, {}, rows.more, rows.how));
  out["warnings"] = rows.warnings;
  return out;
}

py::dict measure_task(const Held& held, const Task& task, int threads) {
  const Predictions p = computed(1, threads, [&](const Run& run) { return held.predictor().predict(task.x, run); });
  py::dict out = measures_dict(
      measure(held.schema(), p, task.y, task.weight, task.more_y, measuring_for(held.model(), task.query)));
  out["warnings"] = p.warnings;
  return out;
}

// --- what a model is ------------------------------------------------------------------------------------------------

py::dict field_dict(const Field& f) {
  return py::dict("name"_a = f.name, "type"_a = f.type == ColumnType::Number ? "number" : "category",
                  "levels"_a = f.level);
}

py::dict curve_dict(const Model& m) {
  py::dict out("measure"_a = m.curve.measure, "train"_a = m.curve.train, "held"_a = m.curve.held,
               "best"_a = m.curve.best);
  py::list rounds;
  for (const AdaBoostRound& r : adaboost_rounds(m)) {
    py::dict one("round"_a = rounds.size() + 1);
    for (const auto& [name, value] : named_figures(m, r)) one[py::str(std::string(name))] = value;
    rounds.append(one);
  }
  if (!rounds.empty()) out["rounds"] = rounds;
  return out;
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
                  "found"_a = m.found, "threshold"_a = m.threshold,
                  "calibrated"_a = m.calibration.kind == Calibration::Kind::Sigmoid    ? "sigmoid"
                                   : m.calibration.kind == Calibration::Kind::Isotonic ? "isotonic"
                                                                                       : "none",
                  "curve"_a = curve_dict(m));
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
  const auto order = value_of(judge_of_order(held.model(), table, truth));
  const PermutationImportance p = computed(seed, threads, [&](const Run& run) {
    return order ? permutation_importance(held.model(), table, *order, repeats, run)
                 : permutation_importance(held.model(), table, truth, repeats, run);
  });
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

void add_models(py::module_& m) {
  py::class_<Held>(m, "Model")
      .def("predict", &Held::predict)
      .def("evaluate", &evaluate, "table"_a, "threads"_a, "query"_a = "", "weight"_a = "")
      .def("evaluate_task", &measure_task)
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
