// What a tf.Graph keeps beside its operations: collections and marks; its
// elements, asked for one by one; and what the graph of a function says of it.
#include <string>

#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/function/deferred_captures.h"
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

// Object `name` of the graph's dictionary, made by `make` where it is new;
// borrowed.
PyObject* Kept(PyObject* graph, const char* name, PyObject* (*make)()) {
  PyRef dict = PyRef::Steal(PyObject_GenericGetDict(graph, nullptr));
  if (!dict) return nullptr;
  if (PyObject* known = PyDict_GetItemString(dict.get(), name)) return known;
  PyRef made = PyRef::Steal(make());
  if (!made || PyDict_SetItemString(dict.get(), name, made.get()) < 0) {
    return nullptr;
  }
  return made.get();
}
PyObject* Collections(PyObject* graph) {
  return Kept(graph, "_collections", [] { return PyDict_New(); });
}

// ---- Collections ----

// The list of a name itself; borrowed.
PyObject* CollectionOf(PyObject* graph, PyObject* name) {
  PyObject* all = Collections(graph);
  if (all == nullptr) return nullptr;
  PyObject* list = PyDict_GetItemWithError(all, name);
  if (list != nullptr || PyErr_Occurred()) return list;
  PyRef made = PyRef::Steal(PyList_New(0));
  if (!made || PyDict_SetItem(all, name, made.get()) < 0) return nullptr;
  return made.get();
}

PyObject* GetCollectionRef(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O", {"name"}, &name)) return nullptr;
  return Py_XNewRef(CollectionOf(o, name));
}

PyObject* AddToCollection(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *name, *value;
  if (!ParseArguments(args, kwargs, "OO", {"name", "value"}, &name, &value)) {
    return nullptr;
  }
  PyObject* list = CollectionOf(o, name);
  if (list == nullptr || PyList_Append(list, value) < 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* AddToCollections(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *names, *value;
  if (!ParseArguments(args, kwargs, "OO", {"names", "value"}, &names, &value)) {
    return nullptr;
  }
  nb::object each = PyUnicode_Check(names)
                        ? nb::object(nb::make_tuple(nb::handle(names)))
                        : nb::borrow(names);
  nb::dict distinct;
  for (nb::handle name : each) distinct[name] = nb::none();
  for (auto [name, unused] : distinct) {
    PyObject* list = CollectionOf(o, name.ptr());
    if (list == nullptr || PyList_Append(list, value) < 0) return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* GetCollection(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *name, *scope = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"name", "scope"}, &name, &scope)) {
    return nullptr;
  }
  PyObject* all = Collections(o);
  PyObject* list = all ? PyDict_GetItemWithError(all, name) : nullptr;
  if (list == nullptr) return PyErr_Occurred() ? nullptr : PyList_New(0);
  if (scope == Py_None) return PySequence_List(list);
  nb::object pattern =
      nb::module_::import_("re").attr("compile")(nb::handle(scope));
  nb::list found;
  for (nb::handle item : nb::borrow<nb::list>(list)) {
    if (nb::hasattr(item, "name") &&
        !pattern.attr("match")(item.attr("name")).is_none()) {
      found.append(item);
    }
  }
  return found.release().ptr();
}

PyObject* ClearCollection(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O", {"name"}, &name)) return nullptr;
  PyObject* all = Collections(o);
  if (all == nullptr) return nullptr;
  const int known = PyDict_Contains(all, name);
  if (known < 0 || (known && PyDict_DelItem(all, name) < 0)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* AllCollections(PyObject* o, void*) {
  PyObject* all = Collections(o);
  return all ? PyDict_Keys(all) : nullptr;
}

PyObject* AllCollectionKeys(PyObject* o, PyObject*) {
  PyRef keys = PyRef::Steal(AllCollections(o, nullptr));
  PyRef names = PyRef::Steal(keys ? PyList_New(0) : nullptr);
  for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(keys.get()); ++i) {
    PyObject* key = PyList_GET_ITEM(keys.get(), i);
    if (PyUnicode_Check(key) && PyList_Append(names.get(), key) < 0) {
      return nullptr;
    }
  }
  return names.Release();
}

// ---- Marks ----

// The set of names of one kind of marks.
PyObject* Marks(PyObject* graph, const char* kind) {
  return Kept(graph, kind, [] { return PySet_New(nullptr); });
}
PyObject* Mark(PyObject* graph, const char* kind, PyObject* element) {
  PyRef name = PyRef::Steal(PyObject_GetAttrString(element, "name"));
  PyObject* marks = name ? Marks(graph, kind) : nullptr;
  if (marks == nullptr || PySet_Add(marks, name.get()) < 0) return nullptr;
  Py_RETURN_NONE;
}
PyObject* IsUnmarked(PyObject* graph, const char* kind, PyObject* element) {
  PyRef name = PyRef::Steal(PyObject_GetAttrString(element, "name"));
  PyObject* marks = name ? Marks(graph, kind) : nullptr;
  const int known = marks ? PySet_Contains(marks, name.get()) : -1;
  return known < 0 ? nullptr : PyBool_FromLong(!known);
}

constexpr char kUnfeedable[] = "_unfeedable", kUnfetchable[] = "_unfetchable";

PyObject* PreventFeeding(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  if (!ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)) return nullptr;
  return Mark(o, kUnfeedable, tensor);
}
PyObject* IsFeedable(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  if (!ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)) return nullptr;
  return IsUnmarked(o, kUnfeedable, tensor);
}
PyObject* PreventFetching(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* op;
  if (!ParseArguments(args, kwargs, "O", {"op"}, &op)) return nullptr;
  return Mark(o, kUnfetchable, op);
}
PyObject* IsFetchable(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* element;
  if (!ParseArguments(args, kwargs, "O", {"tensor_or_op"}, &element)) {
    return nullptr;
  }
  PyRef op =
      PyRef::Steal(IsTensor(element) ? PyObject_GetAttrString(element, "op")
                                     : Py_NewRef(element));
  return op ? IsUnmarked(o, kUnfetchable, op.get()) : nullptr;
}

