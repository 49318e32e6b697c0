// SparseTensor, its spec, and functions of them.
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/text_caster.h"
#include "python/src/graph/session_object.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle SparseClass() { return TheCompositeClasses().sparse; }
bool IsOfClass(Handle value, Handle cls) {
  return PyObject_TypeCheck(value.ptr(),
                            reinterpret_cast<PyTypeObject*>(cls.ptr()));
}
bool IsEager(Handle part) { return nb::hasattr(part, "numpy"); }

// --- tf.SparseTensorSpec.

Object InitSparseSpec(Handle self, Handle shape, Handle dtype) {
  SetParts(self,
           {{"_shape", ShapeObject(shape)}, {"_dtype", TypeObject(dtype)}});
  return nb::none();
}
Object SparseSpecOf(Handle cls, Handle value) {
  if (!IsOfClass(value, SparseClass())) {
    PyErr_Format(PyExc_TypeError, "Expected SparseTensor, got %R", value.ptr());
    throw nb::python_error();
  }
  return cls(value.attr("shape"), value.attr("dtype"));
}
Object SparseSpecWithShape(Handle self, Handle shape) {
  return self.type()(shape, self.attr("_dtype"));
}
Object SerializeSparse(Handle self) {
  return nb::make_tuple(self.attr("_shape"), self.attr("_dtype"));
}
Object SparseParts(Handle self) {
  return SpecsOfParts(
      TypeSpec::Sparse(AsType(self.attr("_dtype"), DataType::kFloat),
                       Shape(self.attr("_shape"))));
}
Object PartsOfSparse(Handle, Handle value) {
  nb::list parts;
  for (const char* name : {"indices", "values", "dense_shape"}) {
    parts.append(value.attr(name));
  }
  return parts;
}
Object SparseOfParts(Handle self, Handle parts) {
  Object made = SparseClass()(*nb::tuple(parts));
  made.attr("set_shape")(self.attr("_shape"));
  return made;
}
Object ItsSparseClass(Handle) { return nb::borrow(SparseClass()); }

PyMethodDef sparse_spec_methods[] = {
    GK_METHOD("__init__", "shape=None, dtype=tf.float32", InitSparseSpec, ""),
    GK_CLASS_METHOD("from_value", "value", SparseSpecOf,
                    "The spec of a sparse tensor."),
    GK_METHOD("_with_shape", "shape", SparseSpecWithShape, ""),
    GK_METHOD("_serialize", "", SerializeSparse, ""),
    GK_METHOD("_to_components", "value", PartsOfSparse, ""),
    GK_METHOD("_from_components", "components", SparseOfParts, ""),
    {}};
PyGetSetDef sparse_spec_properties[] = {
    GK_PROPERTY("value_type", ItsSparseClass, "tf.SparseTensor."),
    GK_PROPERTY("_component_specs", SparseParts, nullptr),
    {}};

// --- tf.SparseTensor.

// An int64 tensor; ValueError for one of another dtype.
Object Integers(Handle given, const char* name) {
  if (IsTensor(given.ptr())) {
    const Tensor t = TensorOf(given.ptr());
    if (t.dtype() == DataType::kInt64) return nb::borrow(given);
    Throw(ValueError(
        "{}: Tensor conversion requested dtype int64 for Tensor with dtype "
        "{}: {}",
        name, DataTypeName(t.dtype()), ReprOf(given)));
  }
  Object value = nb::borrow(given);
  if (nb::hasattr(value, "astype")) {
    value = value.attr("astype")(nb::borrow(NumpyType(DataType::kInt64)));
  }
  return Wrapped(ConvertedTo(value, DataType::kInt64));
}

