// TensorShape: the Python object around PartialTensorShape.
#ifndef GK_PYTHON_SHAPE_TYPE_H_
#define GK_PYTHON_SHAPE_TYPE_H_

#include "framework/tensor_shape.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

struct PyTensorShape {
  PyObject_HEAD;
  PartialTensorShape shape;
};

extern PyTypeObject* TensorShapeType;

inline bool IsTensorShape(PyObject* o) {
  return PyObject_TypeCheck(o, TensorShapeType);
}
inline const PartialTensorShape& ShapeOf(PyObject* o) {
  return reinterpret_cast<PyTensorShape*>(o)->shape;
}
// New reference.
PyObject* WrapShape(PartialTensorShape shape);
// None, an int, a sequence of ints, Nones and dimensions, or a TensorShape.
StatusOr<PartialTensorShape> AsShape(PyObject* o);
// One dimension: an int-like, None or a Dimension.
StatusOr<int64_t> AsDimension(PyObject* o);
// A Python int, or None where unknown. New reference.
PyObject* DimensionObject(int64_t dim);

// The dimensions of a shape of known rank as a list of Dimension objects. New
// reference. (dimension_type.cc)
PyObject* DimensionsOf(const PartialTensorShape& shape);
// A Dimension; of size None if `size` is negative.
PyObject* NewDimension(int64_t size);
bool AddShapeType(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_SHAPE_TYPE_H_
