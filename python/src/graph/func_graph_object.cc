#include "python/src/graph/func_graph_object.h"

#include <structmember.h>  // after Python.h

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "framework/variable.h"
#include "function/graph_collections.h"
#include "function/graph_facts.h"
#include "function/user_graph.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/kept_tensors.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {

PyTypeObject* GraphType = nullptr;
PyTypeObject* FuncGraphType = nullptr;

namespace {

// Which Python object stands for a graph; borrowed, removed when it dies.
std::unordered_map<const Graph*, PyObject*>& Wrappers() {
  static auto* map = new std::unordered_map<const Graph*, PyObject*>();
  return *map;
}

PyGraph* Self(PyObject* o) { return GraphOf(o); }

PyObject* NewObject(PyTypeObject* type, Ref<Graph> graph, Ref<FuncGraph> func) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  Self(o)->entered = new std::vector<std::unique_ptr<EnteredGraph>>();
  Ref<GraphCollections> collections =
      func ? func->collections() : MakeRef<GraphCollections>();
  Self(o)->collections = collections.Release();
  Self(o)->graph = graph.Release();
  Self(o)->func = func.Release();
  Wrappers()[Self(o)->graph] = o;
  return o;
}

// FuncGraph(name); tf.Graph() is one of its own outside of all others.
PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"name", nullptr};
  const char* name = "";
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|s",
                                   const_cast<char**>(names), &name)) {
    return nullptr;
  }
  const bool function = PyType_IsSubtype(type, FuncGraphType);
  Ref<FuncGraph> func =
      function ? MakeRef<FuncGraph>(std::string(name)) : NewUserGraph();
  Ref<Graph> graph = func->graph();
  return NewObject(type, std::move(graph), std::move(func));
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  if (Self(o)->collections == nullptr) return 0;
  // No other object visits them: a graph has one.
  return Self(o)->collections->Visit([&](const LanguageValue& kept) {
    return visit(static_cast<const PythonValue&>(kept).get(), arg);
  });
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  if (Self(o)->collections != nullptr) Self(o)->collections->Drop();
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  auto it = Wrappers().find(Self(o)->graph);
  if (it != Wrappers().end() && it->second == o) Wrappers().erase(it);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->dict);
  // A thread that was interrupted may have it for ever: then it stays.
  std::vector<std::unique_ptr<EnteredGraph>>& entered = *Self(o)->entered;
  while (!entered.empty() && entered.back()->IsHere()) entered.pop_back();
  if (entered.empty()) {
    delete Self(o)->entered;
    if (Self(o)->func) Self(o)->func->Unref();
  }
  if (Self(o)->collections) Self(o)->collections->Unref();
  if (Self(o)->graph) Self(o)->graph->Unref();
  type->tp_free(o);
  Py_DECREF(type);
}

// add_argument(name, dtype, shape, user_name, variable): a placeholder;
// `variable`: one of resource type gets its handle data.
PyObject* AddArgument(PyObject* o, PyObject* args) {
  PyObject *dtype, *shape, *variable = Py_None;
  const char *name, *user_name;
  if (!PyArg_ParseTuple(args, "sOOs|O", &name, &dtype, &shape, &user_name,
                        &variable)) {
    return nullptr;
  }
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  const DataType t = AsDType(dtype);
  if (t == DataType::kInvalid) return nullptr;
  StatusOr<PartialTensorShape> s = AsShape(shape);
  if (!s.ok()) return Raise(s.status());
  HandleData data;
  DataType placeholder = t;
  PartialTensorShape placeholder_shape = *s;
  if (PyObject_IsTrue(variable)) {
    data.push_back({t, *s});
    placeholder = DataType::kResource;
    placeholder_shape = TensorShape();
  }
  StatusOr<Tensor> arg = f->inputs().AddArgument(
      name, placeholder, placeholder_shape, user_name, data);
  return arg.ok() ? WrapTensor(*std::move(arg)) : Raise(arg.status());
}

