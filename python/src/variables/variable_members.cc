// What tf.Variable has besides its value: reads and updates of parts of it,
// and what TensorFlow's objects tell of themselves.
#include <algorithm>
#include <string>
#include <vector>

#include "function/func_graph.h"
#include "ops/batch_rows.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/operation_type.h"
#include "python/src/graph/session_object.h"
#include "python/src/ops/call_op.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/reference_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/slicing.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {

PyObject* UpdateOf(PyObject* o) {
  const PyVariable* self = VariableOf(o);
  FuncGraph* const graph =
      self->after == nullptr ? nullptr : FuncGraph::Current();
  return graph == nullptr ? nullptr
                          : WrapNode(graph->graph().get(), self->after)
                                .release()
                                .ptr();
}

namespace {

PyRef HandleOf(PyObject* o) {
  return PyRef::Steal(PyObject_GetAttrString(o, "handle"));
}

// Makes an update of the variable `o`, which then reads what was written.
PyObject* UpdateBy(std::string_view op, std::string_view handle_name,
                   PyObject* o, PyObject* indices, PyObject* values,
                   PyObject* name) {
  PyRef handle = HandleOf(o);
  if (!handle) return nullptr;
  const StatusOr<Tensor> t = ToTensor(values, VariableOf(o)->dtype);
  if (!t.ok()) return Raise(t.status());
  PyRef updates = PyRef::Steal(WrapTensor(*t));
  if (!updates) return nullptr;
  const WaitsFor waits(VariableOf(o));
  PyRef done = PyRef::Steal(CallOp(op,
                                   {{handle_name, handle.get()},
                                    {"indices", indices},
                                    {"updates", updates.get()}},
                                   name));
  return done ? UpdatedVariable(o) : nullptr;
}

PyObject* NotIndexedSlices(PyObject* delta) {
  PyErr_Format(PyExc_TypeError,
               "Argument `sparse_delta` must be a `tf.IndexedSlices`. "
               "Received arg: %S",
               delta);
  return nullptr;
}

// The arguments of an update by IndexedSlices.
struct SparseUpdate {
  bool Read(PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"sparse_delta", "use_locking", "name",
                                  nullptr};
    PyObject* locking = nullptr;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO",
                                       const_cast<char**>(names), &delta,
                                       &locking, &name) != 0;
  }
  bool ReadParts() {
    indices = PyRef::Steal(PyObject_GetAttrString(delta, "indices"));
    values = PyRef::Steal(indices ? PyObject_GetAttrString(delta, "values")
                                  : nullptr);
    return static_cast<bool>(values);
  }
  PyObject *delta = nullptr, *name = Py_None;
  PyRef indices, values;
};

constexpr std::string_view kScatters[] = {
    "ResourceScatterAdd",   "ResourceScatterSub", "ResourceScatterMul",
    "ResourceScatterDiv",   "ResourceScatterMax", "ResourceScatterMin",
    "ResourceScatterUpdate"};

template <size_t kOp>
PyObject* Scatter(PyObject* o, PyObject* args, PyObject* kwargs) {
  SparseUpdate update;
  if (!update.Read(args, kwargs)) return nullptr;
  const int is =
      PyObject_IsInstance(update.delta, TheCompositeClasses().slices);
  if (is < 0) return nullptr;
  if (is == 0) return NotIndexedSlices(update.delta);
  if (!update.ReadParts()) return nullptr;
  return UpdateBy(kScatters[kOp], "resource", o, update.indices.get(),
                  update.values.get(), update.name);
}

constexpr std::string_view kElementScatters[] = {
    "ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdMax",
    "ResourceScatterNdMin", "ResourceScatterNdUpdate"};
constexpr size_t kElementUpdate = 4;

template <size_t kOp>
PyObject* ScatterNd(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"indices", "updates", "name", nullptr};
  PyObject *indices, *updates, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O",
                                   const_cast<char**>(names), &indices,
                                   &updates, &name)) {
    return nullptr;
  }
  return UpdateBy(kElementScatters[kOp], "ref", o, indices, updates, name);
}

