#include "python/src/graph/graph_scopes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "function/run_order.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/words.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_elements.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// A `with` statement that changes a graph: `enter` gives what it yields.
class GraphScope {
 public:
  using Enter = std::function<PyObject*(PyObject* graph)>;
  using Exit = std::function<void(FuncGraph* graph)>;
  GraphScope(PyObject* graph, Enter enter, Exit exit)
      : graph_(nb::borrow(graph)),
        enter_(std::move(enter)),
        exit_(std::move(exit)) {}

  nb::object EnterIt() {
    PyObject* value = enter_(graph_.ptr());
    if (value == nullptr) throw nb::python_error();
    ++entered_;
    return nb::steal(value);
  }
  void ExitIt() {
    if (entered_ == 0) return;
    --entered_;
    if (FuncGraph* f = GraphOf(graph_.ptr())->func) exit_(f);
  }

 private:
  nb::object graph_;
  Enter enter_;
  Exit exit_;
  int entered_ = 0;
};

PyObject* NewScope(PyObject* graph, GraphScope::Enter enter,
                   GraphScope::Exit exit) {
  return nb::cast(new GraphScope(graph, std::move(enter), std::move(exit)),
                  nb::rv_policy::take_ownership)
      .release()
      .ptr();
}

// One whose entry cannot fail and yields `value`.
PyObject* NewScope(PyObject* graph, std::function<void(FuncGraph*)> enter,
                   GraphScope::Exit exit, PyObject* value) {
  nb::object yielded = nb::borrow(value);
  return NewScope(
      graph,
      [enter = std::move(enter), yielded](PyObject* g) -> PyObject* {
        FuncGraph* f = BuilderOf(g);
        if (f == nullptr) return nullptr;
        enter(f);
        return Py_NewRef(yielded.ptr());
      },
      std::move(exit));
}

// ---- Building ----

// The graph, as it is entered now; null with an exception set.
EnteredGraph* EnterGraph(PyObject* o) {
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  GraphOf(o)->entered->push_back(std::make_unique<EnteredGraph>(f));
  return GraphOf(o)->entered->back().get();
}
// DoesNothing where it was not entered.
bool ExitGraph(PyObject* o) {
  std::vector<std::unique_ptr<EnteredGraph>>& entered = *GraphOf(o)->entered;
  if (entered.empty()) return true;
  // Other threads may have entered it since.
  const auto own = std::find_if(
      entered.rbegin(), entered.rend(),
      [](const std::unique_ptr<EnteredGraph>& e) { return e->IsHere(); });
  if (own == entered.rend()) {
    Raise(RuntimeError("A graph must be left on the thread that entered it"));
    return false;
  }
  entered.erase(std::next(own).base());
  return true;
}

// What is made from now on belongs to the graph, until _exit. One step each,
// so that no signal comes in between.
PyObject* Enter(PyObject* o, PyObject*) {
  return EnterGraph(o) ? Py_NewRef(o) : nullptr;
}
PyObject* Exit(PyObject* o, PyObject*) {
  return ExitGraph(o) ? Py_NewRef(Py_None) : nullptr;
}

PyObject* AsDefault(PyObject* o, PyObject*) {
  return NewScope(
      o, [](PyObject* g) { return Enter(g, nullptr); },
      [o](FuncGraph*) {
        if (!ExitGraph(o)) throw nb::python_error();
      });
}

// ---- What runs before ----

// The tensor or operation that stands for a variable or slices; borrowed or
// kept by `held`.
PyObject* Gate(PyObject* item, PyRef* held) {
  if (IsVariable(item)) {
    PyObject* update = UpdateOf(item);
    *held = PyRef::Steal(update != nullptr
                             ? update
                             : PyObject_GetAttrString(item, "handle"));
    return held->get();
  }
  *held = PyRef::Steal(PyObject_GetAttrString(item, "values"));
  if (!*held) PyErr_Clear();
  return *held && IsTensor(held->get()) ? held->get() : item;
}

