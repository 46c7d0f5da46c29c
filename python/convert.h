// Tables from what Python programs hold: arrays, lists of anything, categories, Arrow streams.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow.h"
#include "wald/table.h"
#include "words.h"

namespace wald::python {

namespace py = pybind11;

inline void check_rows(Table& table, py::ssize_t rows, const std::string& name) {
  if (rows < 0 || static_cast<std::uint64_t>(rows) > kMaxRows)
    throw Error{bad_data(table.source + " has more rows than Wald can number", "take fewer")};
  if (table.columns.empty()) table.rows = static_cast<Row>(rows);
  else if (table.rows != static_cast<std::uint64_t>(rows))
    throw Error{bad_data(printable(table.source, 300) + ": column '" + printable(name) + "' has " +
                             plural(static_cast<std::uint64_t>(rows), "row") + ", the columns before it " +
                             plural(table.rows, "row"),
                         "give columns of one length")};
}

// A Python object that lives as long as what is made of this, which may be let go in any thread.
inline std::shared_ptr<const void> kept(const py::object& object) {
  return {object.inc_ref().ptr(), [](const void* held) {
            const py::gil_scoped_acquire locked;
            Py_DECREF(static_cast<PyObject*>(const_cast<void*>(held)));
          }};
}

// The columns of an array of numbers, or one that is a column itself. Floats and doubles are read where they lie,
// however far from each other; other numbers are made doubles first.
inline void add_matrix(Table& table, const std::vector<std::string>& names, const py::array& given) {
  const bool single = py::isinstance<py::array_t<float>>(given);
  const bool plain = single || py::isinstance<py::array_t<double>>(given);
  const py::array a = plain ? given : py::array(py::array_t<double, py::array::forcecast>::ensure(given));
  if (!a) throw py::error_already_set();
  const std::shared_ptr<const void> owner = kept(a);
  const auto* first = static_cast<const std::byte*>(a.data());
  const py::ssize_t width = a.ndim() == 1 ? 0 : a.strides(1);
  for (std::size_t c = 0; c < names.size(); ++c) {
    check_rows(table, a.shape(0), names[c]);
    table.columns.push_back({names[c], Lent{.owner = owner,
                                            .first = first + static_cast<py::ssize_t>(c) * width,
                                            .step = a.strides(0),
                                            .size = static_cast<std::size_t>(a.shape(0)),
                                            .single = single,
                                            .rows = nullptr}});
  }
}

// What one cell of a list says.
struct Cell {
  enum { Missing, Number, Word } kind = Missing;
  double number = kMissing;
};

inline Cell read_cell(PyObject* cell, PyObject* not_available) {
  if (cell == Py_None || cell == not_available) return {};
  if (PyUnicode_Check(cell)) return {Cell::Word};
  if (PyFloat_Check(cell) || PyLong_Check(cell) || PyNumber_Check(cell)) {
    const double value = PyFloat_AsDouble(cell);
    if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return std::isnan(value) ? Cell{} : Cell{Cell::Number, value};
  }
  throw py::type_error(std::string("a cell's argument must be a string or a number, not ") + Py_TYPE(cell)->tp_name);
}

inline std::string_view text_of(PyObject* word) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(word, &size);
  if (text == nullptr) throw py::error_already_set();
  return {text, static_cast<std::size_t>(size)};
}

// Numbers where all cells are, else words; None, NaN and `not_available` (pandas' NA) are missing. `words`: in any
// case.
inline void add_objects(Table& table, const std::string& name, const py::sequence& cells, const py::object& na,
                        bool words) {
  const py::object list =
      py::reinterpret_steal<py::object>(PySequence_Fast(cells.ptr(), "a column must be a sequence"));
  if (!list) throw py::error_already_set();
  const Py_ssize_t rows = PySequence_Fast_GET_SIZE(list.ptr());
  check_rows(table, rows, name);
  PyObject** const item = PySequence_Fast_ITEMS(list.ptr());
  std::vector<double> numbers(static_cast<std::size_t>(rows));
  std::vector<bool> is_word(static_cast<std::size_t>(rows));
  bool any_word = words;
  for (Py_ssize_t i = 0; i < rows; ++i) {
    const Cell cell = read_cell(item[i], na.ptr());
    numbers[i] = cell.number;
    is_word[i] = cell.kind == Cell::Word;
    any_word |= is_word[i];
  }
  if (!any_word) {
    table.columns.push_back({name, Numbers(std::move(numbers))});
    return;
  }
  Words out;
  for (Py_ssize_t i = 0; i < rows; ++i)
    out.add(is_word[i]               ? out.code_of(text_of(item[i]))
            : std::isnan(numbers[i]) ? -1
                                     : out.code_of(exact_text(numbers[i] == 0 ? 0.0 : numbers[i])));
  table.columns.push_back({name, std::move(out).finish()});
}

// Codes into `levels`, below 0 = missing.
inline void add_codes(Table& table, const std::string& name,
                      const py::array_t<std::int64_t, py::array::forcecast>& codes,
                      const std::vector<std::string>& levels) {
  check_rows(table, codes.size(), name);
  Words words;
  std::vector<std::int32_t> place;
  for (const std::string& level : levels) place.push_back(words.code_of(level));
  const auto code = codes.unchecked<1>();
  for (py::ssize_t i = 0; i < codes.size(); ++i)
    words.add(code(i) < 0 ? -1 : place.at(static_cast<std::size_t>(code(i))));
  table.columns.push_back({name, std::move(words).finish()});
}

// A column of numbers becomes one of words, a level a number.
inline void turn_to_words(Column& column) {
  if (column.type() == ColumnType::Category) return;
  const Numbers& numbers = column.numbers();
  Words words;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const double value = numbers[row];
    words.add(std::isnan(value) ? -1 : words.code_of(exact_text(value == 0 ? 0.0 : value)));
  }
  column.data = std::move(words).finish();
}

// As a file for the program: numbers exactly, words in quotes, missing cells empty.
inline py::bytes csv_of(const Table& table) {
  const auto quoted = [](const std::string& word) {
    std::string out = "\"";
    for (const char c : word) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
  };
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c > 0 ? "," : "") + quoted(table.columns[c].name);
  for (Row row = 0; row < table.rows; ++row)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      text += c > 0 ? "," : "\n";
      if (const auto* words = std::get_if<Categories>(&table.columns[c].data))
        text += words->code[row] < 0 ? "" : quoted(words->level[words->code[row]]);
      else if (const double value = table.columns[c].numbers()[row]; !std::isnan(value)) text += exact_text(value);
    }
  return text + '\n';
}

inline Table table_from_arrow(const py::capsule& capsule, const std::string& source) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw py::error_already_set();
  // The stream is the reader's now; the capsule finds it released.
  const auto release = [](ArrowArrayStream* s) {
    if (s->release != nullptr) s->release(s);
  };
  const std::unique_ptr<ArrowArrayStream, decltype(release)> own(stream, release);
  return read_arrow(*stream, source);
}

}  // namespace wald::python
