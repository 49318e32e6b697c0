// NumPy's side of the data types; NumPy and ml_dtypes are imported when they
// are first needed.
#include <nanobind/nanobind.h>

#include <string>

#include "python/src/binding/guarded.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_numbers.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::module_ Numpy() { return nb::module_::import_("numpy"); }
nb::module_ MlDtypes() { return nb::module_::import_("ml_dtypes"); }

nb::object TypeOf(DataType t) {
  const std::string name(DataTypeName(t));
  if (IsMlDtype(t)) return MlDtypes().attr(name.c_str());
  if (const char* code = QuantizedCode(t)) {
    nb::list fields;
    fields.append(nb::make_tuple(name.c_str(), code));
    return Numpy().attr("dtype")(fields);
  }
  switch (t) {
    case DataType::kString:
      return nb::borrow(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    case DataType::kBool:
      return Numpy().attr("bool_");
    case DataType::kResource:
    case DataType::kVariant:
      PyErr_SetObject(PyExc_KeyError, nb::int_(static_cast<int>(t)).ptr());
      throw nb::python_error();
    default:
      return Numpy().attr(name.c_str());
  }
}

// np.finfo or np.iinfo of it, or those of ml_dtypes.
nb::object InfoOf(DataType t, const char* word) {
  if (IsFloating(t) || IsInteger(t)) {
    return (IsMlDtype(t) ? MlDtypes() : Numpy())
        .attr(IsFloating(t) ? "finfo" : "iinfo")(TypeOf(t));
  }
  if (QuantizedCode(t) != nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "Cannot find %s value of %S with quantized type %S.", word,
                 DTypeObject(t), DTypeObject(t));
    throw nb::python_error();
  }
  if (t == DataType::kResource || t == DataType::kVariant) {
    PyErr_Format(PyExc_TypeError, "Cannot find %s value of %S.", word,
                 DTypeObject(t));
    throw nb::python_error();
  }
  PyErr_Format(PyExc_TypeError, "Cannot find %s value of %S with type %S.",
               word, DTypeObject(t), DTypeObject(t));
  throw nb::python_error();
}

PyObject* Type(DataType t) { return TypeOf(t).release().ptr(); }
PyObject* Largest(DataType t) {
  return nb::object(InfoOf(t, "maximum").attr("max")).release().ptr();
}
PyObject* Smallest(DataType t) {
  return nb::object(InfoOf(t, "minimum").attr("min")).release().ptr();
}

}  // namespace

PyObject* MakeNumpyType(DataType t) { return Guarded<Type>(t); }
PyObject* LargestOf(DataType t) { return Guarded<Largest>(t); }
PyObject* SmallestOf(DataType t) { return Guarded<Smallest>(t); }

PyObject* LimitsOf(DataType t) {
  if (t == DataType::kBool) return Py_BuildValue("iO", 0, Py_True);
  if (t == DataType::kFloat || t == DataType::kDouble) {
    return Py_BuildValue("ii", 0, 1);
  }
  if (t == DataType::kResource || t == DataType::kVariant) {
    PyErr_SetObject(PyExc_KeyError, nb::int_(static_cast<int>(t)).ptr());
    return nullptr;
  }
  if (IsInteger(t) && !IsMlDtype(t)) {
    return Py_BuildValue("iN", 0, LargestOf(t));
  }
  PyErr_Format(PyExc_ValueError, "%S does not have defined limits.",
               DTypeObject(t));
  return nullptr;
}

}  // namespace gk::py