PyObject* ControlDependencies(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* inputs;
  return ParseArguments(args, kwargs, "O", {"control_inputs"}, &inputs)
             ? ControlScope(o, inputs)
             : nullptr;
}

PyObject* ColocateWith(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* op;
  int ignore = 0;
  if (!ParseArguments(args, kwargs, "O|p", {"op", "ignore_existing"}, &op,
                      &ignore)) {
    return nullptr;
  }
  return NewScope(
      o,
      [given = nb::borrow(op), ignore](FuncGraph* f) {
        const Node* node = nullptr;
        const Operation* operation = nullptr;
        if (given.is_none() && !ignore) {
          throw Error(
              ValueError("Trying to reset colocation (op is None) but "
                         "ignore_existing is not True"));
        }
        if (IsSymbolicTensor(given.ptr())) {
          node = Graph::OutputOf(TensorOf(given.ptr())).node;
        } else if (nb::try_cast(given, operation) && operation != nullptr) {
          node = operation->node;
        } else if (!given.is_none()) {
          throw Error(TypeError("not an operation"));
        }
        if (ignore) f->scopes().PushColocation(nullptr);
        if (node != nullptr) f->scopes().PushColocation(node);
      },
      [some = op != Py_None, ignore](FuncGraph* f) {
        if (ignore) f->scopes().PopColocation();
        if (some) f->scopes().PopColocation();
      },
      Py_None);
}

// ---- Names ----

PyObject* NameScopeOf(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O", {"name"}, &name)) return nullptr;
  return NewNameScope(name == Py_None ? "" : ScopeName(name), GraphOf(o)->func)
      .release()
      .ptr();
}

PyObject* GetNameScope(PyObject* o, PyObject*) {
  FuncGraph* const graph = GraphOf(o)->func;
  const std::string scope = graph ? graph->scopes().name() : CurrentNameScope();
  return ToPyString(scope.substr(0, scope.size() - !scope.empty()));
}

// unique_name(name, mark_as_used=True), below the current name scope.
PyObject* UniqueName(PyObject* o, PyObject* args, PyObject* kwargs) {
  const char* name;
  int mark = 1;
  if (!ParseArguments(args, kwargs, "s|p", {"name", "mark_as_used"}, &name,
                      &mark)) {
    return nullptr;
  }
  std::string full = name;
  if (FuncGraph* f = GraphOf(o)->func) full = f->scopes().name() + full;
  Graph* graph = GraphOf(o)->graph;
  return ToPyString(mark ? graph->UniqueName(full)
                         : graph->PeekUniqueName(full));
}

// ---- Devices, containers, gradients ----

GraphScopes::DeviceFn DeviceFunction(PyObject* function) {
  std::shared_ptr<PyObject> choose(Py_NewRef(function), DeferredDecref);
  return [choose](Graph* graph, Node* node) -> StatusOr<std::string> {
    try {
      nb::object name = nb::borrow(choose.get())(WrapNode(graph, node));
      if (nb::hasattr(name, "to_string")) name = name.attr("to_string")();
      if (!nb::isinstance<nb::str>(name)) {
        return TypeError("Expected binary or unicode string, got {}",
                         nb::str(name).c_str());
      }
      return nb::cast<std::string>(name);
    } catch (nb::python_error& e) {
      e.restore();
      return PythonError();
    }
  };
}

PyObject* Device(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* device;
  if (!ParseArguments(args, kwargs, "O", {"device_name_or_function"},
                      &device)) {
    return nullptr;
  }
  return NewScope(
      o,
      [given = nb::borrow(device)](FuncGraph* f) {
        if (PyCallable_Check(given.ptr())) {
          f->scopes().PushDeviceFunction(DeviceFunction(given.ptr()));
        } else {
          f->scopes().PushDevice(DeviceArgument(given.ptr()));
        }
      },
      [](FuncGraph* f) { f->scopes().PopDevice(); }, Py_None);
}

