#include "python/src/control_flow/tensor_array.h"

#include <structmember.h>  // after Python.h

#include <memory>
#include <optional>
#include <utility>

#include "function/func_graph.h"
#include "function/tensor_array.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/NoOp.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/operation_type.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

Tensor OfType(nb::handle value, DataType dtype, DataType hint,
              std::string_view name) {
  StatusOr<Tensor> t = ToTensor(
      value.ptr(), dtype, hint, name,
      hint != DataType::kInvalid ? Narrowing::kRefuse : Narrowing::kCut);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

// A tensor as it is now; what else converts where it is needed, by preference
// to int32.
ArrayOperand Index(nb::handle index) {
  if (PyLong_CheckExact(index.ptr())) {
    int overflow = 0;
    const int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || number != static_cast<int32_t>(number)) {
      Throw(OutOfRange("{} is no index or size that a TensorArray can have",
                       TextOf(index)));
    }
    return ArrayOperand(
        [number](std::string_view name) { return Int32Of(number, name); });
  }
  if (IsTensorLike(index.ptr())) {
    return Converted(index, kConst);
  }
  return ArrayOperand([index](std::string_view name) {
    return OfType(index, DataType::kInvalid, DataType::kInt32, name);
  });
}

// How many elements there are: as an index, eagerly none if negative.
ArrayOperand SizeOperand(nb::handle size) {
  if (IsTensorLike(size.ptr())) return Index(size);
  if (OpBuilder::Current()->builds_graph()) {
    if (PyLong_CheckExact(size.ptr())) return Index(size);
    return ArrayOperand([size](std::string_view name) {
      return OfType(size, DataType::kInt32, DataType::kInvalid, name);
    });
  }
  const nb::object number = Owned(PyNumber_Index(size.ptr()));
  return Index(number < nb::int_(0) ? nb::int_(0) : number);
}

// --- The class.

struct PyTensorArray {
  PyObject_HEAD;
  TensorArrayImpl::Ptr impl;
  // Eagerly: the write that made it, until it is used.
  std::optional<std::string> unused;
  PyObject* weakrefs;
};
PyTypeObject* array_type = nullptr;

PyTensorArray* Self(PyObject* o) { return reinterpret_cast<PyTensorArray*>(o); }

PyObject* Allocate(PyTypeObject* type, TensorArrayImpl::Ptr impl) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  new (&Self(o)->impl) TensorArrayImpl::Ptr(std::move(impl));
  new (&Self(o)->unused) std::optional<std::string>();
  return o;
}
// Where the innermost frame outside of the package is: "net.py:12".
std::string PlaceNow() {
  const CallSite site = CallSiteNow();
  return site.file.empty() ? "" : Format("{}:{}", site.file, site.line);
}
// The array that `method` returns, called on one with this `place`.
PyObject* Written(TensorArrayImpl::Ptr impl, const char* method,
                  const std::string& place) {
  const bool is_list = impl->is_list();
  PyObject* o = Allocate(array_type, std::move(impl));
  if (o == nullptr || is_list) return o;
  Self(o)->unused = place.empty() ? method : Format("{} at {}", method, place);
  return o;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  if (Self(o)->unused) Self(o)->impl->NoteDropped(*Self(o)->unused);
  std::destroy_at(&Self(o)->impl);
  std::destroy_at(&Self(o)->unused);
  type->tp_free(o);
  Py_DECREF(type);
}

// The elements, which are now used.
const TensorArrayImpl::Ptr& Used(PyObject* o) {
  Self(o)->unused.reset();
  Self(o)->impl->Use();
  return Self(o)->impl;
}
// The same as what is built now can use them.
TensorArrayImpl::Ptr Now(PyObject* o) { return TensorArrayImpl::Here(Used(o)); }