// _add_loop_argument(name, tensor, shape): a placeholder for what `tensor` is
// before the first iteration.
PyObject* AddLoopArgument(PyObject* o, PyObject* args) {
  PyObject *tensor, *shape;
  const char* name;
  if (!PyArg_ParseTuple(args, "sOO", &name, &tensor, &shape)) return nullptr;
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  if (!IsTensor(tensor)) return Raise(TypeError("not a tensor"));
  StatusOr<PartialTensorShape> s = AsShape(shape);
  if (!s.ok()) return Raise(s.status());
  const Tensor t = TensorOf(tensor);
  StatusOr<Tensor> arg =
      f->inputs().AddArgument(name, t.dtype(), *s, {}, HandleDataOf(t));
  return arg.ok() ? WrapTensor(*std::move(arg)) : Raise(arg.status());
}

PyObject* CaptureTensor(PyObject* o, PyObject* args) {
  PyObject* tensor;
  const char* name = "";
  if (!PyArg_ParseTuple(args, "O|s", &tensor, &name)) return nullptr;
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  if (!IsTensor(tensor)) return Raise(TypeError("not a tensor"));
  StatusOr<Tensor> t = f->inputs().Capture(TensorOf(tensor), name);
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

// _order_arguments(tensors): the placeholders in the order of calls.
PyObject* OrderArguments(PyObject* o, PyObject* list) {
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  PyRef items = PyRef::Steal(PySequence_Tuple(list));
  if (!items) return nullptr;
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* t = PyTuple_GET_ITEM(items.get(), i);
    if (!IsTensor(t)) return Raise(TypeError("not a tensor"));
    tensors.push_back(TensorOf(t));
  }
  Status status = f->inputs().OrderArguments(tensors);
  if (!status.ok()) return Raise(status);
  Py_RETURN_NONE;
}

// _evaluate(tensors, arguments): values of tensors of this graph, given those
// of its arguments (None where unknown).
PyObject* Evaluate(PyObject* o, PyObject* args) {
  PyObject *list, *values;
  if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &list, &PyList_Type,
                        &values)) {
    return nullptr;
  }
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  TensorVector tensors, arguments;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* t = PyList_GET_ITEM(list, i);
    if (!IsTensor(t)) return Raise(TypeError("not a tensor"));
    tensors.push_back(TensorOf(t));
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) {
    PyObject* t = PyList_GET_ITEM(values, i);
    arguments.push_back(IsTensor(t) ? TensorOf(t) : Tensor());
  }
  arguments.resize(f->inputs().arguments().size());
  StatusOr<TensorVector> result = [&] {
    // An iterator may wait for a generator on another thread.
    GilRelease unlocked(true);
    return EvaluateInGraph(*f, tensors, arguments);
  }();
  return result.ok() ? WrapTensors(*result) : Raise(result.status());
}