// _inherit_device(): that of the graph around this one.
PyObject* InheritDevice(PyObject* o, PyObject*) {
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  if (f->outer() != nullptr) f->scopes().InheritDevices(f->outer()->scopes());
  Py_RETURN_NONE;
}

PyObject* Container(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O", {"container_name"}, &name)) {
    return nullptr;
  }
  return NewScope(
      o,
      [given = nb::borrow(name)](FuncGraph* f) {
        if (!PyUnicode_Check(given.ptr())) {
          throw Error(TypeError("A container's name must be a string"));
        }
        f->scopes().PushContainer(std::string(StringView(given.ptr())));
      },
      [](FuncGraph* f) { f->scopes().PopContainer(); }, name);
}

PyObject* GradientOverrideMap(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* map;
  if (!ParseArguments(args, kwargs, "O", {"op_type_map"}, &map)) return nullptr;
  return NewScope(
      o,
      [given = nb::borrow(map)](FuncGraph* f) {
        std::map<std::string, std::string> overrides;
        PyObject *key, *value;
        Py_ssize_t at = 0;
        bool valid = PyDict_Check(given.ptr());
        while (valid && PyDict_Next(given.ptr(), &at, &key, &value)) {
          valid = PyUnicode_Check(key) && PyUnicode_Check(value);
          if (valid) {
            overrides[std::string(StringView(key))] =
                std::string(StringView(value));
          }
        }
        if (!valid) {
          throw Error(TypeError(
              "op_type_map must be a dictionary mapping strings to strings"));
        }
        f->scopes().PushGradientOverrides(std::move(overrides));
      },
      [](FuncGraph* f) { f->scopes().PopGradientOverrides(); }, Py_None);
}

PyObject* DoesNothing(PyObject*, PyObject*) { Py_RETURN_NONE; }