PyObject* BatchScatterUpdate(PyObject* o, PyObject* args, PyObject* kwargs) {
  SparseUpdate update;
  if (!update.Read(args, kwargs)) return nullptr;
  if (!update.ReadParts()) {
    PyErr_Clear();
    return NotIndexedSlices(update.delta);
  }
  const StatusOr<Tensor> indices = ToTensor(update.indices.get());
  if (!indices.ok()) return Raise(indices.status());
  PyRef rows = PyRef::Steal(WrapTensor(BatchRows(*indices)));
  if (!rows) return nullptr;
  return UpdateBy(kElementScatters[kElementUpdate], "ref", o, rows.get(),
                  update.values.get(), update.name);
}

// The op that reads at `indices`.
PyObject* ReadAt(std::string_view op, PyObject* o, PyObject* args,
                 PyObject* kwargs) {
  static const char* names[] = {"indices", "name", nullptr};
  PyObject *indices, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|O", const_cast<char**>(names), &indices, &name)) {
    return nullptr;
  }
  PyRef handle = HandleOf(o);
  return handle ? CallOp(op,
                         {{"resource", handle.get()},
                          {"indices", indices},
                          {"dtype", DTypeObject(VariableOf(o)->dtype)}},
                         name)
                : nullptr;
}
PyObject* SparseRead(PyObject* o, PyObject* args, PyObject* kwargs) {
  return ReadAt("ResourceGather", o, args, kwargs);
}
PyObject* GatherNd(PyObject* o, PyObject* args, PyObject* kwargs) {
  return ReadAt("ResourceGatherNd", o, args, kwargs);
}

constexpr char kLimit[] = "limit", kNewShape[] = "shape";

PyObject* CountUpTo(PyObject* o, PyObject* limit) {
  PyRef handle = HandleOf(o);
  return handle ? CallOp("ResourceCountUpTo",
                         {{"resource", handle.get()},
                          {"limit", limit},
                          {"T", DTypeObject(VariableOf(o)->dtype)}})
                : nullptr;
}

PyObject* IsInitialized(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"name", nullptr};
  PyObject* name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O",
                                   const_cast<char**>(names), &name)) {
    return nullptr;
  }
  PyRef handle = HandleOf(o);
  return handle ? CallOp("VarIsInitializedOp", {{"resource", handle.get()}})
                : nullptr;
}

// variable[key].assign: `self` is (variable, key).
PyObject* AssignSlice(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"update", "name", nullptr};
  PyObject *update, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O",
                                   const_cast<char**>(names), &update, &name)) {
    return nullptr;
  }
  PyObject* variable = PyTuple_GET_ITEM(self, 0);
  StatusOr<SliceOperands> slice = ParseSlice(PyTuple_GET_ITEM(self, 1));
  if (!slice.ok()) return Raise(slice.status());
  const StatusOr<Tensor> value = ToTensor(update, VariableOf(variable)->dtype);
  if (!value.ok()) return Raise(value.status());
  constexpr std::string_view kOp = "ResourceStridedSliceAssign";
  static const OpInfo* info = OpInfo::Find(kOp);
  std::string_view node_name;
  if (!NodeName(kOp, name, &node_name)) return nullptr;
  const Tensor inputs[] = {VariableOf(variable)->handle, slice->begin,
                           slice->end, slice->strides, *value};
  const WaitsFor waits(VariableOf(variable));
  PyRef done =
      PyRef::Steal(info->Run(inputs, std::move(slice->masks), node_name));
  return done ? UpdatedVariable(variable) : nullptr;
}
PyMethodDef assign_slice = {"assign", AsCFunction(Guarded<AssignSlice>),
                            METH_VARARGS | METH_KEYWORDS,
                            "assign($self, update, name=None)\n--\n\n"
                            "Sets this part of the variable."};

