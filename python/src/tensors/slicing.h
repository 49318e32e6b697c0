// x[...]: NumPy's basic indexing of tensors and variables as StridedSlice.
#ifndef GK_PYTHON_SLICING_H_
#define GK_PYTHON_SLICING_H_

#include <vector>

#include "base/status.h"
#include "ops/subscript.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// What stands between the commas of a key.
StatusOr<std::vector<SubscriptEntry>> ParseEntries(PyObject* key);
// What StridedSlice and its relatives take. May throw Error as well.
StatusOr<SliceOperands> ParseSlice(PyObject* key);

// The subscript operator of tensors and variables.
PyObject* Subscript(PyObject* self, PyObject* key);
// That of tensors where it means what TensorFlow says, whatever the program has
// asked for.
PyObject* BasicSubscript(PyObject* tensor, PyObject* key);
// An iterator over the rows of an eager tensor.
PyObject* NewRowIterator(PyObject* tensor, int64_t rows);

bool AddSlicing(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_SLICING_H_
