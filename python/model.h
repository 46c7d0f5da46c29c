// A model as Python holds it: prepared for predictions when the first is asked for.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "explain/plot.h"
#include "explain/words.h"
#include "run.h"
#include "wald/explain.h"
#include "wald/measure.h"
#include "wald/predict.h"

namespace wald::python {

template <class T>
py::array_t<T> array_of(const std::vector<T>& values, std::vector<py::ssize_t> shape) {
  return py::array_t<T>(std::move(shape), values.data());
}
template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return array_of(values, {static_cast<py::ssize_t>(values.size())});
}

class Held {
 public:
  explicit Held(Model model) : model_(std::make_shared<const Model>(std::move(model))) {}
  const Model& model() const { return *model_; }
  const Schema& schema() const { return model_->schema; }
  const std::shared_ptr<const Model>& shared() const { return model_; }

  const Predictor& predictor() const {
    std::call_once(*once_, [&] { predictor_ = std::make_shared<const Predictor>(*model_); });
    return *predictor_;
  }

  // (values: rows x width, codes of classes or None, warnings)
  py::tuple predict(const Table& table, int threads) const {
    const Predictions p = computed(1, threads, [&](const Run& run) { return predictor().predict(table, run); });
    const auto rows = static_cast<py::ssize_t>(p.rows);
    const py::ssize_t width = rows == 0 ? width_of() : static_cast<py::ssize_t>(p.value.size()) / rows;
    return py::make_tuple(array_of(p.value, {rows, width}),
                          schema().classifies() ? py::object(array_of(p.label)) : py::none(), p.warnings);
  }
  py::ssize_t width_of() const { return static_cast<py::ssize_t>(predictor().width()); }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<std::once_flag> once_ = std::make_shared<std::once_flag>();
  mutable std::shared_ptr<const Predictor> predictor_;
};

// The shortest way from few rows of an array to predictions: no table is made. `places`: of each column of the schema
// its place in the rows.
class Rows {
 public:
  static constexpr py::ssize_t kMost = 32;  // more rows are worth a table and threads

  Rows(const Held& held, std::vector<std::size_t> places, std::size_t width)
      : predictor_(held.predictor()),
        places_(std::move(places)),
        width_(static_cast<py::ssize_t>(width)),
        same_(places_.size() == width),
        cells_(places_.size()),
        threshold_(held.model().threshold) {
    for (std::size_t c = 0; c < places_.size(); ++c) {
      same_ = same_ && places_[c] == c;
      if (places_[c] >= width) throw py::index_error("a column's place is outside the row");
    }
  }

  // None where the array is not one of these: doubles in rows, `width` of them, few rows.
  py::object values(const py::handle& given) {
    if (!takes(given)) return py::none();
    const auto a = py::reinterpret_borrow<py::array>(given);
    const auto width = static_cast<py::ssize_t>(predictor_.width());
    py::array_t<double> out({a.shape(0), width});
    for (py::ssize_t row = 0; row < a.shape(0); ++row) predict(a, row, out.mutable_data(row, 0));
    return out;
  }
  py::object labels(const py::handle& given) {
    if (!takes(given)) return py::none();
    const auto a = py::reinterpret_borrow<py::array>(given);
    prediction_.resize(predictor_.width());
    py::array_t<std::int32_t> out(a.shape(0));
    for (py::ssize_t row = 0; row < a.shape(0); ++row) {
      predict(a, row, prediction_.data());
      out.mutable_at(row) = label();
    }
    return out;
  }

 private:
  bool takes(const py::handle& given) const {
    if (!py::isinstance<py::array_t<double, py::array::c_style>>(given)) return false;
    const auto a = py::reinterpret_borrow<py::array>(given);
    return a.ndim() == 2 && a.shape(1) == width_ && a.shape(0) > 0 && a.shape(0) <= kMost;
  }
  void predict(const py::array& a, py::ssize_t row, double* into) {
    const auto* cell = static_cast<const double*>(a.data()) + row * width_;
    if (!same_)
      for (std::size_t c = 0; c < places_.size(); ++c) cells_[c] = cell[places_[c]];
    predictor_.predict_row(same_ ? std::span(cell, places_.size()) : std::span<const double>(cells_),
                           {into, predictor_.width()});
  }
  std::int32_t label() const {
    if (threshold_ && prediction_.size() == 2) return prediction_[1] > *threshold_ ? 1 : 0;
    return static_cast<std::int32_t>(std::ranges::max_element(prediction_) - prediction_.begin());
  }

  Predictor predictor_;
  std::vector<std::size_t> places_;
  py::ssize_t width_;
  bool same_;
  std::vector<double> cells_, prediction_;  // guarded by the interpreter's lock
  std::optional<double> threshold_;
};

// Shapley values with what is needed to draw them. The rows are copied: a picture may be drawn much later.
class Reasons {
 public:
  Reasons(const Held& held, const Table& table, const Table* background, bool interactions,
          std::vector<std::size_t> outputs, int threads)
      : model_(held.shared()) {
    std::vector<Row> all(table.rows);
    for (Row row = 0; row < table.rows; ++row) all[row] = row;
    table_ = take_rows(table, all);
    const ExplainOptions how{.background = background, .interactions = interactions, .outputs = std::move(outputs)};
    explained_ = computed(1, threads, [&](const Run& run) { return explain(*model_, table_, how, run); });
  }

  const Explained& explained() const { return explained_; }
  py::ssize_t rows() const { return static_cast<py::ssize_t>(explained_.rows); }
  py::ssize_t outputs() const { return static_cast<py::ssize_t>(explained_.outputs.size()); }
  py::ssize_t columns() const { return static_cast<py::ssize_t>(explained_.columns); }

  std::string svg(const std::string& kind, std::size_t row, const std::string& column, std::size_t output) const {
    if (output >= explained_.outputs.size()) throw py::index_error("no such output");
    if (kind == "waterfall") {
      if (row >= explained_.rows) throw py::index_error("no such row");
      return waterfall_svg(*model_, table_, explained_, static_cast<Row>(row), output);
    }
    if (kind == "dependence")
      return scatter_svg(*model_, table_, explained_, value_of(column_named(*model_, column)), output);
    if (kind == "bar") return bars(output);
    return beeswarm_svg(*model_, table_, explained_, output);
  }

 private:
  std::string bars(std::size_t output) const {
    constexpr std::size_t kDrawn = 20;
    std::vector<double> sizes(explained_.columns);
    for (std::size_t row = 0; row < explained_.rows; ++row)
      for (std::size_t c = 0; c < sizes.size(); ++c)
        sizes[c] += std::abs(explained_.values(row, output)[c]) / static_cast<double>(explained_.rows);
    std::vector<Bar> list;
    for (const std::size_t c : largest(sizes, kDrawn))
      if (sizes[c] > 0) list.push_back({input_columns(*model_)[c].name, sizes[c]});
    const auto moving = static_cast<std::size_t>(std::ranges::count_if(sizes, [](double s) { return s > 0; }));
    return bar_svg("What moves the predictions most",
                   "mean absolute Shapley value: " + output_words(*model_, explained_.outputs[output]), list,
                   moving - list.size());
  }

  std::shared_ptr<const Model> model_;
  Table table_;
  Explained explained_;
};

}  // namespace wald::python