// Attributes that the creator left, and those of the handle.
PyObject* Stored(PyObject* o, void* name) {
  return PyObject_GetAttrString(o, static_cast<const char*>(name));
}
// Of a variable that was made of a handle: the usual one.
template <PyObject* (*kUsual)()>
PyObject* Mode(PyObject* o, void* name) {
  PyObject* stored = Stored(o, name);
  if (stored != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return stored;
  }
  PyErr_Clear();
  return Py_NewRef(kUsual());
}
PyObject* OfHandle(PyObject* o, void* name) {
  PyRef handle = HandleOf(o);
  return handle ? Stored(handle.get(), name) : nullptr;
}
PyObject* OperationProperty(PyObject* o, void* name) {
  const PyVariable* self = VariableOf(o);
  PyObject* update =
      self->update != nullptr ? Py_NewRef(self->update) : UpdateOf(o);
  return update != nullptr ? update : OfHandle(o, name);
}
PyObject* SharedName(PyObject* o, void*) {
  const PyVariable* self = VariableOf(o);
  PyRef name = PyRef::Steal(
      PyObject_GetAttrString(self->origin ? self->origin : o, "name"));
  if (!name) return nullptr;
  return PyUnicode_Substring(name.get(), 0,
                             PyUnicode_GET_LENGTH(name.get()) - 2);
}
// That of the variable which an argument of a trace stands for: Keras'
// optimizers know by it whose slots are whose.
PyObject* UniqueId(PyObject* o, void*) {
  const Tensor& handle = VariableOf(o)->handle;
  PyObject* const meant = handle && handle.is_symbolic() ? FindVariable(handle)
                                                         : nullptr;
  if (meant != nullptr && meant != o) return UniqueId(meant, nullptr);
  PyRef name = PyRef::Steal(SharedName(o, nullptr));
  static char id_name[] = "_id";
  PyRef id = PyRef::Steal(name ? OfHandle(o, id_name) : nullptr);
  return id ? PyUnicode_FromFormat("%U_%S", name.get(), id.get()) : nullptr;
}

PyObject* EagerOnly(const char* what) {
  PyErr_Format(PyExc_RuntimeError,
               "This %s is not supported when eager execution is enabled.",
               what);
  return nullptr;
}
PyObject* InitialValue(PyObject* o, void*) {
  static char name[] = "_graph_initial_value";
  PyRef value = PyRef::Steal(Stored(o, name));
  if (!value) return nullptr;
  return value.get() == Py_None ? EagerOnly("property") : value.Release();
}
PyObject* Eval(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (!OpBuilder::Current()->builds_graph()) return EagerOnly("operation");
  static const char* names[] = {"session", nullptr};
  PyObject* session = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O",
                                   const_cast<char**>(names), &session)) {
    return nullptr;
  }
  const PyRef feeds = PyRef::Steal(Py_BuildValue("(OO)", Py_None, session));
  return feeds ? EvaluateInSession(o, feeds.get(), nullptr) : nullptr;
}
PyObject* Reference(PyObject* o, PyObject*) { return NewReference(o); }
PyObject* GetShape(PyObject* o, PyObject*) {
  return PyObject_GetAttrString(o, "shape");
}
PyObject* SetShape(PyObject* o, PyObject* shape) {
  const StatusOr<PartialTensorShape> given = AsShape(shape);
  if (!given.ok()) return Raise(given.status());
  const PartialTensorShape& own = VariableOf(o)->shape;
  if (own.IsCompatibleWith(*given)) Py_RETURN_NONE;
  return Raise(ValueError("Shapes {} and {} are not compatible",
                          own.PythonString(), given->PythonString()));
}

PyObject* Load(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "session", nullptr};
  PyObject *value, *session = Py_None;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|O", const_cast<char**>(names), &value, &session)) {
    return nullptr;
  }
  if (OpBuilder::Current()->builds_graph()) {
    return package::load_in_session.Call({o, value, session});
  }
  PyRef done = PyRef::Steal(PyObject_CallMethod(o, "assign", "O", value));
  if (!done) return nullptr;
  Py_RETURN_NONE;
}
PyObject* ByMethod(PyObject* o, const char* method) {
  return PyObject_CallMethod(o, method, nullptr);
}
PyObject* InitializedValue(PyObject* o, PyObject*) {
  return ByMethod(o, "read_value");
}
PyObject* ReadValueNoCopy(PyObject* o, PyObject*) {
  return ByMethod(o, "value");
}

struct InPlace {
  const char *shown, *instead, *made;
};
constexpr InPlace kInPlace[] = {
    {"variable += value", "variable.assign_add(value)", "variable + value"},
    {"variable -= value", "variable.assign_sub(value)", "variable - value"},
    {"var *= value", "var.assign(var * value)", "var * value"},
    {"var /= value", "var.assign(var / value)", "var / value"},
    {"var **= value", "var.assign(var ** value)", "var ** value"}};

