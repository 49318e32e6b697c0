// What a tf.Graph keeps beside its operations: collections and marks; its
// elements, asked for one by one; and what the graph of a function says of it.
#include <span>

#include "function/graph_collections.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/function/deferred_captures.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/traced_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_elements.h"
#include "python/src/graph/graph_scopes.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using Value = GraphCollections::Value;
using Mark = GraphCollections::Mark;

GraphCollections& CollectionsOf(PyObject* graph) {
  return *GraphOf(graph)->collections;
}
PyObject* KeptIn(const LanguageValue& kept) {
  return static_cast<const PythonValue&>(kept).get();
}

// A Python object that is asked for by another that equals it.
class EqualValue final : public PythonValue {
 public:
  // TypeError if it cannot be hashed.
  explicit EqualValue(PyObject* o) : PythonValue(o), hash_(PyObject_Hash(o)) {
    if (hash_ == -1) throw nb::python_error();
  }
  size_t Hash() const override { return hash_; }
  bool Equals(const LanguageValue& other) const override {
    const int equal = PyObject_RichCompareBool(get(), KeptIn(other), Py_EQ);
    if (equal < 0) throw nb::python_error();
    return equal == 1;
  }

 private:
  const Py_hash_t hash_;
};

// One that is asked for by itself. Objects of one tensor or operation are one.
class OneValue final : public PythonValue {
 public:
  explicit OneValue(PyObject* o) : PythonValue(o), what_(o) {
    if (IsTensor(o)) {
      what_ = TensorOf(o).impl();
    } else if (nb::isinstance<Operation>(nb::handle(o))) {
      what_ = nb::cast<const Operation&>(nb::handle(o)).node;
    }
  }
  size_t Hash() const override { return reinterpret_cast<size_t>(what_); }
  bool Equals(const LanguageValue& other) const override {
    return Hash() == other.Hash();
  }

 private:
  const void* what_;
};

// ---- Collections ----

Value NameOf(PyObject* name) { return MakeRef<EqualValue>(name); }

constexpr auto kNewList = []() -> Value {
  return MakeRef<PythonValue>(nb::list().ptr());
};

PyObject* GetCollectionRef(PyObject* o, PyObject* name) {
  return Py_NewRef(
      KeptIn(*CollectionsOf(o).FindOrMake(NameOf(name), kNewList)));
}

PyObject* Extend(PyObject* o, std::span<const Value> names, PyObject* value) {
  for (const Value& list :
       ValueOrThrow(CollectionsOf(o).ToExtend(names, kNewList))) {
    if (PyList_Append(KeptIn(*list), value) < 0) return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* AddToCollection(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *name, *value;
  if (!ParseArguments(args, kwargs, "OO", {"name", "value"}, &name, &value)) {
    return nullptr;
  }
  return Extend(o, {{NameOf(name)}}, value);
}

PyObject* AddToCollections(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *names, *value;
  if (!ParseArguments(args, kwargs, "OO", {"names", "value"}, &names, &value)) {
    return nullptr;
  }
  if (PyUnicode_Check(names)) return Extend(o, {{NameOf(names)}}, value);
  std::vector<Value> all;
  for (nb::handle name : nb::borrow(names)) all.push_back(NameOf(name.ptr()));
  return Extend(o, all, value);
}

PyObject* GetCollection(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *name, *scope = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"name", "scope"}, &name, &scope)) {
    return nullptr;
  }
  const Value list = CollectionsOf(o).Find(EqualValue(name));
  if (list == nullptr) return PyList_New(0);
  nb::list all(nb::handle(KeptIn(*list)));
  if (scope == Py_None) return all.release().ptr();
  const nb::object match = nb::module_::import_("re")
                               .attr("compile")(nb::handle(scope))
                               .attr("match");
  nb::list found;
  for (nb::handle item : all) {
    try {
      if (!match(item.attr("name")).is_none()) found.append(item);
    } catch (const nb::python_error& e) {
      if (!e.matches(PyExc_AttributeError)) throw;  // else it has no name
    }
  }
  return found.release().ptr();
}

PyObject* ClearCollection(PyObject* o, PyObject* name) {
  ThrowIfError(CollectionsOf(o).Clear(EqualValue(name)));
  Py_RETURN_NONE;
}

