// tf.print and tf.strings.format.
#ifndef GK_PYTHON_PRINTING_H_
#define GK_PYTHON_PRINTING_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// print(*inputs, **kwargs) and format(template, inputs, ...); they throw.
// (printing.cc)
PyObject* PrintValues(PyObject*, PyObject* args, PyObject* kwargs);
PyObject* FormatValues(PyObject*, PyObject* args, PyObject* kwargs);
void AddShown(nanobind::module_& m);

void AddPrinting(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_PRINTING_H_
