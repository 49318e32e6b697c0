#include "python/src/tensors/shape_type.h"

#include <new>
#include <string>

#include "framework/shape_checks.h"
#include "framework/tensor_text.h"
#include "graph/tensor_proto.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/message.h"
#include "python/src/binding/message_methods.h"
#include "python/src/binding/only_argument.h"
#include "python/src/tensors/type_protocol.h"
#include "python/src/tensors/version_one.h"

namespace gk::py {

PyTypeObject* TensorShapeType = nullptr;

namespace {

// Sizes that no int64 holds are the largest in `shape`; all that Python shows
// is of `wide`, a tuple of sizes and Nones, if there is one.
struct WideShape {
  PyTensorShape base;
  PyObject* wide;
};
PyObject*& WideOf(PyObject* o) { return reinterpret_cast<WideShape*>(o)->wide; }

// The sizes in a sequence, of which one is too large; else an error is set.
PyRef WideSizes(PyObject* dims) {
  PyRef all = PyRef::Steal(PyLong_Check(dims) ? PyTuple_Pack(1, dims)
                                              : PySequence_Tuple(dims));
  if (!all) return PyRef();
  const Py_ssize_t n = PyTuple_GET_SIZE(all.get());
  PyRef sizes = PyRef::Steal(PyTuple_New(n));
  for (Py_ssize_t i = 0; sizes && i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(all.get(), i);
    PyObject* size =
        item == Py_None ? Py_NewRef(Py_None) : PyNumber_Index(item);
    if (size == nullptr) return PyRef();
    PyTuple_SET_ITEM(sizes.get(), i, size);
  }
  return sizes;
}

// As far as int64 goes.
StatusOr<PartialTensorShape> Narrowed(PyObject* sizes) {
  const Py_ssize_t n = PyTuple_GET_SIZE(sizes);
  if (n > kMaxRank) {
    return ValueError("Shape of rank {} exceeds the largest rank {}", n,
                      kMaxRank);
  }
  PartialTensorShape shape(std::span<const int64_t>{});
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* size = PyTuple_GET_ITEM(sizes, i);
    int overflow = 0;
    const int64_t d = size == Py_None
                          ? kUnknownDim
                          : PyLong_AsLongLongAndOverflow(size, &overflow);
    if (size != Py_None && (d < 0 || overflow < 0) && overflow <= 0) {
      return ValueError("Dimension {} must be >= 0", d);
    }
    shape.AddDim(overflow > 0 ? INT64_MAX : d);
  }
  return shape;
}

PyObject* Wrap(StatusOr<PartialTensorShape> shape) {
  return shape.ok() ? WrapShape(*std::move(shape)) : Raise(shape.status());
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dims", nullptr};
  PyObject* dims;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:TensorShape",
                                   const_cast<char**>(names), &dims)) {
    return nullptr;
  }
  StatusOr<PartialTensorShape> shape = AsShape(dims);
  PyRef wide;
  if (IsTensorShape(dims)) {
    wide = PyRef::Share(WideOf(dims));
  } else if (!shape.ok() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    wide = WideSizes(dims);
    if (!wide) return nullptr;
    shape = Narrowed(wide.get());
  }
  if (!shape.ok()) return Raise(shape.status());
  PyObject* o = type->tp_alloc(type, 0);
  if (o != nullptr) {
    new (&reinterpret_cast<PyTensorShape*>(o)->shape)
        PartialTensorShape(*std::move(shape));
    WideOf(o) = wide.Release();
  }
  return o;
}

void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  reinterpret_cast<PyTensorShape*>(o)->shape.~PartialTensorShape();
  Py_XDECREF(WideOf(o));
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* Str(PyObject* o) {
  if (WideOf(o) != nullptr) return PyObject_Repr(WideOf(o));
  std::string text = ShapeOf(o).PythonString();
  for (size_t at = 0; version_one.has_dimensions &&
                      (at = text.find("None", at)) != std::string::npos;) {
    text.replace(at, 4, "?");
  }
  return ToPyString(text);
}
PyObject* Repr(PyObject* o) {
  if (version_one.has_dimensions && !ShapeOf(o).unknown_rank()) {
    PyRef list = PyRef::Steal(DimensionsOf(ShapeOf(o)));
    return list ? PyUnicode_FromFormat("TensorShape(%R)", list.get()) : nullptr;
  }
  if (WideOf(o) == nullptr) return ToPyString(ShapeObjectText(ShapeOf(o)));
  PyRef list = PyRef::Steal(PySequence_List(WideOf(o)));
  return list ? PyUnicode_FromFormat("TensorShape(%R)", list.get()) : nullptr;
}