Object InitSparse(Handle self, Handle indices, Handle values,
                  Handle dense_shape) {
  Object places, shape, elements;
  {
    const CallScope scope(nb::none(), "SparseTensor");
    places = Integers(indices, "indices");
    elements = IsTensor(values.ptr()) ? nb::borrow(values)
                                      : Wrapped(Converted(values));
    if (!IsTensor(dense_shape.ptr()) &&
        Py_TYPE(dense_shape.ptr())->tp_iter == nullptr) {
      Throw(TypeError("'{}' object is not iterable",
                      Py_TYPE(dense_shape.ptr())->tp_name));
    }
    shape = Integers(dense_shape, "dense_shape");
  }
  const SparseValue made =
      SparseValue::Make(AsTensor(places), AsTensor(elements), AsTensor(shape));
  SetParts(self, {{"_indices", places},
                  {"_values", elements},
                  {"_dense_shape", shape},
                  {"_static_shape", IsTensorShape(dense_shape.ptr())
                                        ? nb::borrow(dense_shape)
                                        : Wrapped(made.shape)}});
  return nb::none();
}
Object SparseOf(Handle cls, Handle value) {
  nb::list parts;
  for (const char* name : {"indices", "values", "dense_shape"}) {
    if (!nb::hasattr(value, name)) {
      Throw(
          TypeError("Argument sparse_tensor_value={} is neither a "
                    "SparseTensor nor SparseTensorValue.",
                    TextOf(value)));
    }
    parts.append(value.attr(name));
  }
  return cls(*parts);
}
Object SetSparseShape(Handle self, Handle shape) {
  self.attr("_static_shape") =
      self.attr("_static_shape").attr("merge_with")(ShapeObject(shape));
  return nb::none();
}
Object SparseShape(Handle self) { return self.attr("_static_shape"); }
Object SparseType(Handle self) { return self.attr("_values").attr("dtype"); }
Object OpOfValues(Handle self) { return self.attr("_values").attr("op"); }
Object GraphOfIndices(Handle self) {
  return self.attr("_indices").attr("graph");
}
Object SpecOfSparse(Handle self) {
  return Handle(TheCompositeClasses().sparse_spec)(self.attr("_static_shape"),
                                                   SparseType(self));
}
Object WithValues(Handle self, Handle values) {
  return SparseClass()(self.attr("_indices"), values,
                       self.attr("_dense_shape"));
}
Object SparseConsumers(Handle self) {
  if (IsEager(self.attr("_values"))) return nb::list();
  nb::set all;
  for (const char* part : {"_indices", "_values", "_dense_shape"}) {
    const Object ops = self.attr(part).attr("consumers")();
    for (Handle op : ops) all.add(op);
  }
  return nb::list(all);
}
Object SparseEval(Handle self, Handle feed_dict, Handle session) {
  const nb::tuple args = nb::make_tuple(feed_dict, session);
  return Owned(EvaluateInSession(self.ptr(), args.ptr(), nullptr));
}
Object SparseText(Handle self) {
  return nb::cast(Format("SparseTensor(indices={}, values={}, dense_shape={})",
                         TextOf(self.attr("_indices")),
                         TextOf(self.attr("_values")),
                         TextOf(self.attr("_dense_shape"))));
}
template <Operator kWhich>
Object Scaled(Handle self, Handle other) {
  const SparseValue value = AsSparse(self);
  const Tensor by =
      AsComponent(other, DataType::kInvalid, value.values.dtype());
  return WithValues(self, Wrapped(value.Scaled(kWhich, by)));
}

PyMethodDef sparse_methods[] = {
    GK_METHOD("__init__", "indices, values, dense_shape", InitSparse, ""),
    GK_CLASS_METHOD("from_value", "sparse_tensor_value", SparseOf,
                    "A sparse tensor of something with the same three "
                    "attributes."),
    GK_METHOD("get_shape", "", SparseShape, "The static shape."),
    GK_METHOD("set_shape", "shape", SetSparseShape,
              "Adds what is known of the static shape."),
    GK_METHOD("with_values", "new_values", WithValues,
              "The same places with other values.\n\n"
              ">>> st = tf.SparseTensor([[0, 1]], [5.0], [2, 3])\n"
              ">>> st.with_values([7]).values.numpy().tolist()\n"
              "[7]\n"),
    GK_METHOD("consumers", "", SparseConsumers,
              "The operations that use the parts."),
    GK_METHOD("eval", "feed_dict=None, session=None", SparseEval,
              "The value of one of a graph, by the session given or the "
              "default one."),
    GK_METHOD("__str__", "", SparseText, ""),
    GK_METHOD("__repr__", "", SparseText, ""),
    GK_METHOD("__mul__", "other", Scaled<Operator::kMultiply>, ""),
    GK_METHOD("__truediv__", "other", Scaled<Operator::kDivide>, ""),
    {}};
PyGetSetDef sparse_properties[] = {
    GK_PROPERTY("indices", Part<"_indices">,
                "Where the elements are: int64 of shape [n, rank]."),
    GK_PROPERTY("values", Part<"_values">, "The elements, of shape [n]."),
    GK_PROPERTY("dense_shape", Part<"_dense_shape">,
                "The shape as a tensor: int64 of shape [rank]."),
    GK_PROPERTY("shape", SparseShape, "The static shape."),
    GK_PROPERTY("dtype", SparseType, "The type of the elements."),
    GK_PROPERTY("op", OpOfValues, "The operation that made the values."),
    GK_PROPERTY("graph", GraphOfIndices, "The graph of the parts."),
    GK_PROPERTY("_type_spec", SpecOfSparse, nullptr),
    {}};

