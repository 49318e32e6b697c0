// DType: the Python objects `tf.float32`, ... One object per data type (and
// one per reference type), never freed; compare by pointer in C++.
#ifndef GK_PYTHON_DTYPE_TYPE_H_
#define GK_PYTHON_DTYPE_TYPE_H_

#include "framework/types.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

struct PyDType {
  PyObject_HEAD;
  DataType dtype;
  bool is_ref;
};

extern PyTypeObject* DTypeType;

// Borrowed.
PyObject* DTypeObject(DataType t);
inline bool IsDType(PyObject* o) { return Py_TYPE(o) == DTypeType; }
inline DataType DTypeOf(PyObject* o) {
  return reinterpret_cast<PyDType*>(o)->dtype;
}

// Whatever users give for a dtype: DType, name, enum number, NumPy types and
// dtypes, float, bool, object. TypeError otherwise, with an exception set and
// kInvalid returned.
DataType AsDType(PyObject* o);
// The same without an exception: kInvalid if `o` is none.
DataType TryDType(PyObject* o);
// numpy.float32, ... New reference.
PyObject* NumpyType(DataType t);

// What NumPy knows of it (dtype_numpy.cc), as new references: its type; the
// largest and smallest finite value, the usual range of images. Null and
// Python's error if there is none.
PyObject* MakeNumpyType(DataType t);
PyObject* LargestOf(DataType t);
PyObject* SmallestOf(DataType t);
PyObject* LimitsOf(DataType t);

bool AddDTypeType(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_DTYPE_TYPE_H_