DataType TypeArgument(PyObject* dtype) {
  const DataType type = dtype == nullptr ? DataType::kFloat : AsDType(dtype);
  if (type == DataType::kInvalid) throw nb::python_error();
  return type;
}
std::string NameArgument(PyObject* name) {
  if (name == Py_None) return "";
  if (!PyUnicode_Check(name)) Throw(TypeError("`name` must be a string"));
  return std::string(StringView(name));
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *dtype, *size = Py_None, *dynamic_size = Py_None, *clear = Py_None,
                   *handle = Py_None, *flow = Py_None, *infer_shape = Py_True,
                   *element_shape = Py_None, *name = Py_None, *ignored;
  if (!ParseArguments(
          args, kwargs, "O|OOOOOOOOOO:TensorArray",
          {"dtype", "size", "dynamic_size", "clear_after_read",
           "tensor_array_name", "handle", "flow", "infer_shape",
           "element_shape", "colocate_with_first_write_call", "name"},
          &dtype, &size, &dynamic_size, &clear, &ignored, &handle, &flow,
          &infer_shape, &element_shape, &ignored, &name)) {
    return nullptr;
  }
  const TensorArrayFacts facts = {TypeArgument(dtype), Truth(dynamic_size),
                                  clear == Py_None || Truth(clear),
                                  Truth(infer_shape), /*shows_writes=*/true};
  if (handle != Py_None) {
    return Raise(
        ValueError("TensorArray handles are not supported; give `flow`, the "
                   "handle of a tensor list"));
  }
  const PartialTensorShape shape = Shape(element_shape);
  if (flow != Py_None) {
    if (!IsTensor(flow) || TensorOf(flow).dtype() != DataType::kVariant) {
      return Raise(
          TypeError("`flow` must be a variant tensor, the handle of a "
                    "tensor list, got {}",
                    TextOf(flow)));
    }
    return Allocate(type,
                    TensorArrayImpl::OfFlow(facts, TensorOf(flow), shape));
  }
  if (size == Py_None) {
    return Raise(ValueError(
        "{}", FuncGraph::Current()
                  ? "Argument `size` must be provided if argument `flow` "
                    "is not provided."
                  : "Size must be declared for TensorArrays when eager "
                    "execution is enabled."));
  }
  return Allocate(type, TensorArrayImpl::Make(facts, SizeOperand(size), shape,
                                              NameArgument(name)));
}
// Subclasses may take other arguments in __init__.
int Init(PyObject*, PyObject*, PyObject*) { return 0; }

// What becomes an element: of the elements' dtype, or of its own, which is
// then refused.
ArrayOperand Value(PyObject* o, PyObject* value) {
  if (IsTensor(value)) return TensorOf(value);
  return ArrayOperand([o, value](std::string_view name) {
    return ConvertedTo(value, Self(o)->impl->dtype(), name);
  });
}

// Methods of a name alone, of an argument, and of two.
template <Tensor (TensorArrayImpl::*kMethod)(std::string_view) const>
PyObject* Whole(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name = Py_None;
  if (!ParseArguments(args, kwargs, "|O", {"name"}, &name)) return nullptr;
  return WrapTensor((Now(o).get()->*kMethod)(NameArgument(name)));
}
template <Tensor (TensorArrayImpl::*kMethod)(const ArrayOperand&,
                                             std::string_view) const,
          auto& kIndex>
PyObject* Taken(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *index, *name = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {kIndex, "name"}, &index, &name)) {
    return nullptr;
  }
  return WrapTensor((Now(o).get()->*kMethod)(Index(index), NameArgument(name)));
}
template <TensorArrayImpl::Ptr (TensorArrayImpl::*kMethod)(
              const ArrayOperand&, const ArrayOperand&,
              const TensorArrayImpl::Call&) const,
          auto& kMethodName>
PyObject* Put(PyObject* o, PyObject* args, PyObject* kwargs) {
  const bool one = kMethod == &TensorArrayImpl::Write;
  PyObject *index, *value, *name = Py_None;
  if (!ParseArguments(args, kwargs, "OO|O",
                      {one ? "index" : "indices", "value", "name"}, &index,
                      &value, &name)) {
    return nullptr;
  }
  const std::string place = PlaceNow();
  return Written((Now(o).get()->*kMethod)(Index(index), Value(o, value),
                                          {NameArgument(name), place}),
                 kMethodName, place);
}
constexpr char kIndexName[] = "index", kIndicesName[] = "indices",
               kWrite[] = "write", kScatter[] = "scatter";

