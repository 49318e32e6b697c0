#include "python/src/tensors/dimension_type.h"

#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/type_parts.h"
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

const Dimension& Of(nb::handle self) {
  return nb::cast<const Dimension&>(self);
}

int InitDimension(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* value = nullptr;
  if (!ParseArguments(args, kwargs, "O", {"value"}, &value)) return -1;
  Dimension dimension = AsDimension(value);
  const bool made_before = nb::inst_ready(self);
  if (made_before) {
    *nb::inst_ptr<Dimension>(self) = std::move(dimension);
    return 0;
  }
  new (nb::inst_ptr<Dimension>(self)) Dimension(std::move(dimension));
  nb::inst_mark_ready(self);
  return 0;
}

nb::object CouldFit(nb::handle self, nb::handle other) {
  return nb::bool_(Fits(Of(self), AsDimension(other)));
}

nb::object MustFit(nb::handle self, nb::handle other) {
  AssertFits(Of(self), AsDimension(other));
  return nb::none();
}

nb::object Merged(nb::handle self, nb::handle other) {
  const Dimension& own = Of(self);
  Dimension given = AsDimension(other);
  AssertFits(own, given);
  return nb::cast(own.known() ? own : std::move(given));
}

PyMethodDef dimension_methods[] = {
    GK_METHOD("is_compatible_with", "other", CouldFit,
              "Could both be the same size?"),
    GK_METHOD("assert_is_compatible_with", "other", MustFit,
              "Raises ValueError unless both could be the same size.\n\n"
              ">>> tf.compat.v1.Dimension(2).assert_is_compatible_with(None)"),
    GK_METHOD("merge_with", "other", Merged, "What is known by either."),
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot kDimensionSlots[] = {{Py_tp_init, Slot<InitDimension>()},
                                 {Py_tp_methods, Slot<dimension_methods>()},
                                 {0, nullptr}};

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

PyObject* NewDimension(int64_t size) {
  return nb::cast(Dimension{size < 0 ? nb::none() : nb::object(nb::int_(size))})
      .release()
      .ptr();
}

PyObject* DimensionsOf(const PartialTensorShape& shape) {
  nb::list dimensions;
  for (int i = 0; i < shape.rank(); ++i) {
    dimensions.append(nb::steal(NewDimension(shape.dim(i))));
  }
  return dimensions.release().ptr();
}

bool IsDimension(PyObject* o) {
  return nb::isinstance<Dimension>(nb::handle(o));
}

void AddDimension(nb::module_& m) {
  nb::class_<Dimension> cls(
      m, "Dimension", nb::type_slots(kDimensionSlots),
      "Dimension(value)\n--\n\n"
      "One dimension: a size, or None if it is unknown.\n\n"
      ">>> tf.compat.v1.Dimension(3) + 1\n"
      "Dimension(4)");
  const auto other = nb::arg("other").none();
  cls.def_prop_ro(
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
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(self.attr("value")));
      });
  AddOperator<PyNumber_Add>(cls, "__add__", "__radd__");
  AddOperator<PyNumber_Subtract>(cls, "__sub__", "__rsub__");
  AddOperator<PyNumber_Multiply>(cls, "__mul__", "__rmul__");
  AddOperator<PyNumber_FloorDivide>(cls, "__floordiv__", "__rfloordiv__");
  AddOperator<PyNumber_Remainder>(cls, "__mod__", "__rmod__");
  if (PyModule_AddFunctions(m.ptr(), kDimensionFunctions) < 0)
    throw nb::python_error();
}

}  // namespace gk::py