PyObject* AllNames(PyObject* o, bool texts_only) {
  nb::list names;
  for (const Value& name : GraphCollections::Values(CollectionsOf(o).names())) {
    const nb::handle object = KeptIn(*name);
    if (!texts_only || PyUnicode_Check(object.ptr())) names.append(object);
  }
  return names.release().ptr();
}
PyObject* AllCollections(PyObject* o, void*) { return AllNames(o, false); }
PyObject* AllCollectionKeys(PyObject* o, PyObject*) {
  return AllNames(o, true);
}

// ---- Marks ----

PyObject* PreventFeeding(PyObject* o, PyObject* tensor) {
  CollectionsOf(o).Set(Mark::kUnfeedable, MakeRef<OneValue>(tensor));
  Py_RETURN_NONE;
}
PyObject* IsFeedable(PyObject* o, PyObject* tensor) {
  return PyBool_FromLong(
      !CollectionsOf(o).Has(Mark::kUnfeedable, OneValue(tensor)));
}
PyObject* PreventFetching(PyObject* o, PyObject* op) {
  CollectionsOf(o).Set(Mark::kUnfetchable, MakeRef<EqualValue>(op));
  Py_RETURN_NONE;
}
PyObject* IsFetchable(PyObject* o, PyObject* element) {
  const PyRef op =
      PyRef::Steal(IsTensor(element) ? PyObject_GetAttrString(element, "op")
                                     : Py_NewRef(element));
  if (!op) return nullptr;
  return PyBool_FromLong(
      !CollectionsOf(o).Has(Mark::kUnfetchable, EqualValue(op.get())));
}

// ---- Operations and tensors ----

PyObject* Operations(PyObject* o, void*) { return GraphOperations(o, nullptr); }
PyObject* Itself(PyObject* o, PyObject*) { return Py_NewRef(o); }
PyObject* NumOperations(PyObject* o, PyObject*) {
  return PyLong_FromLong(GraphOf(o)->graph->num_nodes());
}
PyObject* Version(PyObject* o, void*) { return NumOperations(o, nullptr); }

PyObject* NewOperations(PyObject* o, PyObject*) {
  PyRef all = PyRef::Steal(GraphOperations(o, nullptr));
  if (!all) return nullptr;
  const Py_ssize_t now = PyList_GET_SIZE(all.get());
  return PyList_GetSlice(
      all.get(), static_cast<Py_ssize_t>(CollectionsOf(o).Seen(now)), now);
}

PyObject* AsGraphElement(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* obj;
  int tensor = 1, operation = 1;
  if (!ParseArguments(args, kwargs, "O|pp",
                      {"obj", "allow_tensor", "allow_operation"}, &obj, &tensor,
                      &operation)) {
    return nullptr;
  }
  if (!tensor && !operation) {
    return Raise(
        ValueError("allow_tensor and allow_operation can't both be False."));
  }
  return GraphElement(o, obj, tensor, operation);
}

// ---- Graphs of functions ----

// The outer or inner tensors of captures that are known, or asked for at each
// call.
PyObject* CaptureList(PyObject* o, bool outer, bool deferred) {
  TensorVector tensors;
  if (const FuncGraph* f = GraphOf(o)->func) {
    for (const FunctionCapture& c : f->inputs().captures()) {
      if (deferred != !c.external) continue;
      tensors.push_back(
          outer ? c.external : GraphOf(o)->graph->TensorOf({c.placeholder, 0}));
    }
  }
  return WrapTensors(tensors);
}
PyObject* ExternalCaptures(PyObject* o, void*) {
  return CaptureList(o, true, false);
}
PyObject* InternalCaptures(PyObject* o, void*) {
  return CaptureList(o, false, false);
}
PyObject* DeferredInternalCaptures(PyObject* o, void*) {
  return CaptureList(o, false, true);
}