// --- Functions of sparse tensors.

// Of a function that is one op; empty: the op's own.
std::string NodeNameOf(Handle name) {
  return name.is_none() ? std::string() : nb::cast<std::string>(name);
}

Object FromDense(Handle, Handle tensor, Handle name) {
  const CallScope scope(name, "dense_to_sparse");
  return Wrapped(SparseValue::FromDense(AsComponent(tensor)));
}
Object MadeDense(Handle, Handle sparse, Handle fill, bool ordered,
                 Handle name) {
  const std::string node = NodeNameOf(name);
  const SparseValue value = AsSparse(sparse);
  Tensor filler;
  if (!fill.is_none()) filler = AsComponent(fill, value.values.dtype());
  return Wrapped(value.ToDense(filler, ordered, OpName(node)));
}
Object Reorder(Handle, Handle sparse, Handle name) {
  const std::string node = NodeNameOf(name);
  return Wrapped(AsSparse(sparse).Reordered(OpName(node)));
}

PyMethodDef kSparseFunctions[] = {
    GK_MODULE_FUNCTION(
        "sparse_from_dense", "tensor, name=None", FromDense,
        "The elements of `tensor` that are not zero, false or empty.\n\n"
        ">>> tf.sparse.from_dense([[0, 7], [0, 0]]).indices.numpy().tolist()\n"
        "[[0, 1]]\n"),
    GK_MODULE_FUNCTION(
        "sparse_to_dense",
        "sp_input, default_value=None, validate_indices=True, name=None",
        MadeDense,
        "A tensor with `default_value` where `sp_input` has nothing.\n\n"
        "Args:\n"
        "  default_value: a scalar; zero, false or \"\" unless given.\n"
        "  validate_indices: whether indices out of order or repeated are "
        "refused.\n\n"
        "Raises InvalidArgumentError for indices out of the shape, or "
        "refused.\n\n"
        ">>> st = tf.SparseTensor([[0], [2]], [1, 2], [4])\n"
        ">>> tf.sparse.to_dense(st, default_value=-1).numpy().tolist()\n"
        "[1, -1, 2, -1]\n"),
    GK_MODULE_FUNCTION(
        "sparse_reorder", "sp_input, name=None", Reorder,
        "The same with the indices in row-major order.\n\n"
        ">>> st = tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])\n"
        ">>> tf.sparse.reorder(st).indices.numpy().tolist()\n"
        "[[0, 1], [1, 0]]\n"),
    {}};

}  // namespace

void AddSparseTypes(nb::module_& m) {
  CompositeClasses& classes = TheCompositeClasses();
  classes.sparse_spec =
      AddClass(m, "SparseTensorSpec", classes.shaped_spec, std::nullopt,
               "What is known of a tf.SparseTensor.\n\n"
               ">>> tf.SparseTensorSpec([None, 3], tf.int32)\n"
               "SparseTensorSpec(TensorShape([None, 3]), tf.int32)\n",
               sparse_spec_methods, sparse_spec_properties)
          .ptr();
  classes.sparse =
      AddClass(
          m, "SparseTensor", classes.composite,
          Slots{"_dense_shape", "_indices", "_static_shape", "_values",
                "__dict__"},
          "A tensor of which only some elements are kept; the others are "
          "zero.\n\n"
          "Args:\n"
          "  indices: int64 of shape [n, rank], where the elements are.\n"
          "  values: of shape [n], the elements.\n"
          "  dense_shape: int64 of shape [rank].\n\n"
          "Raises ValueError if the shapes do not fit.\n\n"
          ">>> st = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])\n"
          ">>> tf.sparse.to_dense(st).numpy().tolist()\n"
          "[[0.0, 5.0, 0.0], [0.0, 0.0, 6.0]]\n",
          sparse_methods, sparse_properties)
          .ptr();
  SparseClass().attr("_counts_as_tensor") = nb::bool_(true);
  AddLate("SparseTensorValue", [] {
    return nb::module_::import_("collections")
        .attr("namedtuple")("SparseTensorValue",
                            nb::make_tuple("indices", "values", "dense_shape"),
                            nb::arg("module") = "graphkiln._graphkiln")
        .release()
        .ptr();
  });
  AddFunctions(m, kSparseFunctions);
}

}  // namespace gk::py
