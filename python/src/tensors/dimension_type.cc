#include "python/src/tensors/dimension_type.h"

#include "python/src/binding/only_argument.h"
#include "python/src/tensors/shape_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// An int of Python's, or None.
struct Dimension {
  nb::object value;
  bool known() const { return !value.is_none(); }
};

nb::object Taken(PyObject* o) {
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

Dimension AsDimension(nb::handle o) {
  if (nb::isinstance<Dimension>(o)) return nb::cast<Dimension>(o);
  if (o.is_none()) return {nb::none()};
  nb::object value = Taken(PyNumber_Index(o.ptr()));
  if (value < nb::int_(0)) {
    PyErr_Format(PyExc_ValueError, "Dimension %S must be >= 0", value.ptr());
    throw nb::python_error();
  }
  return {std::move(value)};
}

nb::str Text(const Dimension& d) {
  return d.known() ? nb::str(d.value) : nb::str("?");
}

// None where it is not known.
nb::object Compared(const Dimension& a, const Dimension& b, int op) {
  if (!a.known() || !b.known()) return nb::none();
  return Taken(PyObject_RichCompare(a.value.ptr(), b.value.ptr(), op));
}
template <int kOp>
nb::object Compare(const Dimension& a, nb::handle other) {
  return Compared(a, AsDimension(other), kOp);
}
// What is no dimension is not equal.
template <int kOp>
nb::object Equality(const Dimension& a, nb::handle other) {
  try {
    return Compare<kOp>(a, other);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) {
      throw;
    }
    return nb::borrow(Py_NotImplemented);
  }
}

template <PyObject* (*kOp)(PyObject*, PyObject*)>
Dimension Combined(const Dimension& a, const Dimension& b) {
  if (!a.known() || !b.known()) return {nb::none()};
  return AsDimension(Taken(kOp(a.value.ptr(), b.value.ptr())));
}
template <PyObject* (*kOp)(PyObject*, PyObject*)>
void AddOperator(nb::class_<Dimension>& cls, const char* name,
                 const char* reflected) {
  cls.def(
      name,
      [](const Dimension& a, nb::handle b) {
        return Combined<kOp>(a, AsDimension(b));
      },
      nb::arg().none());
  cls.def(
      reflected,
      [](const Dimension& a, nb::handle b) {
        return Combined<kOp>(AsDimension(b), a);
      },
      nb::arg().none());
}

bool Fits(const Dimension& a, const Dimension& b) {
  return !a.known() || !b.known() || a.value.equal(b.value);
}
void AssertFits(const Dimension& a, const Dimension& b) {
  if (Fits(a, b)) return;
  PyErr_Format(PyExc_ValueError, "Dimensions %S and %S are not compatible",
               Text(a).ptr(), Text(b).ptr());
  throw nb::python_error();
}

constexpr char kDimension[] = "dimension";
PyObject* ValueOf(PyObject*, PyObject* dimension) {
  return nb::isinstance<Dimension>(dimension)
             ? nb::object(nb::cast<Dimension>(nb::handle(dimension)).value)
                   .release()
                   .ptr()
             : Py_NewRef(dimension);
}
PyMethodDef kDimensionFunctions[] = {
    {"dimension_value", GK_OF_ARGUMENT(kDimension, ValueOf),
     "dimension_value(dimension)\n--\n\n"
     "The size of a Dimension, an int or None.\n\n"
     ">>> tf.compat.dimension_value(tf.compat.v1.Dimension(3))\n"
     "3"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* DimensionsOf(const PartialTensorShape& shape) {
  nb::list dimensions;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.dim(i);
    dimensions.append(
        Dimension{size < 0 ? nb::none() : nb::object(nb::int_(size))});
  }
  return dimensions.release().ptr();
}

void AddDimension(nb::module_& m) {
  nb::class_<Dimension> cls(
      m, "Dimension",
      "One dimension: a size, or None if it is unknown.\n\n"
      ">>> tf.compat.v1.Dimension(3) + 1\n"
      "Dimension(4)");
  const auto other = nb::arg("other").none();
  cls.def(
         "__init__",
         [](Dimension* self, nb::handle value) {
           new (self) Dimension(AsDimension(value));
         },
         nb::arg("value").none())
      .def_prop_ro(
          "value", [](const Dimension& d) { return d.value; },
          "The size, or None.")
      .def_prop_ro("_value", [](const Dimension& d) { return d.value; })
      .def("__repr__",
           [](const Dimension& d) {
             return Taken(PyUnicode_FromFormat("Dimension(%R)", d.value.ptr()));
           })
      .def("__str__", &Text)
      .def("__eq__", &Equality<Py_EQ>, other)
      .def("__ne__", &Equality<Py_NE>, other)
      .def("__lt__", &Compare<Py_LT>, other)
      .def("__le__", &Compare<Py_LE>, other)
      .def("__gt__", &Compare<Py_GT>, other)
      .def("__ge__", &Compare<Py_GE>, other)
      .def("__hash__", [](const Dimension& d) { return nb::hash(d.value); })
      .def("__bool__",
           [](const Dimension& d) {
             return PyObject_IsTrue(d.value.ptr()) == 1;
           })
      .def("__int__", [](const Dimension& d) { return d.value; })
      .def("__index__", [](const Dimension& d) { return d.value; })
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(),
                                   nb::make_tuple(self.attr("value")));
           })
      .def(
          "is_compatible_with",
          [](const Dimension& a, nb::handle b) {
            return Fits(a, AsDimension(b));
          },
          other, "Could both be the same size?")
      .def(
          "assert_is_compatible_with",
          [](const Dimension& a, nb::handle b) {
            AssertFits(a, AsDimension(b));
          },
          other,
          "Raises ValueError unless both could be the same size.\n\n"
          ">>> tf.compat.v1.Dimension(2).assert_is_compatible_with(None)")
      .def(
          "merge_with",
          [](const Dimension& a, nb::handle b) {
            Dimension given = AsDimension(b);
            AssertFits(a, given);
            return a.known() ? a : given;
          },
          other, "What is known by either.");
  AddOperator<PyNumber_Add>(cls, "__add__", "__radd__");
  AddOperator<PyNumber_Subtract>(cls, "__sub__", "__rsub__");
  AddOperator<PyNumber_Multiply>(cls, "__mul__", "__rmul__");
  AddOperator<PyNumber_FloorDivide>(cls, "__floordiv__", "__rfloordiv__");
  AddOperator<PyNumber_Remainder>(cls, "__mod__", "__rmod__");
  if (PyModule_AddFunctions(m.ptr(), kDimensionFunctions) < 0)
    throw nb::python_error();
}

}  // namespace gk::py