// Of each result.
PyObject* ResultFacts(PyObject* o, PyObject* (*fact)(const Node::OutputInfo&)) {
  PyRef list = PyRef::Steal(PyList_New(0));
  if (!list || GraphOf(o)->func == nullptr) return list.Release();
  for (const Output& r : GraphOf(o)->func->results()) {
    PyRef item = PyRef::Steal(fact(r.node->output(r.index)));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.Release();
}
PyObject* OutputTypes(PyObject* o, void*) {
  return ResultFacts(o, [](const Node::OutputInfo& info) {
    return Py_NewRef(DTypeObject(info.dtype));
  });
}
PyObject* OutputShapes(PyObject* o, void*) {
  return ResultFacts(
      o, [](const Node::OutputInfo& info) { return WrapShape(info.shape); });
}

PyObject* Capture(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *tensor, *name = Py_None, *shape;
  if (!ParseArguments(args, kwargs, "O|OO", {"tensor", "name", "shape"},
                      &tensor, &name, &shape)) {
    return nullptr;
  }
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  if (!IsTensor(tensor)) return Raise(TypeError("not a tensor"));
  StatusOr<Tensor> t = f->inputs().Capture(
      TensorOf(tensor),
      PyUnicode_Check(name) ? StringView(name) : std::string_view());
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

static constexpr char kName[] = "name", kTensor[] = "tensor", kOp[] = "op",
                      kElement[] = "tensor_or_op";

PyMethodDef graph_methods[] = {
    {"add_to_collection", AsCFunction(Guarded<AddToCollection>), kByName,
     "add_to_collection($self, name, value)\n--\n\n"
     "Appends `value` to the graph's list of that name.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> g.add_to_collection('losses', 1)\n"
     ">>> g.get_collection('losses')\n"
     "[1]"},
    {"add_to_collections", AsCFunction(Guarded<AddToCollections>), kByName,
     "add_to_collections($self, names, value)\n--\n\n"
     "Appends `value` to the lists of all these names (or of the one)."},
    {"get_collection_ref", GK_OF_ARGUMENT(kName, GetCollectionRef),
     "get_collection_ref($self, name)\n--\n\n"
     "The list of that name itself, empty if new."},
    {"get_collection", AsCFunction(Guarded<GetCollection>), kByName,
     "get_collection($self, name, scope=None)\n--\n\n"
     "A copy of the list of that name; `scope`: only what has a name that\n"
     "this pattern matches at its beginning."},
    {"get_all_collection_keys", Guarded<AllCollectionKeys>, METH_NOARGS,
     "get_all_collection_keys($self)\n--\n\n"
     "The names of all lists."},
    {"clear_collection", GK_OF_ARGUMENT(kName, ClearCollection),
     "clear_collection($self, name)\n--\n\n"
     "Empties the list of that name."},
    {"prevent_feeding", GK_OF_ARGUMENT(kTensor, PreventFeeding),
     "prevent_feeding($self, tensor)\n--\n\n"
     "Marks a tensor as one that cannot be fed."},
    {"is_feedable", GK_OF_ARGUMENT(kTensor, IsFeedable),
     "is_feedable($self, tensor)\n--\n\n"
     "Can a value be given in place of this tensor?"},
    {"prevent_fetching", GK_OF_ARGUMENT(kOp, PreventFetching),
     "prevent_fetching($self, op)\n--\n\n"
     "Marks an operation as one whose results cannot be asked for."},
    {"is_fetchable", GK_OF_ARGUMENT(kElement, IsFetchable),
     "is_fetchable($self, tensor_or_op)\n--\n\n"
     "Can the result of this tensor or operation be asked for?"},
    {"get_operations", Guarded<GraphOperations>, METH_NOARGS,
     "get_operations($self)\n--\n\n"
     "All operations."},
    {"get_operation_by_name", GK_OF_ARGUMENT(kName, GraphOperationByName),
     "get_operation_by_name($self, name)\n--\n\n"
     "The operation of that name."},
    {"get_tensor_by_name", GK_OF_ARGUMENT(kName, GraphTensorByName),
     "get_tensor_by_name($self, name)\n--\n\n"
     "The tensor \"op:0\"."},
    {"get", Guarded<Itself>, METH_NOARGS,
     "get($self)\n--\n\n"
     "The graph itself."},
    {"num_operations", Guarded<NumOperations>, METH_NOARGS,
     "num_operations($self)\n--\n\n"
     "How many operations there are."},
    {"new_operations", Guarded<NewOperations>, METH_NOARGS,
     "new_operations($self)\n--\n\n"
     "The operations made since this was last asked for.\n\n"
     ">>> with tf.Graph().as_default() as g:\n"
     "...     _ = tf.constant(1, name='a'), g.new_operations()\n"
     "...     _ = tf.constant(2, name='b')\n"
     ">>> g.new_operations()\n"
     "[<tf.Operation 'b' type=Const>]"},
    {"as_graph_element", AsCFunction(Guarded<AsGraphElement>), kByName,
     "as_graph_element($self, obj, allow_tensor=True, "
     "allow_operation=True)\n--\n\n"
     "The tensor or operation of this graph that `obj` names or is.\n\n"
     "Raises KeyError or ValueError for names of nothing, ValueError for\n"
     "what belongs to another graph, TypeError for anything else.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default():\n"
     "...     c = tf.constant(1, name='c')\n"
     ">>> g.as_graph_element('c:0') is c\n"
     "True"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef graph_attributes[] = {
    {"control_outputs", Guarded<GraphControlOutputs>, nullptr,
     "Operations that run even if no result needs them.", nullptr},
    {"collections", Guarded<AllCollections>, nullptr, "The names of all lists.",
     nullptr},
    {"operations", Guarded<Operations>, nullptr, "All operations, as made.",
     nullptr},
    {"version", Guarded<Version>, nullptr,
     "Grows with every operation that is made.", nullptr},
    {"variables", Guarded<TracedVariables>, nullptr,
     "The variables that a function uses and that are still there.", nullptr},
    {"trainable_variables", Guarded<TracedTrainableVariables>, nullptr,
     "Those of them that are trainable.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef function_methods[] = {
    {"capture", AsCFunction(Guarded<Capture>), kByName,
     "capture($self, tensor, name=None, shape=None)\n--\n\n"
     "The tensor of this graph that stands for an outside tensor."},
    {"capture_call_time_value", AsCFunction(Guarded<CaptureCallTimeValue>),
     kByName,
     "capture_call_time_value($self, closure, spec, key=None, "
     "default_value=None, placeholder=None)\n--\n\n"
     "A value that is asked for anew at each call of the function.\n\n"
     "Args:\n"
     "  closure: takes nothing, returns tensors that match `spec`. It runs\n"
     "    outside of the graph.\n"
     "  spec: tf.TensorSpec, or a structure of them.\n"
     "  key: hashable; the same key gives the same placeholder again.\n"
     "  default_value: accepted for compatibility.\n"
     "  placeholder: must be None: placeholders are made here.\n\n"
     "Returns symbolic tensors in the structure of `spec`. A call raises\n"
     "TypeError if the closure returns something else.\n\n"
     ">>> box = [2.0]\n"
     ">>> @tf.function\n"
     "... def f(x):\n"
     "...     spec = tf.TensorSpec([], tf.float32)\n"
     "...     return x * x.graph.capture_call_time_value(\n"
     "...         lambda: tf.constant(box[0]), spec)\n"
     ">>> f(tf.constant(3.0)).numpy().item()\n"
     "6.0\n"
     ">>> box[0] = 5.0\n"
     ">>> f(tf.constant(3.0)).numpy().item()\n"
     "15.0"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef function_attributes[] = {
    {"external_captures", Guarded<ExternalCaptures>, nullptr,
     "Outside tensors that the function uses.", nullptr},
    {"internal_captures", Guarded<InternalCaptures>, nullptr,
     "The placeholders that stand for `external_captures`.", nullptr},
    {"deferred_internal_captures", Guarded<DeferredInternalCaptures>, nullptr,
     "Placeholders of values that are asked for at each call.", nullptr},
    {"deferred_external_captures", Guarded<DeferredExternalCaptures>, nullptr,
     "What gives the values of `deferred_internal_captures`.", nullptr},
    {"output_types", Guarded<OutputTypes>, nullptr,
     "The data types of what the function returns, flat.", nullptr},
    {"output_shapes", Guarded<OutputShapes>, nullptr,
     "The static shapes of what the function returns, flat.", nullptr},
    {"structured_outputs", Guarded<TracedOutputs>, nullptr,
     "What the function returns, with symbolic tensors.", nullptr},
    {"structured_input_signature", Guarded<TracedInputs>, nullptr,
     "(args, kwargs) with tf.TensorSpecs for tensors.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void AddGraphState(TypeParts* parts) {
  parts->Add(graph_methods);
  parts->Add(graph_attributes);
}

void AddFuncGraphState(TypeParts* parts) {
  parts->Add(function_methods);
  parts->Add(function_attributes);
}

}  // namespace gk::py
