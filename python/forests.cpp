// What a forest says besides its predictions, given the table it was trained on.
#include "wald/forests.h"

#include "add.h"
#include "measure/out_of_bag.h"
#include "measure/training.h"
#include "model.h"
#include "model/cells.h"

namespace wald::python {
namespace {

using namespace py::literals;

Task training(const Held& held, Table& table) {
  const py::gil_scoped_release unlocked;
  return value_of(training_task(held.model(), std::move(table)));
}

py::array_t<double> rows_of(const std::vector<double>& values, std::size_t rows) {
  const auto count = static_cast<py::ssize_t>(rows);
  return array_of(values, {count, count == 0 ? 0 : static_cast<py::ssize_t>(values.size()) / count});
}

py::dict out_of_bag(const Held& held, const Task& task, int threads) {
  const OutOfBag bag =
      computed(1, threads, [&](const Run& run) { return predict_out_of_bag(held.model(), task, run); });
  return py::dict("values"_a = rows_of(bag.predictions.value, bag.predictions.rows),
                  "codes"_a = held.schema().classifies() ? py::object(array_of(bag.predictions.label)) : py::none(),
                  "trees"_a = array_of(bag.trees), "measures"_a = out_of_bag_measures(held.schema(), task, bag));
}

py::array_t<double> quantiles(const Held& held, const Task& task, const Table& table, const std::vector<double>& which,
                              int threads) {
  return rows_of(
      computed(1, threads, [&](const Run& run) { return predict_quantiles(held.model(), task, table, which, run); }),
      table.rows);
}

py::array_t<double> errors(const Held& held, const Task& task, const Table& table, int threads) {
  return rows_of(
      computed(1, threads, [&](const Run& run) { return standard_errors(held.model(), task, table, run); }).error,
      table.rows);
}

py::array_t<double> near(const Held& held, const Table& table, std::size_t row, int threads) {
  if (row >= table.rows) throw py::index_error("no such row");
  return array_of(computed(1, threads, [&](const Run& run) { return proximity(held.model(), table, row, run); }));
}

// Of levels that training did not know, as predictions are warned of.
std::vector<std::string> level_warnings(const Held& held, const Table& table) {
  const py::gil_scoped_release unlocked;
  return warnings_of(held.model(), value_of(match(held.model(), table)).unseen, table.rows);
}

py::dict importance_out_of_bag(const Held& held, const Task& task, std::uint64_t seed, int threads) {
  const OutOfBagImportance found =
      computed(seed, threads, [&](const Run& run) { return out_of_bag_importance(held.model(), task, run); });
  return py::dict("gain"_a = array_of(found.gain), "permutation"_a = array_of(found.permutation));
}

}  // namespace

void add_forests(py::module_& m) {
  m.def("training_task", &training);
  m.def("out_of_bag", &out_of_bag);
  m.def("forest_quantiles", &quantiles);
  m.def("interval_quantiles", &interval_quantiles);
  m.def("standard_errors", &errors);
  m.def("proximity", &near);
  m.def("level_warnings", &level_warnings);
  m.def("out_of_bag_importance", &importance_out_of_bag);
}

}  // namespace wald::python