// ---- Operations and tensors ----

PyObject* Operations(PyObject* o, void*) { return GraphOperations(o, nullptr); }
PyObject* NumOperations(PyObject* o, PyObject*) {
  return PyLong_FromLong(GraphOf(o)->graph->num_nodes());
}
PyObject* Version(PyObject* o, void*) { return NumOperations(o, nullptr); }

PyObject* NewOperations(PyObject* o, PyObject*) {
  PyRef all = PyRef::Steal(GraphOperations(o, nullptr));
  PyObject* seen =
      all ? Kept(o, "_operations_seen", [] { return PyLong_FromLong(0); })
          : nullptr;
  if (seen == nullptr) return nullptr;
  const Py_ssize_t before = PyLong_AsSsize_t(seen);
  const Py_ssize_t now = PyList_GET_SIZE(all.get());
  PyRef count = PyRef::Steal(PyLong_FromSsize_t(now));
  if (!count ||
      PyObject_SetAttrString(o, "_operations_seen", count.get()) < 0) {
    return nullptr;
  }
  return PyList_GetSlice(all.get(), before, now);
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
    for (const FunctionCapture& c : f->captures()) {
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
  StatusOr<Tensor> t =
      f->Capture(TensorOf(tensor),
                 PyUnicode_Check(name) ? StringView(name) : std::string_view());
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

static constexpr char kName[] = "name";

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
    {"get_collection_ref", AsCFunction(Guarded<GetCollectionRef>), kByName,
     "get_collection_ref($self, name)\n--\n\n"
     "The list of that name itself, empty if new."},
    {"get_collection", AsCFunction(Guarded<GetCollection>), kByName,
     "get_collection($self, name, scope=None)\n--\n\n"
     "A copy of the list of that name; `scope`: only what has a name that\n"
     "this pattern matches at its beginning."},
    {"get_all_collection_keys", Guarded<AllCollectionKeys>, METH_NOARGS,
     "get_all_collection_keys($self)\n--\n\n"
     "The names of all lists."},
    {"clear_collection", AsCFunction(Guarded<ClearCollection>), kByName,
     "clear_collection($self, name)\n--\n\n"
     "Empties the list of that name."},
    {"prevent_feeding", AsCFunction(Guarded<PreventFeeding>), kByName,
     "prevent_feeding($self, tensor)\n--\n\n"
     "Marks a tensor as one that cannot be fed."},
    {"is_feedable", AsCFunction(Guarded<IsFeedable>), kByName,
     "is_feedable($self, tensor)\n--\n\n"
     "Can a value be given in place of this tensor?"},
    {"prevent_fetching", AsCFunction(Guarded<PreventFetching>), kByName,
     "prevent_fetching($self, op)\n--\n\n"
     "Marks an operation as one whose results cannot be asked for."},
    {"is_fetchable", AsCFunction(Guarded<IsFetchable>), kByName,
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
