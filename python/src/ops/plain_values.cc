#include "python/src/ops/plain_values.h"

#include <string>
#include <utility>

#include "python/src/binding/text_caster.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

constexpr int kMaxLeaves = 1000;
constexpr size_t kMaxElements = 1 << 16;

nb::object Imported(const char* module, const char* name) {
  return nb::module_::import_(module).attr(name);
}

bool IsArray(nb::handle value) {
  return IsNumpyValue(value.ptr()) &&
         nb::isinstance(value, Imported("numpy", "ndarray"));
}
size_t SizeOf(nb::handle array) {
  return nb::cast<size_t>(nb::object(array.attr("size")));
}
bool IsLargeArray(nb::handle value) {
  return IsArray(value) && SizeOf(value) > kMaxElements;
}

// Stands for an array that is too large to keep a copy of.
struct LargeArray {
  explicit LargeArray(nb::handle array)
      : shape(array.attr("shape")), dtype(array.attr("dtype")) {
    const size_t step = (SizeOf(array) + kMaxElements - 1) / kMaxElements;
    const nb::object some = array.attr("reshape")(
        -1)[nb::slice(nb::none(), nb::none(), nb::int_(step))];
    const nb::object bytes =
        Imported("numpy", "ascontiguousarray")(some).attr("view")("uint8");
    sample = Imported("zlib", "crc32")(bytes);
  }
  bool operator==(const LargeArray& other) const {
    return shape.equal(other.shape) && dtype.equal(other.dtype) &&
           sample.equal(other.sample);
  }
  nb::object shape, dtype, sample;
};

bool IsContainer(nb::handle value) {
  PyObject* const o = value.ptr();
  return PyList_CheckExact(o) || PyTuple_CheckExact(o) ||
         PyAnySet_CheckExact(o) ||
         (PyTuple_Check(o) && nb::hasattr(value, "_fields"));
}

bool IsConstant(nb::handle value) {
  PyObject* const o = value.ptr();
  if (value.is_none() || PyLong_Check(o) || PyFloat_Check(o) ||
      PyComplex_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
      PyRange_Check(o) || IsDType(o) || IsTensorShape(o)) {
    return true;
  }
  if (nb::isinstance(value, Imported("enum", "Enum"))) return true;
  if (IsNumpyValue(o)) return !IsArray(value);
  return PyDict_GetItemString(PyImport_GetModuleDict(), "numpy") != nullptr &&
         nb::isinstance(value, Imported("numpy", "dtype"));
}

bool IsPlainWithin(nb::handle value, int* budget) {
  if (--*budget < 0) return false;
  if (IsConstant(value)) return true;
  if (IsArray(value)) {
    return !nb::cast<bool>(nb::object(value.attr("dtype").attr("hasobject"))) &&
           (SizeOf(value) <= kMaxElements || *budget == kMaxLeaves - 1);
  }
  if (PyDict_CheckExact(value.ptr())) {
    for (auto [key, item] : nb::borrow<nb::dict>(value)) {
      if (!IsPlainWithin(key, budget) || !IsPlainWithin(item, budget)) {
        return false;
      }
    }
    return true;
  }
  if (!IsContainer(value)) return false;
  for (nb::handle item : value) {
    if (!IsPlainWithin(item, budget)) return false;
  }
  return true;
}
bool IsPlainValue(nb::handle value) {
  int budget = kMaxLeaves;
  return IsPlainWithin(value, &budget);
}

}  // namespace

nb::object Comparable(nb::handle value) {
  return IsLargeArray(value) ? nb::cast(LargeArray(value)) : nb::borrow(value);
}

nb::object Copied(nb::handle value) {
  const nb::object kept = Comparable(value);
  PyObject* const o = kept.ptr();
  const bool changeable =
      IsListOrTuple(o) || PyDict_Check(o) || PyAnySet_Check(o) || IsArray(kept);
  return changeable ? nb::object(Imported("copy", "deepcopy")(kept)) : kept;
}

namespace {

bool SameItems(nb::handle a, nb::handle b) {
  const size_t n = nb::len(a);
  for (size_t i = 0; i < n; ++i) {
    if (!Same(nb::object(a[i]), nb::object(b[i]))) return false;
  }
  return true;
}

bool Compared(nb::handle a, nb::handle b, int op) {
  PyRef result = PyRef::Steal(PyObject_RichCompare(a.ptr(), b.ptr(), op));
  const int yes = result ? PyObject_IsTrue(result.get()) : -1;
  if (yes < 0) throw nb::python_error();
  return yes == 1;
}
bool SameLeaf(nb::handle a, nb::handle b) {
  try {
    return Compared(a, b, Py_EQ) ||
           (Compared(a, a, Py_NE) && Compared(b, b, Py_NE));  // NaN
  } catch (nb::python_error& error) {
    // A comparison of the user's class.
    if (!error.matches(PyExc_Exception)) throw;
    return false;
  }
}

}  // namespace

bool Same(nb::handle a, nb::handle b) {
  if (a.is(b)) return true;
  if (Py_TYPE(a.ptr()) != Py_TYPE(b.ptr())) return false;
  if (IsArray(a)) {
    const std::string kind =
        nb::cast<std::string>(nb::object(a.attr("dtype").attr("kind")));
    return a.attr("dtype").equal(b.attr("dtype")) &&
           nb::cast<bool>(nb::object(nb::bool_(Imported("numpy", "array_equal")(
               a, b, nb::arg("equal_nan") = kind == "f" || kind == "c"))));
  }
  if (IsListOrTuple(a.ptr())) {
    return nb::len(a) == nb::len(b) && SameItems(a, b);
  }
  if (PyDict_Check(a.ptr())) {
    if (nb::len(a) != nb::len(b)) return false;
    const nb::dict other = nb::borrow<nb::dict>(b);
    for (auto [key, item] : nb::borrow<nb::dict>(a)) {
      if (!other.contains(key) || !Same(item, nb::object(other[key]))) {
        return false;
      }
    }
    return true;
  }
  return SameLeaf(a, b);
}

bool HoldsComplex(nb::handle value) {
  PyObject* o = value.ptr();
  while ((PyList_Check(o) || PyTuple_Check(o)) &&
         PySequence_Fast_GET_SIZE(o) > 0) {
    o = PySequence_Fast_GET_ITEM(o, 0);
  }
  return PyComplex_Check(o);
}

void AddPlainValues(nb::module_& m) {
  nb::class_<LargeArray>(
      m, "LargeArray",
      "Stands for an array that is too large to keep a copy of.")
      .def_ro("shape", &LargeArray::shape)
      .def_ro("dtype", &LargeArray::dtype)
      .def(
          "__eq__",
          [](const LargeArray& a, nb::handle b) {
            return nb::isinstance<LargeArray>(b) &&
                   a == nb::cast<const LargeArray&>(b);
          },
          nb::arg("other").none())
      .def("__repr__", [](const LargeArray& a) {
        return "<array of shape " + TextOf(a.shape) + ", " + TextOf(a.dtype) +
               ">";
      });
  m.def("is_plain", IsPlainValue, nb::arg("value").none(),
        "Is it a value that a trace freezes, and small enough to keep?");
  m.def("copied", Copied, nb::arg("value").none(),
        "A value as later changes leave it.");
}

}  // namespace gk::py