PyObject* Unstack(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *value, *name = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"value", "name"}, &value, &name)) {
    return nullptr;
  }
  const std::string place = PlaceNow();
  return Written(Now(o)->Unstack(Value(o, value), {NameArgument(name), place}),
                 "unstack", place);
}
PyObject* Split(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *value, *lengths, *name = Py_None;
  if (!ParseArguments(args, kwargs, "OO|O", {"value", "lengths", "name"},
                      &value, &lengths, &name)) {
    return nullptr;
  }
  const ArrayOperand sizes([lengths](std::string_view) {
    const Tensor t = Converted(lengths, "Cast/x");
    return t.dtype() == DataType::kInt64 ? t : ops::Cast(t, DataType::kInt64);
  });
  const std::string place = PlaceNow();
  return Written(
      Now(o)->Split(Value(o, value), sizes, {NameArgument(name), place}),
      "split", place);
}
PyObject* Identity(PyObject* o, PyObject*) {
  return Allocate(array_type, Now(o)->Identity());
}
PyObject* Close(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name = Py_None;
  if (!ParseArguments(args, kwargs, "|O", {"name"}, &name)) return nullptr;
  Used(o)->Close();
  FuncGraph* f = FuncGraph::Current();
  if (f == nullptr) Py_RETURN_NONE;
  ops::NoOp(OpName(NameArgument(name)));
  return WrapNode(f->graph().get(), f->graph()->nodes().back().get())
      .release()
      .ptr();
}
PyObject* Grad(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(
      PyExc_NotImplementedError,
      "TensorArray.grad is not supported when executing eagerly; eager's "
      "gradient implementation does not use/need this function to compute "
      "gradients of operations that use TensorArrays.");
  return nullptr;
}
PyObject* Length(PyObject* o, PyObject*) {
  return WrapTensor(Now(o)->Size({}));
}
// This array at another place of a branch or loop.
PyObject* WithComponents(PyObject* o, PyObject* components) {
  PyRef flow = PyRef::Steal(PySequence_GetItem(components, 0));
  return flow ? Allocate(array_type,
                         Self(o)->impl->WithFlow(AsTensor(flow.get()),
                                                 /*alone=*/false))
              : nullptr;
}