PyMethodDef kGraphScopesMethods[] = {
    {"_enter", Guarded<Enter>, METH_NOARGS, nullptr},
    {"_exit", Guarded<Exit>, METH_NOARGS, nullptr},
    {"_inherit_device", Guarded<InheritDevice>, METH_NOARGS, nullptr},
    {"_get_control_flow_context", Guarded<DoesNothing>, METH_NOARGS, nullptr},
    {"_set_control_flow_context", Guarded<DoesNothing>, METH_O, nullptr},
    {"as_default", Guarded<AsDefault>, METH_NOARGS,
     "as_default($self)\n--\n\n"
     "What is made inside becomes part of this graph.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default():\n"
     "...     c = tf.constant(30.0)\n"
     ">>> c.graph is g\n"
     "True"},
    {"control_dependencies", AsCFunction(Guarded<ControlDependencies>), kByName,
     "control_dependencies($self, control_inputs)\n--\n\n"
     "Ops made inside run after `control_inputs`; None forgets all that\n"
     "holds so far."},
    {"colocate_with", AsCFunction(Guarded<ColocateWith>), kByName,
     "colocate_with($self, op, ignore_existing=False)\n--\n\n"
     "Operations made inside ask to run on the device of `op`.\n\n"
     "Args:\n"
     "  op: an operation or tensor of this graph; None ends what holds so\n"
     "    far, with `ignore_existing`.\n"
     "  ignore_existing: what holds so far is forgotten inside."},
    {"name_scope", AsCFunction(Guarded<NameScopeOf>), kByName,
     "name_scope($self, name)\n--\n\n"
     "Names made inside begin with `name`."},
    {"get_name_scope", Guarded<GetNameScope>, METH_NOARGS,
     "get_name_scope($self)\n--\n\n"
     "The current name scope, without the final slash."},
    {"unique_name", AsCFunction(Guarded<UniqueName>), kByName,
     "unique_name($self, name, mark_as_used=True)\n--\n\n"
     "A name not in use, below the current name scope."},
    {"device", AsCFunction(Guarded<Device>), kByName,
     "device($self, device_name_or_function)\n--\n\n"
     "A context that asks for a device.\n\n"
     "Args:\n"
     "  device_name_or_function: a device's name, None for no device, or a\n"
     "    function that is given each operation made inside and returns the\n"
     "    name of its device.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default(), g.device(lambda op: '/device:CPU:1'):\n"
     "...     c = tf.constant(30.0)\n"
     ">>> c.device\n"
     "'/device:CPU:1'"},
    {"container", AsCFunction(Guarded<Container>), kByName,
     "container($self, container_name)\n--\n\n"
     "Stateful operations made inside keep their resources in a container,\n"
     "unless they name one themselves.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default(), g.container('mine'):\n"
     "...     v = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[])\n"
     ">>> v.op.get_attr('container')\n"
     "b'mine'"},
    {"gradient_override_map", AsCFunction(Guarded<GradientOverrideMap>),
     kByName,
     "gradient_override_map($self, op_type_map)\n--\n\n"
     "Operations made inside have other gradients than their types have.\n\n"
     "Args:\n"
     "  op_type_map: the type of an operation -> the name that\n"
     "    `tf.RegisterGradient` gave to the gradient it is to have.\n\n"
     "Raises TypeError if that is no dictionary of strings. Tapes of the\n"
     "same function see operations one by one and keep to their types'\n"
     "gradients.\n\n"
     ">>> @tf.RegisterGradient('DoubledGradient')\n"
     "... def doubled(op, grad):\n"
     "...     return grad * 2.0\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default():\n"
     "...     x = tf.constant(3.0)\n"
     "...     with g.gradient_override_map({'Identity': 'DoubledGradient'}):\n"
     "...         y = tf.identity(x)\n"
     ">>> y.op.get_attr('_gradient_op_type')\n"
     "b'DoubledGradient'"},
    {"switch_to_thread_local", Guarded<DoesNothing>, METH_NOARGS,
     "switch_to_thread_local($self)\n--\n\n"
     "Scopes are those of the thread that builds the graph already."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

// In a function what is of other graphs is done before it runs, whatever it
// is.
bool GatesOf(PyObject* graph, PyObject* given, std::vector<Node*>* nodes) {
  PyRef items = PyRef::Steal(PySequence_Tuple(given));
  if (!items) return false;
  const bool function = PyObject_TypeCheck(graph, FuncGraphType);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyRef held;
    PyObject* item = Gate(PyTuple_GET_ITEM(items.get(), i), &held);
    if (item == nullptr) return false;
    if (!function) {
      held = PyRef::Steal(GraphElement(graph, item, true, true));
      if (!held) return false;
      item = held.get();
    } else if (item == Py_None) {
      Raise(
          TypeError("Can not convert a NoneType into a Tensor or Operation."));
      return false;
    }
    const Graph* own = GraphOf(graph)->graph;
    const Operation* op = nullptr;
    Node* node = nullptr;
    if (IsSymbolicTensor(item)) {
      node = MakerOf(TensorOf(item), own);
    } else if (nb::try_cast(nb::handle(item), op) && op != nullptr &&
               op->graph.get() == own) {
      node = op->node;
    }
    if (node != nullptr) nodes->push_back(node);
  }
  return true;
}

PyObject* ControlScope(PyObject* graph, PyObject* inputs) {
  if (inputs == Py_None) {
    return NewScope(
        graph,
        [](FuncGraph* f) { f->scopes().PushControlInputs(std::nullopt); },
        RunsAfter::End, Py_None);
  }
  std::vector<Node*> nodes;
  if (!GatesOf(graph, inputs, &nodes)) return nullptr;
  return NewScope(
      graph, [nodes](FuncGraph* f) { RunsAfter::Begin(f, nodes); },
      RunsAfter::End, Py_None);
}

void AddGraphScopes(TypeParts* parts) { parts->Add(kGraphScopesMethods); }

void AddGraphScopeType(nb::module_& m) {
  nb::class_<GraphScope>(m, "GraphScope", "A scope of a graph.")
      .def("__enter__", &GraphScope::EnterIt)
      .def("__exit__", [](GraphScope& self, nb::args) { self.ExitIt(); });
}

}  // namespace gk::py