PyObject* RefuseInPlace(const InPlace& op) {
  PyErr_Format(PyExc_RuntimeError,
               "`%s` with `tf.Variable`s is not supported. Use `%s` to modify "
               "the variable, or `out = %s` if you need to get a new output "
               "Tensor.",
               op.shown, op.instead, op.made);
  return nullptr;
}
template <size_t kOp>
PyObject* InPlaceOperator(PyObject*, PyObject*) {
  return RefuseInPlace(kInPlace[kOp]);
}
PyObject* InPlacePower(PyObject*, PyObject*, PyObject*) {
  return RefuseInPlace(kInPlace[4]);
}

// tf.compat.v1.assign and its like: the method of a variable.
constexpr char kAssign[] = "assign", kAssignAdd[] = "assign_add",
               kAssignSub[] = "assign_sub";

template <const char* kMethod>
PyObject* ChangeVariable(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *ref, *value, *validate = nullptr, *locking = nullptr;
  PyObject* name = Py_None;
  const bool ok = kMethod == kAssign
                      ? ParseArguments(args, kwargs, "OO|OOO",
                                       {"ref", "value", "validate_shape",
                                        "use_locking", "name"},
                                       &ref, &value, &validate, &locking, &name)
                      : ParseArguments(args, kwargs, "OO|OO",
                                       {"ref", "value", "use_locking", "name"},
                                       &ref, &value, &locking, &name);
  if (!ok) return nullptr;
  if (!IsVariable(ref)) {
    PyErr_Format(PyExc_AttributeError,
                 "'%s' object has no attribute '%s': only variables can be "
                 "assigned to, got %R",
                 Py_TYPE(ref)->tp_name, kMethod, ref);
    return nullptr;
  }
  return PyObject_CallMethod(ref, kMethod, "OOO", value, Py_False, name);
}

void* NameText(const char* name) { return const_cast<char*>(name); }
#define METHOD(f) AsCFunction(Guarded<f>), METH_VARARGS | METH_KEYWORDS
#define ARGUMENT(name, f) GK_OF_ARGUMENT(name, f)
#define SPARSE "($self, sparse_delta, use_locking=False, name=None)\n--\n\n"
#define ELEMENTS "($self, indices, updates, name=None)\n--\n\n"

}  // namespace

PyObject* SliceVariable(PyObject* variable, PyObject* key) {
  PyRef value = PyRef::Steal(ByMethod(variable, "value"));
  PyRef part =
      PyRef::Steal(value ? PyObject_GetItem(value.get(), key) : nullptr);
  PyRef self = PyRef::Steal(part ? PyTuple_Pack(2, variable, key) : nullptr);
  PyRef assign =
      PyRef::Steal(self ? PyCFunction_New(&assign_slice, self.get()) : nullptr);
  if (!assign ||
      PyObject_SetAttrString(part.get(), "assign", assign.get()) < 0) {
    return nullptr;
  }
  return part.Release();
}

