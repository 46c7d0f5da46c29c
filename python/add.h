// The parts of the extension module, a file each.
#pragma once
#include <pybind11/pybind11.h>

namespace wald::python {

void add_forests(pybind11::module_&);
void add_models(pybind11::module_&);
void add_private(pybind11::module_&);

}  // namespace wald::python
