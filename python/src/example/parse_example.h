// Features of serialized examples for Python.
#ifndef GK_PYTHON_PARSE_EXAMPLE_H_
#define GK_PYTHON_PARSE_EXAMPLE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddParseExample(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_PARSE_EXAMPLE_H_