PyObject* DTypeOf(PyObject* o, void*) {
  return Py_XNewRef(DTypeObject(Self(o)->impl->dtype()));
}
PyObject* DynamicSize(PyObject* o, void*) {
  return PyBool_FromLong(Self(o)->impl->facts().dynamic_size);
}
PyObject* ElementShape(PyObject* o, void*) {
  return WrapShape(Self(o)->impl->element_shape());
}
PyObject* FlowOf(PyObject* o, void*) {
  const TensorArrayImpl::Ptr now = Now(o);
  return WrapTensor(now->is_list() ? now->Flow() : Int32Of(0, kConst));
}
PyObject* Handle(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* SpecOf(PyObject* o, void*);

PyMethodDef array_methods[] = {
    {"read", AsCFunction(Guarded<Taken<&TensorArrayImpl::Read, kIndexName>>),
     kByName,
     "read($self, index, name=None)\n--\n\n"
     "The element at `index`; zeros if it was not written and its shape\n"
     "is known.\n\n"
     "Raises:\n"
     "  tf.errors.OutOfRangeError: eagerly, there is no such element.\n"
     "  tf.errors.InvalidArgumentError: in a graph, there is no such\n"
     "    element; eagerly, it was read before and cleared.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=2).unstack([4, 5])\n"
     ">>> int(ta.read(1))\n"
     "5"},
    {"write", AsCFunction(Guarded<Put<&TensorArrayImpl::Write, kWrite>>),
     kByName,
     "write($self, index, value, name=None)\n--\n\n"
     "The array with `value` at `index`.\n\n"
     "Raises:\n"
     "  ValueError: `value` does not have the shape of the elements.\n"
     "  tf.errors.OutOfRangeError: eagerly, there is no such element.\n"
     "  tf.errors.InvalidArgumentError: `value` has another dtype; in a\n"
     "    graph, there is no such element.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)\n"
     ">>> ta.write(1, 5).stack().numpy().tolist()\n"
     "[0, 5]"},
    {"stack", AsCFunction(Guarded<Whole<&TensorArrayImpl::Stack>>), kByName,
     "stack($self, name=None)\n--\n\n"
     "All elements as one tensor, along a new first axis.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=3).scatter([2, 0], [4, 6])\n"
     ">>> ta.stack().numpy().tolist()\n"
     "[6, 0, 4]"},
    {"gather",
     AsCFunction(Guarded<Taken<&TensorArrayImpl::Gather, kIndicesName>>),
     kByName,
     "gather($self, indices, name=None)\n--\n\n"
     "The elements at `indices` as one tensor.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=3).unstack([1, 2, 3])\n"
     ">>> ta.gather([2, 0]).numpy().tolist()\n"
     "[3, 1]"},
    {"concat", AsCFunction(Guarded<Whole<&TensorArrayImpl::Concat>>), kByName,
     "concat($self, name=None)\n--\n\n"
     "All elements one after the other along their first axis.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)\n"
     ">>> ta.write(0, [1]).write(1, [2, 3]).concat().numpy().tolist()\n"
     "[1, 2, 3]"},
    {"unstack", AsCFunction(Guarded<Unstack>), kByName,
     "unstack($self, value, name=None)\n--\n\n"
     "An array of the rows of `value`.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]])\n"
     ">>> ta.read(1).numpy().tolist()\n"
     "[3, 4]"},
    {"scatter", AsCFunction(Guarded<Put<&TensorArrayImpl::Scatter, kScatter>>),
     kByName,
     "scatter($self, indices, value, name=None)\n--\n\n"
     "The array with the rows of `value` at `indices`.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=2).scatter([1, 0], [4, 5])\n"
     ">>> ta.stack().numpy().tolist()\n"
     "[5, 4]"},
    {"split", AsCFunction(Guarded<Split>), kByName,
     "split($self, value, lengths, name=None)\n--\n\n"
     "An array of consecutive parts of `value`, so long each.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=2, infer_shape=False)\n"
     ">>> ta.split([1, 2, 3], [1, 2]).read(1).numpy().tolist()\n"
     "[2, 3]"},
    {"size", AsCFunction(Guarded<Whole<&TensorArrayImpl::Size>>), kByName,
     "size($self, name=None)\n--\n\n"
     "How many elements there are, as an int32 scalar.\n\n"
     ">>> int(tf.TensorArray(tf.int32, size=2).size())\n"
     "2"},
    {"identity", Guarded<Identity>, METH_NOARGS,
     "identity($self)\n--\n\n"
     "The same elements behind an Identity node.\n\n"
     ">>> ta = tf.TensorArray(tf.int32, size=1).write(0, 7)\n"
     ">>> int(ta.identity().read(0))\n"
     "7"},
    {"close", AsCFunction(Guarded<Close>), kByName,
     "close($self, name=None)\n--\n\n"
     "Drops the elements if they are a Python list.\n\n"
     ">>> tf.TensorArray(tf.int32, size=2).close()"},
    {"grad", AsCFunction(Guarded<Grad>), kByName,
     "grad($self, source, flow=None, name=None)\n--\n\n"
     "Not there: gradients need no array of their own.\n\n"
     "Raises NotImplementedError."},
    {"_autograph_len", Guarded<Length>, METH_NOARGS, nullptr},
    {"_with_components", Guarded<WithComponents>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef array_properties[] = {
    {"dtype", Guarded<DTypeOf>, nullptr, "Of the elements.", nullptr},
    {"dynamic_size", Guarded<DynamicSize>, nullptr,
     "Does writing beyond the end make the array longer?", nullptr},
    {"element_shape", Guarded<ElementShape>, nullptr,
     "Of the elements, as far as known.", nullptr},
    {"flow", Guarded<FlowOf>, nullptr,
     "The handle of the tensor list; 0 where there is none.", nullptr},
    {"handle", Guarded<Handle>, nullptr, "None; kept for compatibility.",
     nullptr},
    {"_type_spec", Guarded<SpecOf>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensorArray, weakrefs),
     READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot array_slots[] = {
    {Py_tp_doc,
     Doc("TensorArray(dtype, size=None, dynamic_size=None, "
         "clear_after_read=None, tensor_array_name=None, handle=None, "
         "flow=None, infer_shape=True, element_shape=None, "
         "colocate_with_first_write_call=True, name=None)\n--\n\n"
         "Tensors of one dtype by index.\n\n"
         "`write`, `scatter`, `unstack` and `split` return the array that "
         "holds what\n"
         "was written; use that one from there on.\n\n"
         "Args:\n"
         "  dtype: of the elements.\n"
         "  size: how many elements there are; required.\n"
         "  dynamic_size: whether writing beyond the end makes the array "
         "longer.\n"
         "  clear_after_read: whether an element can be read only once; True "
         "unless\n"
         "    given. In graphs elements stay.\n"
         "  tensor_array_name: accepted for compatibility.\n"
         "  handle: accepted for compatibility; must be None.\n"
         "  flow: the handle of a tensor list to use.\n"
         "  infer_shape: whether all elements must have the same shape.\n"
         "  element_shape: the shape of the elements as far as known.\n"
         "  colocate_with_first_write_call: accepted for compatibility.\n"
         "  name: of the op.\n\n"
         "Raises:\n"
         "  ValueError: neither `size` nor `flow` is given.\n\n"
         ">>> ta = tf.TensorArray(tf.float32, size=2)\n"
         ">>> ta = ta.write(0, 1.0).write(1, 2.0)\n"
         ">>> ta.stack().numpy().tolist()\n"
         "[1.0, 2.0]")},
    {Py_tp_new, Slot<New>()},
    {Py_tp_init, Slot<Init>()},
    {Py_tp_dealloc, Slot<Dealloc>()},
    {Py_tp_methods, Slot<array_methods>()},
    {Py_tp_getset, Slot<array_properties>()},
    {Py_tp_members, Slot<array_members>()},
    {0, nullptr}};
PyType_Spec array_spec = {"graphkiln.TensorArray", sizeof(PyTensorArray), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          array_slots};

// --- TensorArraySpec.

// Holds what it is serialised to: (element_shape, dtype, dynamic_size,
// infer_shape).
struct PyArraySpec {
  PyObject_HEAD;
  PyObject* parts;
};
PyTypeObject* spec_type = nullptr;

PyArraySpec* SpecSelf(PyObject* o) { return reinterpret_cast<PyArraySpec*>(o); }

PyObject* NewSpecOf(PyTypeObject* type, const PartialTensorShape& shape,
                    const TensorArrayFacts& facts) {
  PyRef shown = PyRef::Steal(WrapShape(shape));
  PyObject* dtype = DTypeObject(facts.dtype);
  if (!shown || dtype == nullptr) return nullptr;
  PyRef parts = PyRef::Steal(Py_BuildValue(
      "(OOOO)", shown.get(), dtype, facts.dynamic_size ? Py_True : Py_False,
      facts.infer_shape ? Py_True : Py_False));
  PyObject* o = parts ? type->tp_alloc(type, 0) : nullptr;
  if (o != nullptr) SpecSelf(o)->parts = parts.Release();
  return o;
}
PyObject* NewSpec(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *shape = Py_None, *dtype = nullptr, *dynamic_size = Py_False,
           *infer_shape = Py_True;
  if (!ParseArguments(args, kwargs, "|OOOO:TensorArraySpec",
                      {"element_shape", "dtype", "dynamic_size", "infer_shape"},
                      &shape, &dtype, &dynamic_size, &infer_shape)) {
    return nullptr;
  }
  return NewSpecOf(type, Shape(shape),
                   {TypeArgument(dtype), Truth(dynamic_size), true,
                    Truth(infer_shape), true});
}
void DeallocSpec(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_CLEAR(SpecSelf(o)->parts);
  type->tp_free(o);
  Py_DECREF(type);
}
PyObject* SpecOf(PyObject* o, void*) {
  return NewSpecOf(spec_type, Self(o)->impl->element_shape(),
                   Self(o)->impl->facts());
}

// `value` as an array; null with an exception set.
PyObject* ArrayOrRaise(PyObject* value) {
  if (PyObject_TypeCheck(value, array_type)) return value;
  return PyErr_Format(PyExc_TypeError,
                      "Expected value to be a TensorArray, but got: `%R`",
                      Py_TYPE(value));
}
PyObject* FromValue(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* value;
  if (!ParseArguments(args, kwargs, "O", {"value"}, &value) ||
      ArrayOrRaise(value) == nullptr) {
    return nullptr;
  }
  return SpecOf(value, nullptr);
}
PyObject* Serialize(PyObject* o, PyObject*) {
  return Py_NewRef(SpecSelf(o)->parts);
}
PyObject* ToComponents(PyObject*, PyObject* value) {
  if (ArrayOrRaise(value) == nullptr) return nullptr;
  return WrapTensors(TensorVector{Used(value)->Flow()});
}
PyObject* FromComponents(PyObject* o, PyObject* components) {
  PyRef flow = PyRef::Steal(PySequence_GetItem(components, 0));
  if (!flow) return nullptr;
  PyObject* const parts = SpecSelf(o)->parts;
  const TensorArrayFacts facts = {TypeArgument(PyTuple_GET_ITEM(parts, 1)),
                                  PyTuple_GET_ITEM(parts, 2) == Py_True, true,
                                  PyTuple_GET_ITEM(parts, 3) == Py_True, true};
  return Allocate(array_type,
                  TensorArrayImpl::OfFlow(facts, AsTensor(flow.get()),
                                          Shape(PyTuple_GET_ITEM(parts, 0))));
}
PyObject* ComponentSpecs(PyObject*, void*) {
  PyRef flow = PyRef::Steal(
      WrapTensorSpec(PartialTensorShape(TensorShape()), DataType::kVariant));
  return flow ? Py_BuildValue("[O]", flow.get()) : nullptr;
}
PyObject* ValueType(PyObject*, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(array_type));
}
template <int kPart>
PyObject* Part(PyObject* o, void*) {
  return Py_NewRef(PyTuple_GET_ITEM(SpecSelf(o)->parts, kPart));
}

PyMethodDef spec_methods[] = {
    {"from_value", AsCFunction(Guarded<FromValue>), kByName | METH_CLASS,
     "from_value($cls, value)\n--\n\nThe spec of an array."},
    {"_serialize", Guarded<Serialize>, METH_NOARGS, nullptr},
    {"_to_components", Guarded<ToComponents>, METH_O, nullptr},
    {"_from_components", Guarded<FromComponents>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef spec_properties[] = {
    {"value_type", Guarded<ValueType>, nullptr, "tf.TensorArray.", nullptr},
    {"_component_specs", Guarded<ComponentSpecs>, nullptr, nullptr, nullptr},
    {"_element_shape", Guarded<Part<0>>, nullptr, nullptr, nullptr},
    {"_dtype", Guarded<Part<1>>, nullptr, nullptr, nullptr},
    {"_dynamic_size", Guarded<Part<2>>, nullptr, nullptr, nullptr},
    {"_infer_shape", Guarded<Part<3>>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot spec_slots[] = {
    {Py_tp_doc,
     Doc("TensorArraySpec(element_shape=None, dtype='float32', "
         "dynamic_size=False, infer_shape=True)\n--\n\n"
         "What is known of a tf.TensorArray.\n\n"
         "Args:\n"
         "  element_shape: of the elements, as far as known.\n"
         "  dtype: of the elements.\n"
         "  dynamic_size: whether it grows.\n"
         "  infer_shape: whether all elements must have the same shape.\n\n"
         ">>> spec = tf.TensorArraySpec([], tf.float32)\n"
         ">>> f = tf.function(lambda ta: ta.stack(), input_signature=[spec])\n"
         ">>> f(tf.TensorArray(tf.float32, 2, element_shape=[]).unstack("
         "[1.0, 2.0])\n"
         "...     ).numpy().tolist()\n"
         "[1.0, 2.0]")},
    {Py_tp_new, Slot<NewSpec>()},
    {Py_tp_init, Slot<Init>()},
    {Py_tp_dealloc, Slot<DeallocSpec>()},
    {Py_tp_methods, Slot<spec_methods>()},
    {Py_tp_getset, Slot<spec_properties>()},
    {0, nullptr}};
PyType_Spec spec_spec = {"graphkiln.TensorArraySpec", sizeof(PyArraySpec), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, spec_slots};

}  // namespace

DataType ElementTypeOf(nb::handle value) {
  return PyObject_TypeCheck(value.ptr(), array_type)
             ? Self(value.ptr())->impl->dtype()
             : DataType::kInvalid;
}

void AddTensorArray(nb::module_& m) {
  array_type = AddType(m.ptr(), &array_spec, nullptr);
  spec_type = array_type ? AddType(m.ptr(), &spec_spec, TypeSpecType) : nullptr;
  if (spec_type == nullptr) throw nb::python_error();
}

}  // namespace gk::py