// Equal tuples of dimensions hash alike, as users' dictionaries expect.
PyRef AsTuple(const PartialTensorShape& s) {
  PyRef tuple = PyRef::Steal(PyTuple_New(s.rank()));
  for (int i = 0; tuple && i < s.rank(); ++i) {
    PyObject* dim = DimensionObject(s.dim(i));
    if (dim == nullptr) return PyRef();
    PyTuple_SET_ITEM(tuple.get(), i, dim);
  }
  return tuple;
}
PyRef AsTuple(PyObject* o) {
  if (WideOf(o) != nullptr) return PyRef::Share(WideOf(o));
  return AsTuple(ShapeOf(o));
}
Py_hash_t Hash(PyObject* o) {
  if (ShapeOf(o).unknown_rank()) return 0x5eed;
  PyRef tuple = AsTuple(o);
  return tuple ? PyObject_Hash(tuple.get()) : -1;
}

PyObject* RichCompare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal = false;
  if (WideOf(a) != nullptr || (IsTensorShape(b) && WideOf(b) != nullptr)) {
    PyRef mine = AsTuple(a);
    PyRef theirs = IsTensorShape(b) && ShapeOf(b).unknown_rank()
                       ? PyRef::Share(Py_None)
                       : PyRef::Steal(PySequence_Tuple(b));
    if (mine && theirs) {
      return PyObject_RichCompare(mine.get(), theirs.get(), op);
    }
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (IsTensorShape(b)) {
    equal = ShapeOf(a) == ShapeOf(b);
  } else {
    StatusOr<PartialTensorShape> other = AsShape(b);
    if (!other.ok()) {
      PyErr_Clear();
      Py_RETURN_NOTIMPLEMENTED;
    }
    equal = ShapeOf(a) == *other;
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_ssize_t Length(PyObject* o) {
  if (ShapeOf(o).unknown_rank()) {
    return RaiseInt(
        ValueError("Cannot take the length of shape with unknown rank."));
  }
  return ShapeOf(o).rank();
}
int Bool(PyObject* o) { return !ShapeOf(o).unknown_rank(); }

PyObject* UnknownRankItem(PyObject* key) {
  PySliceObject* slice = reinterpret_cast<PySliceObject*>(key);
  int64_t start = 0, stop = 0, step = 1;
  if (slice->stop == Py_None) return WrapShape({});
  stop = PyLong_AsLongLong(slice->stop);
  if (slice->start != Py_None) start = PyLong_AsLongLong(slice->start);
  if (slice->step != Py_None) step = PyLong_AsLongLong(slice->step);
  if (PyErr_Occurred()) return nullptr;
  if (start < 0 || stop < 0 || step <= 0) return WrapShape({});
  const int64_t n = stop <= start ? 0 : (stop - start + step - 1) / step;
  if (n > kMaxRank) return Raise(ValueError("Rank {} is too large", n));
  return WrapShape(PartialTensorShape::UnknownOfRank(n));
}

PyObject* ItemObject(int64_t dim) {
  if (!version_one.has_dimensions) return DimensionObject(dim);
  return NewDimension(dim);
}

PyObject* Item(PyObject* o, PyObject* key) {
  const PartialTensorShape& s = ShapeOf(o);
  if (PySlice_Check(key)) {
    if (s.unknown_rank()) return UnknownRankItem(key);
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) return nullptr;
    if (WideOf(o) != nullptr) {
      PyRef part = PyRef::Steal(PyObject_GetItem(WideOf(o), key));
      return part
                 ? PyObject_CallOneArg(
                       reinterpret_cast<PyObject*>(TensorShapeType), part.get())
                 : nullptr;
    }
    const Py_ssize_t n = PySlice_AdjustIndices(s.rank(), &start, &stop, step);
    PartialTensorShape r(std::span<const int64_t>{});
    for (Py_ssize_t i = 0; i < n; ++i) r.AddDim(s.dim(start + i * step));
    return WrapShape(std::move(r));
  }
  if (!PyIndex_Check(key)) {
    PyErr_Format(PyExc_TypeError,
                 "tuple indices must be integers or slices, not %s",
                 Py_TYPE(key)->tp_name);
    return nullptr;
  }
  Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (s.unknown_rank()) return ItemObject(kUnknownDim);
  if (i < 0) i += s.rank();
  if (i < 0 || i >= s.rank())
    return Raise(IndexError("tuple index out of range"));
  if (WideOf(o) != nullptr) return Py_NewRef(PyTuple_GET_ITEM(WideOf(o), i));
  return ItemObject(s.dim(i));
}

// What makes a shape a sequence to others: `rng.normal(size=x.shape)`.
PyObject* ItemAt(PyObject* o, Py_ssize_t i) {
  PyRef key = PyRef::Steal(PyLong_FromSsize_t(i));
  return key ? Item(o, key.get()) : nullptr;
}

PyObject* Iter(PyObject* o) {
  if (ShapeOf(o).unknown_rank()) {
    return Raise(ValueError("Cannot iterate over a shape with unknown rank."));
  }
  PyRef items = version_one.has_dimensions
                    ? PyRef::Steal(DimensionsOf(ShapeOf(o)))
                    : AsTuple(o);
  return items ? PyObject_GetIter(items.get()) : nullptr;
}

PyObject* Rank(PyObject* o, void*) {
  if (ShapeOf(o).unknown_rank()) Py_RETURN_NONE;
  return PyLong_FromLong(ShapeOf(o).rank());
}
PyObject* Dims(PyObject* o, void*) {
  if (ShapeOf(o).unknown_rank()) Py_RETURN_NONE;
  return DimensionsOf(ShapeOf(o));
}
PyObject* RawDims(PyObject* o, void*) {
  if (ShapeOf(o).unknown_rank()) Py_RETURN_NONE;
  return AsTuple(o).Release();
}

PyObject* AsList(PyObject* o, PyObject*) {
  if (ShapeOf(o).unknown_rank()) {
    return Raise(
        ValueError("as_list() is not defined on an unknown TensorShape."));
  }
  PyRef tuple = AsTuple(o);
  return tuple ? PySequence_List(tuple.get()) : nullptr;
}
PyObject* IsFullyDefined(PyObject* o, PyObject*) {
  return PyBool_FromLong(ShapeOf(o).IsFullyDefined());
}
PyObject* NumElements(PyObject* o, PyObject*) {
  if (!ShapeOf(o).IsFullyDefined()) Py_RETURN_NONE;
  PyRef sizes = AsTuple(o);
  PyRef product = PyRef::Steal(PyLong_FromLong(1));
  for (int i = 0; sizes && product && i < ShapeOf(o).rank(); ++i) {
    product = PyRef::Steal(
        PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(sizes.get(), i)));
  }
  return sizes ? product.Release() : nullptr;
}