// The tensors that stand for the arguments, then those for the captures.
PyObject* Inputs(PyObject* o, void*) {
  return WrapTensors(Self(o)->func ? InputsOf(*Self(o)->func) : TensorVector());
}
// What the function returns, flat; empty before it is finished.
PyObject* GraphOutputs(PyObject* o, void*) {
  return WrapTensors(Self(o)->func ? OutputsOf(*Self(o)->func)
                                   : TensorVector());
}
// [(external or None, placeholder)]
PyObject* Captures(PyObject* o, void*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  if (Self(o)->func == nullptr) return list.Release();
  for (const FunctionCapture& c : Self(o)->func->inputs().captures()) {
    PyRef inside =
        PyRef::Steal(WrapTensor(Self(o)->graph->TensorOf({c.placeholder, 0})));
    PyRef outside = c.external ? PyRef::Steal(WrapTensor(c.external))
                               : PyRef::Share(Py_None);
    if (!inside || !outside) return nullptr;
    PyRef pair = PyRef::Steal(PyTuple_Pack(2, outside.get(), inside.get()));
    if (!list || !pair || PyList_Append(list.get(), pair.get()) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}
PyObject* NameOfGraph(PyObject* o, void*) {
  return ToPyString(Self(o)->func ? Self(o)->func->name() : "");
}
PyObject* BuildingFunction(PyObject* o, void*) {
  return PyBool_FromLong(PyObject_TypeCheck(o, FuncGraphType));
}
PyObject* OuterGraph(PyObject* o, void*) {
  if (!PyObject_TypeCheck(o, FuncGraphType)) {
    PyErr_SetString(PyExc_AttributeError,
                    "'Graph' object has no attribute 'outer_graph'");
    return nullptr;
  }
  FuncGraph* outer = Self(o)->func ? Self(o)->func->outer() : nullptr;
  if (outer == nullptr) return EagerGraph();
  return WrapGraph(outer->graph().get());
}

PyObject* Finalize(PyObject* o, PyObject*) {
  if (Self(o)->func != nullptr) Self(o)->func->Finalize();
  Py_RETURN_NONE;
}
// Functions' graphs stop growing when they are traced; only the others say so.
PyObject* Finalized(PyObject* o, void*) {
  return PyBool_FromLong(Self(o)->collections->finalized());
}

PyObject* Seed(PyObject* o, void*) {
  const FuncGraph* f = Self(o)->func;
  if (f == nullptr || !f->random_seeds().graph) Py_RETURN_NONE;
  return PyLong_FromLongLong(*f->random_seeds().graph);
}
int SetSeed(PyObject* o, PyObject* seed, void*) {
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return -1;
  if (seed == nullptr || seed == Py_None) {
    f->random_seeds().graph.reset();
    return 0;
  }
  const int64_t number = PyLong_AsLongLong(seed);
  if (number == -1 && PyErr_Occurred()) return -1;
  f->random_seeds().graph = number;
  return 0;
}

PyGetSetDef getset[] = {
    {"inputs", Guarded<Inputs>, nullptr,
     "Placeholders of arguments, then captures.", nullptr},
    {"outputs", Guarded<GraphOutputs>, nullptr,
     "What the function returns, flat.", nullptr},
    {"captures", Guarded<Captures>, nullptr, "Pairs of outer and inner tensor.",
     nullptr},
    {"name", Guarded<NameOfGraph>, nullptr, "The name.", nullptr},
    {"building_function", Guarded<BuildingFunction>, nullptr,
     "Is it the body of a function?", nullptr},
    {"finalized", Guarded<Finalized>, nullptr, "Can nothing be added any more?",
     nullptr},
    {"outer_graph", Guarded<OuterGraph>, nullptr,
     "The graph around a function's; outside of all that of eager code.",
     nullptr},
    {"seed", Guarded<Seed>, SetSeed,
     "The seed of random ops made in this graph, or None.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef kFuncGraphMethods[] = {
    {"_add_argument", Guarded<AddArgument>, METH_VARARGS, nullptr},
    {"_add_loop_argument", Guarded<AddLoopArgument>, METH_VARARGS, nullptr},
    {"_capture", Guarded<CaptureTensor>, METH_VARARGS, nullptr},
    {"_evaluate", Guarded<Evaluate>, METH_VARARGS, nullptr},
    {"_order_arguments", Guarded<OrderArguments>, METH_O, nullptr},
    {"finalize", Guarded<Finalize>, METH_NOARGS,
     "finalize($self)\n--\n\n"
     "Nothing can be added from now on."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyGraph, weakrefs), READONLY,
     nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyGraph, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* FuncGraphText(PyObject* o) {
  PyRef name = PyRef::Steal(NameOfGraph(o, nullptr));
  PyRef id = PyRef::Steal(PyLong_FromVoidPtr(o));
  return name && id ? PyUnicode_FromFormat("FuncGraph(name=%U, id=%S)",
                                           name.get(), id.get())
                    : nullptr;
}

PyTypeObject* AddGraphType(PyObject* module, TypeParts own) {
  own.Add(kFuncGraphMethods);
  own.Add(getset);
  const TypeParts& parts = std::move(own).Finished();
  PyType_Slot slots[] = {
      {Py_tp_doc,
       Doc("Graph()\n--\n\n"
           "Operations and the tensors between them, to be run later.\n\n"
           ">>> graph = tf.Graph()\n"
           ">>> with graph.as_default():\n"
           "...     one = tf.constant(1, name='one')\n"
           ">>> [op.name for op in graph.get_operations()]\n"
           "['one']")},
      {Py_tp_new, Slot<New>()},
      {Py_tp_dealloc, Slot<Dealloc>()},
      {Py_tp_traverse, Slot<Traverse>()},
      {Py_tp_clear, Slot<Clear>()},
      {Py_tp_getset, Table(parts.attributes)},
      {Py_tp_methods, Table(parts.methods)},
      {Py_tp_members, Slot<members>()},
      {0, nullptr}};
  PyType_Spec spec = {
      "graphkiln.Graph", sizeof(PyGraph), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return AddType(module, &spec, nullptr);
}

PyTypeObject* AddFuncGraphType(PyObject* module, TypeParts own) {
  const TypeParts& parts = std::move(own).Finished();
  PyType_Slot slots[] = {{Py_tp_str, Slot<FuncGraphText>()},
                         {Py_tp_getset, Table(parts.attributes)},
                         {Py_tp_methods, Table(parts.methods)},
                         {0, nullptr}};
  PyType_Spec spec = {"graphkiln.FuncGraph", sizeof(PyGraph), 0,
                      Py_TPFLAGS_DEFAULT, slots};
  return AddType(module, &spec, GraphType);
}

// The graph being built, or None when eager.
PyObject* CurrentGraph(PyObject*, PyObject*) {
  FuncGraph* f = FuncGraph::Current();
  if (f == nullptr) Py_RETURN_NONE;
  return WrapGraph(f->graph().get());
}

PyMethodDef kFuncGraphFunctions[] = {
    {"current_graph", Guarded<CurrentGraph>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool KeepWithGraph(const Graph* graph, PyObject* o) {
  const auto it = Wrappers().find(graph);
  if (it == Wrappers().end()) return false;
  const FuncGraph* const f = Self(it->second)->func;
  if (f == nullptr || f->is_function()) return false;
  static PyObject* const name = PyUnicode_InternFromString("_kept_tensors");
  PyRef kept = PyRef::Steal(PyObject_GetAttr(it->second, name));
  if (!kept) {
    PyErr_Clear();
    kept = PyRef::Steal(PyList_New(0));
    if (!kept || PyObject_SetAttr(it->second, name, kept.get()) < 0) {
      PyErr_Clear();
      return false;
    }
  }
  if (PyList_Append(kept.get(), o) == 0) return true;
  PyErr_Clear();
  return false;
}

}  // namespace

FuncGraph* BuilderOf(PyObject* graph) {
  FuncGraph* f = GraphOf(graph)->func;
  if (f == nullptr) Raise(RuntimeError("this graph cannot be changed"));
  return f;
}

PyObject* WrapGraph(Graph* graph) {
  auto it = Wrappers().find(graph);
  if (it != Wrappers().end()) return Py_NewRef(it->second);
  return NewObject(FuncGraphType, Ref<Graph>(graph),
                   Ref<FuncGraph>(FuncGraph::Of(graph)));
}

bool AddGraphTypes(PyObject* module, TypeParts graph, TypeParts func_graph) {
  keep_with_graph = KeepWithGraph;
  GraphType = AddGraphType(module, std::move(graph));
  if (GraphType == nullptr) return false;
  FuncGraphType = AddFuncGraphType(module, std::move(func_graph));
  return FuncGraphType != nullptr &&
         PyModule_AddFunctions(module, kFuncGraphFunctions) == 0;
}

}  // namespace gk::py