PyGetSetDef variable_properties[] = {
    {"constraint", Guarded<Stored>, nullptr,
     "The function applied after each update, or None.",
     NameText("_constraint")},
    {"synchronization", Guarded<Mode<AutoSynchronization>>, nullptr,
     "When copies are brought together.", NameText("_synchronization")},
    {"aggregation", Guarded<Mode<NoAggregation>>, nullptr,
     "How updates are combined.", NameText("_aggregation")},
    {"initializer", Guarded<Stored>, nullptr,
     "The operation that gives a variable of a `tf.Graph` its value; None "
     "elsewhere, where variables are initialised when made.",
     NameText("_graph_initializer")},
    {"initial_value", Guarded<InitialValue>, nullptr,
     "The tensor that initialises a variable of a `tf.Graph`; not available "
     "elsewhere, where variables are initialised when made.",
     nullptr},
    {"device", Guarded<OfHandle>, nullptr, "Where the value is.",
     NameText("device")},
    {"op", Guarded<OperationProperty>, nullptr,
     "Undefined when eager; of what an assignment in a graph gave, that one.",
     NameText("op")},
    {"graph", Guarded<OfHandle>, nullptr, "Undefined when eager.",
     NameText("graph")},
    {"_shared_name", Guarded<SharedName>, nullptr, nullptr, nullptr},
    {"_unique_id", Guarded<UniqueId>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr char kValueInCheckpoint[] = "VARIABLE_VALUE";

// What a checkpoint has of it, by name.
PyObject* SerializeToTensors(PyObject* o, PyObject*) {
  const PyRef value =
      PyRef::Steal(PyObject_CallMethod(o, "read_value", nullptr));
  return value ? Py_BuildValue("{sO}", kValueInCheckpoint, value.get())
               : nullptr;
}

// The reverse; gives what assigns the value.
PyObject* RestoreFromTensors(PyObject* o, PyObject* tensors) {
  const PyRef value = PyRef::Steal(PyMapping_GetItemString(
      tensors, const_cast<char*>(kValueInCheckpoint)));
  return value ? PyObject_CallMethod(o, "assign", "O", value.get()) : nullptr;
}

PyMethodDef variable_methods[] = {
    {"scatter_add", METHOD(Scatter<0>),
     "scatter_add" SPARSE "Adds slices to the rows at their indices."},
    {"scatter_sub", METHOD(Scatter<1>),
     "scatter_sub" SPARSE "Subtracts slices from the rows at their indices."},
    {"scatter_mul", METHOD(Scatter<2>),
     "scatter_mul" SPARSE "Multiplies the rows at the indices by slices."},
    {"scatter_div", METHOD(Scatter<3>),
     "scatter_div" SPARSE "Divides the rows at the indices by slices."},
    {"scatter_max", METHOD(Scatter<4>),
     "scatter_max" SPARSE "Takes the larger of rows and slices."},
    {"scatter_min", METHOD(Scatter<5>),
     "scatter_min" SPARSE "Takes the smaller of rows and slices."},
    {"scatter_update", METHOD(Scatter<6>),
     "scatter_update" SPARSE "Assigns slices to the rows at their indices."},
    {"batch_scatter_update", METHOD(BatchScatterUpdate),
     "batch_scatter_update" SPARSE "Assigns slices to rows, batch by batch."},
    {"scatter_nd_add", METHOD(ScatterNd<0>),
     "scatter_nd_add" ELEMENTS "Adds to single elements or slices."},
    {"scatter_nd_sub", METHOD(ScatterNd<1>),
     "scatter_nd_sub" ELEMENTS "Subtracts from single elements or slices."},
    {"scatter_nd_max", METHOD(ScatterNd<2>),
     "scatter_nd_max" ELEMENTS "Takes the larger of elements and updates."},
    {"scatter_nd_min", METHOD(ScatterNd<3>),
     "scatter_nd_min" ELEMENTS "Takes the smaller of elements and updates."},
    {"scatter_nd_update", METHOD(ScatterNd<kElementUpdate>),
     "scatter_nd_update" ELEMENTS "Assigns to single elements or slices."},
    {"sparse_read", METHOD(SparseRead),
     "sparse_read($self, indices, name=None)\n--\n\n"
     "The rows at `indices`."},
    {"gather_nd", METHOD(GatherNd),
     "gather_nd($self, indices, name=None)\n--\n\n"
     "The elements or slices at `indices`."},
    {"count_up_to", ARGUMENT(kLimit, CountUpTo),
     "count_up_to($self, limit)\n--\n\n"
     "Adds 1 and returns what was there; OutOfRangeError at `limit`."},
    {"is_initialized", METHOD(IsInitialized),
     "is_initialized($self, name=None)\n--\n\n"
     "A boolean tensor: does it have a value?"},
    {"ref", Guarded<Reference>, METH_NOARGS,
     "ref($self)\n--\n\nA hashable reference."},
    {"experimental_ref", Guarded<Reference>, METH_NOARGS,
     "experimental_ref($self)\n--\n\nA hashable reference."},
    {"initialized_value", Guarded<InitializedValue>, METH_NOARGS,
     "initialized_value($self)\n--\n\nThe value."},
    {"read_value_no_copy", Guarded<ReadValueNoCopy>, METH_NOARGS,
     "read_value_no_copy($self)\n--\n\n"
     "The value now, which may share memory with the variable."},
    {"get_shape", Guarded<GetShape>, METH_NOARGS,
     "get_shape($self)\n--\n\nThe static shape."},
    {"set_shape", ARGUMENT(kNewShape, SetShape),
     "set_shape($self, shape)\n--\n\n"
     "Checks that the shape may be `shape`."},
    {"load", METHOD(Load),
     "load($self, value, session=None)\n--\n\n"
     "Assigns `value`; in a graph by the session given or the default one."},
    {"eval", METHOD(Eval),
     "eval($self, session=None)\n--\n\n"
     "The value of a variable of a graph, by the session given or the default\n"
     "one."},
    {"to_proto", METHOD(VariableToProto),
     "to_proto($self, export_scope=None)\n--\n\n"
     "A VariableDef: the names of the operations that a variable of a graph "
     "is\n"
     "made of, without `export_scope`; None if it is not in that scope.\n\n"
     "Raises RuntimeError for a variable of no graph.\n\n"
     ">>> with tf.Graph().as_default():\n"
     "...     tf.Variable(1.0, name='v').to_proto().initializer_name\n"
     "'v/Assign'"},
    {"from_proto", AsCFunction(Guarded<VariableFromProto>),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "from_proto(variable_def, import_scope=None)\n--\n\n"
     "The variable of the default graph whose operations a VariableDef names,\n"
     "below `import_scope`.\n\n"
     "Raises KeyError for an operation that the graph does not have, "
     "ValueError\n"
     "for a variable that is no resource.\n\n"
     ">>> with tf.Graph().as_default():\n"
     "...     v = tf.Variable(1.0, name='v')\n"
     "...     tf.Variable.from_proto(v.to_proto()).name\n"
     "'v:0'"},
    {"_serialize_to_tensors", Guarded<SerializeToTensors>, METH_NOARGS,
     nullptr},
    {"_restore_from_tensors", AsCFunction(Guarded<RestoreFromTensors>), METH_O,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};

#define REF_DOC \
  "a variable, and returns the variable.\n\nArgs:\n  ref: the variable.\n  "
#define LOCKING_DOC                                                        \
  "  use_locking: accepted for compatibility; changes are always whole.\n" \
  "  name: of the op.\n\nRaises:\n  AttributeError: `ref` is no variable.\n  "
#define DELTA_DOC                                           \
  "value: of the variable's dtype and shape.\n" LOCKING_DOC \
  "tf.errors.InvalidArgumentError: the shapes differ.\n\n"
PyMethodDef variable_functions[] = {
    {kAssign, METHOD(ChangeVariable<kAssign>),
     "assign(ref, value, validate_shape=None, use_locking=None, name=None)"
     "\n--\n\nGives another value to " REF_DOC
     "value: of the variable's dtype and a shape that fits it.\n"
     "  validate_shape: accepted for compatibility; the variable's own shape\n"
     "    decides.\n" LOCKING_DOC "ValueError: the shapes do not fit.\n\n"
     ">>> v = tf.Variable(1)\n"
     ">>> tf.compat.v1.assign(v, 5).numpy().item()\n5"},
    {kAssignAdd, METHOD(ChangeVariable<kAssignAdd>),
     "assign_add(ref, value, use_locking=None, name=None)\n--\n\n"
     "Adds to " REF_DOC DELTA_DOC ">>> v = tf.Variable(1)\n"
     ">>> tf.compat.v1.assign_add(v, 5).numpy().item()\n6"},
    {kAssignSub, METHOD(ChangeVariable<kAssignSub>),
     "assign_sub(ref, value, use_locking=None, name=None)\n--\n\n"
     "Subtracts from " REF_DOC DELTA_DOC ">>> v = tf.Variable(1)\n"
     ">>> tf.compat.v1.assign_sub(v, 5).numpy().item()\n-4"},
    {nullptr, nullptr, 0, nullptr}};
#undef DELTA_DOC
#undef LOCKING_DOC
#undef REF_DOC
#undef ELEMENTS
#undef SPARSE
#undef ARGUMENT
#undef METHOD

PyType_Slot variable_in_place_slots[] = {
    {Py_nb_inplace_add, Slot<InPlaceOperator<0>>()},
    {Py_nb_inplace_subtract, Slot<InPlaceOperator<1>>()},
    {Py_nb_inplace_multiply, Slot<InPlaceOperator<2>>()},
    {Py_nb_inplace_true_divide, Slot<InPlaceOperator<3>>()},
    {Py_nb_inplace_power, Slot<InPlacePower>()},
    {0, nullptr}};

}  // namespace gk::py