PyObject* Add(PyObject* a, PyObject* b) {
  StatusOr<PartialTensorShape> x = AsShape(a), y = AsShape(b);
  if (!x.ok()) return Raise(x.status());
  if (!y.ok()) return Raise(y.status());
  return Wrap(ConcatenateShapes(*x, *y));
}
PyObject* Concatenate(PyObject* o, PyObject* other) { return Add(o, other); }

PyObject* MergeWith(PyObject* o, PyObject* other) {
  StatusOr<PartialTensorShape> b = AsShape(other);
  return b.ok() ? Wrap(MergeShapes(ShapeOf(o), *b)) : Raise(b.status());
}
PyObject* IsCompatibleWith(PyObject* o, PyObject* other) {
  StatusOr<PartialTensorShape> b = AsShape(other);
  if (!b.ok()) return Raise(b.status());
  return PyBool_FromLong(ShapeOf(o).IsCompatibleWith(*b));
}
PyObject* IsSubtypeOf(PyObject* o, PyObject* other) {
  if (!IsTensorShape(other)) Py_RETURN_FALSE;
  return PyBool_FromLong(ShapeOf(o).IsSubtypeOf(ShapeOf(other)));
}
PyObject* MostSpecificCompatible(PyObject* o, PyObject* other) {
  StatusOr<PartialTensorShape> b = AsShape(other);
  if (!b.ok()) return Raise(b.status());
  return WrapShape(ShapeOf(o).CommonSupertype(*b));
}
PyObject* CommonSupertype(PyObject* o, PyObject* others) {
  PyRef list = PyRef::Steal(PySequence_Fast(others, "expected a sequence"));
  if (!list) return nullptr;
  PartialTensorShape r = ShapeOf(o);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
    PyObject* other = PySequence_Fast_GET_ITEM(list.get(), i);
    if (!IsTensorShape(other)) Py_RETURN_NONE;
    r = r.CommonSupertype(ShapeOf(other));
  }
  return WrapShape(std::move(r));
}
PyObject* AssertCompatible(PyObject* o, PyObject* other) {
  StatusOr<PartialTensorShape> b = AsShape(other);
  if (!b.ok()) return Raise(b.status());
  if (ShapeOf(o).IsCompatibleWith(*b)) Py_RETURN_NONE;
  PyErr_Format(PyExc_ValueError, "Shapes %S and %S are incompatible", o, other);
  return nullptr;
}
PyObject* NoneIf(const Status& status) {
  return status.ok() ? Py_NewRef(Py_None) : Raise(status);
}
PyObject* AssertFullyDefined(PyObject* o, PyObject*) {
  return NoneIf(CheckFullyDefined(ShapeOf(o)));
}
PyObject* AssertSameRank(PyObject* o, PyObject* other) {
  StatusOr<PartialTensorShape> b = AsShape(other);
  return b.ok() ? NoneIf(CheckSameRank(ShapeOf(o), *b)) : Raise(b.status());
}
PyObject* AssertHasRank(PyObject* o, PyObject* rank) {
  const long n = PyLong_AsLong(rank);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  return NoneIf(CheckRank(ShapeOf(o), RankBound::kExactly, n));
}
template <RankBound kBound>
PyObject* ShapeWithRank(PyObject* o, PyObject* rank) {
  const long n = PyLong_AsLong(rank);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  StatusOr<PartialTensorShape> shape = WithRank(ShapeOf(o), kBound, n);
  if (shape.ok() && *shape == ShapeOf(o)) return Py_NewRef(o);
  return Wrap(std::move(shape));
}
PyObject* AsProto(PyObject* o, PyObject*) {
  return Message("TensorShapeProto", ShapeToProto(ShapeOf(o)).Serialize())
      .release()
      .ptr();
}
PyObject* Reduce(PyObject* o, PyObject*) {
  PyRef dims = PyRef::Steal(RawDims(o, nullptr));
  if (!dims) return nullptr;
  return Py_BuildValue("O(O)", Py_TYPE(o), dims.get());
}
PyObject* Self(PyObject* o, PyObject*) { return Py_NewRef(o); }

