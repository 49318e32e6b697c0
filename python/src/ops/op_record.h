// op_record: what the registry knows of an op, for Python.
#ifndef GK_PYTHON_OP_RECORD_H_
#define GK_PYTHON_OP_RECORD_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddOpRecord(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_OP_RECORD_H_