constexpr char kOther[] = "other", kOthers[] = "others", kRank[] = "rank";

PyMethodDef methods[] = {
    {"as_list", Guarded<AsList>, METH_NOARGS,
     "as_list($self)\n--\n\n"
     "A list of ints and Nones."},
    GK_MESSAGE_METHODS,
    {"as_proto", Guarded<AsProto>, METH_NOARGS,
     "as_proto($self)\n--\n\n"
     "A TensorShapeProto."},
    {"is_fully_defined", Guarded<IsFullyDefined>, METH_NOARGS,
     "is_fully_defined($self)\n--\n\n"
     "Are the rank and every dimension known?"},
    {"num_elements", Guarded<NumElements>, METH_NOARGS,
     "num_elements($self)\n--\n\n"
     "How many elements a tensor of this shape has; None if that isn't known."},
    {"concatenate", GK_OF_ARGUMENT(kOther, Concatenate),
     "concatenate($self, other)\n--\n\n"
     "These dimensions, then those of `other`.\n\n"
     ">>> tf.TensorShape([2, None]).concatenate([3]).as_list()\n"
     "[2, None, 3]"},
    {"merge_with", GK_OF_ARGUMENT(kOther, MergeWith),
     "merge_with($self, other)\n--\n\n"
     "What both shapes say; ValueError if they contradict one another.\n\n"
     ">>> tf.TensorShape([2, None]).merge_with([None, 3]).as_list()\n"
     "[2, 3]"},
    {"is_compatible_with", GK_OF_ARGUMENT(kOther, IsCompatibleWith),
     "is_compatible_with($self, other)\n--\n\n"
     "Could a tensor have both shapes?"},
    {"is_subtype_of", GK_OF_ARGUMENT(kOther, IsSubtypeOf),
     "is_subtype_of($self, other)\n--\n\n"
     "Has every tensor of this shape the shape `other`, too?"},
    GK_TYPE_PROTOCOL_METHODS,
    {"most_specific_compatible_shape",
     GK_OF_ARGUMENT(kOther, MostSpecificCompatible),
     "most_specific_compatible_shape($self, other)\n--\n\n"
     "The narrowest shape that all tensors of either shape have.\n\n"
     ">>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])"
     ".as_list()\n"
     "[2, None]"},
    {"most_specific_common_supertype", GK_OF_ARGUMENT(kOthers, CommonSupertype),
     "most_specific_common_supertype($self, others)\n--\n\n"
     "The narrowest shape that all tensors of this shape and of `others` have; "
     "None if one of them is no TensorShape."},
    {"assert_is_compatible_with", GK_OF_ARGUMENT(kOther, AssertCompatible),
     "assert_is_compatible_with($self, other)\n--\n\n"
     "ValueError if no tensor could have both shapes."},
    {"assert_is_fully_defined", Guarded<AssertFullyDefined>, METH_NOARGS,
     "assert_is_fully_defined($self)\n--\n\n"
     "ValueError if the rank or a dimension is unknown."},
    {"assert_same_rank", GK_OF_ARGUMENT(kOther, AssertSameRank),
     "assert_same_rank($self, other)\n--\n\n"
     "ValueError if both ranks are known and differ."},
    {"assert_has_rank", GK_OF_ARGUMENT(kRank, AssertHasRank),
     "assert_has_rank($self, rank)\n--\n\n"
     "ValueError if the rank is known to be another one."},
    {"with_rank", GK_OF_ARGUMENT(kRank, ShapeWithRank<RankBound::kExactly>),
     "with_rank($self, rank)\n--\n\n"
     "This shape, which has the rank; ValueError if it has another one.\n\n"
     ">>> tf.TensorShape(None).with_rank(2).as_list()\n"
     "[None, None]"},
    {"with_rank_at_least",
     GK_OF_ARGUMENT(kRank, ShapeWithRank<RankBound::kAtLeast>),
     "with_rank_at_least($self, rank)\n--\n\n"
     "This shape; ValueError if its rank is known to be less."},
    {"with_rank_at_most",
     GK_OF_ARGUMENT(kRank, ShapeWithRank<RankBound::kAtMost>),
     "with_rank_at_most($self, rank)\n--\n\n"
     "This shape; ValueError if its rank is known to be more."},
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {"__copy__", Guarded<Self>, METH_NOARGS, nullptr},
    {"__deepcopy__", Guarded<Self>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef getset[] = {
    {"rank", Guarded<Rank>, nullptr, "The rank, or None.", nullptr},
    {"ndims", Guarded<Rank>, nullptr, "The rank, or None.", nullptr},
    {"dims", Guarded<Dims>, nullptr, "A list of Dimensions, or None.", nullptr},
    {"_dims", Guarded<RawDims>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_doc,
     Doc("TensorShape(dims)\n--\n\n"
         "The sizes of a tensor's dimensions; unknown ones are None.\n\n"
         ">>> tf.TensorShape([None, 2]).as_list()\n"
         "[None, 2]\n"
         ">>> tf.TensorShape(None).rank is None\n"
         "True")},
    {Py_tp_new, Slot<New>()},
    {Py_tp_dealloc, Slot<Dealloc>()},
    {Py_tp_repr, Slot<Repr>()},
    {Py_tp_str, Slot<Str>()},
    {Py_tp_hash, Slot<Hash>()},
    {Py_tp_richcompare, Slot<RichCompare>()},
    {Py_tp_iter, Slot<Iter>()},
    {Py_mp_length, Slot<Length>()},
    {Py_sq_length, Slot<Length>()},
    {Py_mp_subscript, Slot<Item>()},
    {Py_sq_item, Slot<ItemAt>()},
    {Py_nb_bool, Slot<Bool>()},
    {Py_nb_add, Slot<Add>()},
    {Py_tp_methods, Slot<methods>()},
    {Py_tp_getset, Slot<getset>()},
    {0, nullptr}};
PyType_Spec spec = {"graphkiln.TensorShape", sizeof(WideShape), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

PyObject* DimensionObject(int64_t dim) {
  if (dim < 0) Py_RETURN_NONE;
  return PyLong_FromLongLong(dim);
}

PyObject* WrapShape(PartialTensorShape shape) {
  PyObject* o = TensorShapeType->tp_alloc(TensorShapeType, 0);
  if (o != nullptr) {
    new (&reinterpret_cast<PyTensorShape*>(o)->shape)
        PartialTensorShape(std::move(shape));
  }
  return o;
}

StatusOr<int64_t> AsDimension(PyObject* o) {
  if (o == Py_None) return kUnknownDim;
  PyRef index;
  if (PyLong_Check(o)) {
    index = PyRef::Share(o);
  } else if (PyIndex_Check(o)) {
    index = PyRef::Steal(PyNumber_Index(o));
    if (!index) PyErr_Clear();
  }
  if (!index && PyObject_HasAttrString(o, "_value")) {  // a Dimension
    PyRef value = PyRef::Steal(PyObject_GetAttrString(o, "_value"));
    if (!value) return PythonError();
    if (value.get() == Py_None) return kUnknownDim;
    if (PyLong_Check(value.get())) index = value;
  }
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError,
                 "Dimension value must be integer or None or have an "
                 "__index__ method, got value '%R' with type '%R'",
                 o, Py_TYPE(o));
    return PythonError();
  }
  const int64_t d = PyLong_AsLongLong(index.get());
  if (d == -1 && PyErr_Occurred()) return PythonError();
  if (d < 0) return ValueError("Dimension {} must be >= 0", d);
  return d;
}

StatusOr<PartialTensorShape> AsShape(PyObject* o) {
  if (o == Py_None) return PartialTensorShape();
  if (IsTensorShape(o)) return ShapeOf(o);
  if (PyLong_Check(o)) {
    GK_ASSIGN_OR_RETURN(int64_t d, AsDimension(o));
    return PartialTensorShape{d};
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o)) {
    PyRef shown = PyRef::Steal(PyObject_Repr(o));
    if (!shown) return PythonError();
    return TypeError(
        "Failed to convert '{}' to a shape: '{}'could not be converted to a "
        "dimension. A shape should either be single dimension (e.g. 10), or "
        "an iterable of dimensions (e.g. [1, 10, None]).",
        StringView(shown.get()), StringView(shown.get()));
  }
  PyRef list = PyRef::Steal(PySequence_Fast(o, ""));
  if (!list) {
    PyErr_Clear();
    GK_ASSIGN_OR_RETURN(int64_t d, AsDimension(o));
    return PartialTensorShape{d};
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.get());
  if (n > kMaxRank) {
    return ValueError("Shape of rank {} exceeds the largest rank {}", n,
                      kMaxRank);
  }
  PartialTensorShape shape(std::span<const int64_t>{});
  for (Py_ssize_t i = 0; i < n; ++i) {
    // Converting may run user code, which may change a list under us.
    if (i >= PySequence_Fast_GET_SIZE(list.get())) break;
    PyRef item = PyRef::Share(PySequence_Fast_GET_ITEM(list.get(), i));
    GK_ASSIGN_OR_RETURN(int64_t d, AsDimension(item.get()));
    shape.AddDim(d);
  }
  return shape;
}

bool AddShapeType(PyObject* module) {
  TensorShapeType = AddType(module, &spec, nullptr);
  return TensorShapeType != nullptr;
}

}  // namespace gk::py
