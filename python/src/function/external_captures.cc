#include "python/src/function/external_captures.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "function/implementations.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/values_on_call.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_def.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// A value in a text, as f-strings have it.
std::string ShownPlain(nb::handle value) {
  PyRef text = PyRef::Steal(PyObject_Format(value.ptr(), nullptr));
  if (!text) throw nb::python_error();
  return std::string(StringView(text.get()));
}

// Captures of which some are called for their values.
class GivenValues final : public ValuesOnCall {
 public:
  // `names`: of what stands for them inside of the function.
  GivenValues(std::string function, std::vector<std::string> names,
              PyObject* captures)
      : function_(std::move(function)),
        names_(std::move(names)),
        captures_(Py_NewRef(captures), DeferredDecref) {}

  bool Evaluate(TensorVector* tensors) override {
    nb::list given;
    for (nb::handle c : nb::handle(captures_.get())) {
      given.append(PyCallable_Check(c.ptr()) ? c() : nb::borrow(c));
    }
    std::vector<PyRef> values;
    if (!StructureOf(given.ptr(), NestRules::kExpanded, &values)) return false;
    if (values.size() != names_.size()) {
      nb::list shown;
      for (const PyRef& v : values) shown.append(nb::handle(v.get()));
      Raise(ValueError("{} captures {} tensors, got {}: {}.", function_,
                       names_.size(), values.size(), ShownPlain(shown)));
      return false;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const nb::handle value = values[i].get();
      if (!IsTensor(value.ptr())) {
        Raise(TypeError(
            "{}: the value captured for '{}' must be a tensor, got {} ({}).",
            function_, names_[i], ShownPlain(value.type().attr("__name__")),
            ShownPlain(nb::repr(value))));
        return false;
      }
      tensors->push_back(TensorOf(value.ptr()));
    }
    return true;
  }

 private:
  std::string function_;
  std::vector<std::string> names_;
  std::shared_ptr<PyObject> captures_;
};

bool IsListOfTensors(PyObject* o, size_t count) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  PyRef items = PyRef::Steal(PySequence_Fast(o, ""));
  PyObject** const all = PySequence_Fast_ITEMS(items.get());
  return static_cast<size_t>(PySequence_Fast_GET_SIZE(items.get())) == count &&
         std::all_of(all, all + count, IsTensor);
}

PyObject* SetExternalCaptures(PyObject* o, PyObject* given) {
  PyConcreteFunction* const f = ConcreteFunctionOf(o);
  std::vector<FunctionCapture> captures = f->function->captures();
  if (IsListOfTensors(given, captures.size())) {
    size_t i = 0;
    for (nb::handle tensor : nb::handle(given)) {
      captures[i++] = {.external = TensorOf(tensor.ptr())};
    }
    const Status status = SetCaptures(f, captures);
    if (status.ok()) Py_RETURN_NONE;
    // The next call says that one does not match.
    if (status.code() != Code::kInvalidArgument) return Raise(status);
  }
  std::vector<std::string> names;
  for (const FunctionCapture& c : f->function->captures()) {
    names.push_back(c.placeholder->name());
  }
  const auto values =
      std::make_shared<GivenValues>(f->function->name(), names, given);
  if (captures.empty()) {
    // There is nothing that a call could ask for.
    TensorVector none;
    return values->Evaluate(&none) ? Py_NewRef(Py_None) : nullptr;
  }
  for (size_t i = 0; i < captures.size(); ++i) {
    captures[i] = {.value = ValueOf(values, i)};
  }
  const Status status = SetCaptures(f, std::move(captures));
  return status.ok() ? Py_NewRef(Py_None) : Raise(status);
}

// Which capture is meant; -1 if none.
int FindCapture(PyObject* concrete, nb::handle tensor, nb::handle placeholder) {
  const auto at = [](const std::vector<FunctionCapture>& captures, auto is_it) {
    const auto found = std::ranges::find_if(captures, is_it);
    return found == captures.end() ? -1
                                   : static_cast<int>(found - captures.begin());
  };
  if (!placeholder.is_none()) {
    const nb::str name(placeholder.attr("name"));
    return at(ConcreteFunctionOf(concrete)->function->captures(),
              [&](const FunctionCapture& c) {
                return c.placeholder->name() + ":0" == StringView(name.ptr());
              });
  }
  const nb::object graph = nb::handle(concrete).attr("graph");
  const FuncGraph* traced = GraphOf(graph.ptr())->func;
  if (traced == nullptr || !IsTensor(tensor.ptr())) return -1;
  return at(traced->inputs().captures(), [&](const FunctionCapture& c) {
    return c.external && c.external.impl() == ImplOf(tensor.ptr());
  });
}

PyObject* ReplaceCapture(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *given, *closure, *constraint, *inside = Py_None, *unused;
  if (!ParseArguments(
          args, kwargs, "OOO|OO",
          {"tensor", "closure", "spec", "placeholder", "default_value"}, &given,
          &closure, &constraint, &inside, &unused)) {
    return nullptr;
  }
  PyConcreteFunction* const f = ConcreteFunctionOf(o);
  const int at = FindCapture(o, given, inside);
  if (at < 0) {
    return Raise(ValueError(
        "Did not find `tensor` argument {} in the ConcreteFunction's captured "
        "inputs list, and did not receive a placeholder argument. Thus we're "
        "unable to infer the internal placeholder. ",
        ShownPlain(given)));
  }
  std::vector<FunctionCapture> captures = f->function->captures();
  const nb::object placeholder =
      nb::steal(WrapTensor(f->function->function()->graph_ref()->TensorOf(
          {captures[at].placeholder, 0})));
  const nb::handle spec = constraint;
  const auto fits = [&](nb::handle tensor) {
    return nb::cast<bool>(spec.attr("is_compatible_with")(tensor));
  };
  if (!fits(given) && !fits(placeholder)) {
    return Raise(ValueError(
        "Attempting to substitute closure with spec {} that's incompatible "
        "with the original capture {} or the internal placeholder {}.",
        ShownPlain(spec), ShownPlain(given), ShownPlain(placeholder)));
  }
  const auto value = std::make_shared<GivenValues>(
      f->function->name(),
      std::vector<std::string>{captures[at].placeholder->name()},
      nb::make_tuple(nb::borrow(closure)).ptr());
  captures[at] = {.value = ValueOf(value, 0)};
  const Status status = SetCaptures(f, std::move(captures));
  return status.ok() ? Py_NewRef(Py_None) : Raise(status);
}

PyObject* AddGradientFunctionsToGraph(PyObject*, PyObject* args,
                                      PyObject* kwargs) {
  PyObject* unused;
  if (!ParseArguments(args, kwargs, "|O", {"g"}, &unused)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* AddToGraph(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *g = Py_None, *unused;
  if (!ParseArguments(args, kwargs, "|OO", {"g", "overwrite"}, &g, &unused)) {
    return nullptr;
  }
  nb::object graph = nb::borrow(g);
  if (g == Py_None) {
    FuncGraph* here = FuncGraph::Current();
    if (here == nullptr) Py_RETURN_NONE;
    graph = Owned(WrapGraph(here->graph().get()));
  }
  if (!IsGraph(graph.ptr())) {
    return Raise(TypeError("Argument `g` must be a tf.Graph. Received: {}",
                           ShownPlain(graph.type().attr("__name__"))));
  }
  if (!nb::hasattr(graph, kKeptFunctions)) {
    nb::setattr(graph, kKeptFunctions, nb::dict());
  }
  nb::object kept = graph.attr(kKeptFunctions);
  kept[nb::handle(o).attr("name")] = nb::handle(o);
  const ConcreteFunction* function = ConcreteFunctionOf(o)->function;
  if (function != nullptr && function->captures().empty()) {
    PreferImplementation(GraphOf(graph.ptr())->graph, function->function());
  }
  Py_RETURN_NONE;
}

constexpr char kCaptures[] = "captures";

PyMethodDef kExternalCapturesMethods[] = {
    {"set_external_captures", GK_OF_ARGUMENT(kCaptures, SetExternalCaptures),
     "set_external_captures($self, captures)\n--\n\n"
     "Changes what calls of this function pass for what it captured.\n\n"
     "Args:\n"
     "  captures: for each of `captured_inputs`, in their order, a tensor of "
     "the\n"
     "    same dtype and shape, or a callable that is asked for tensors at "
     "each\n"
     "    call. A captured variable is given by its `handle`.\n\n"
     "What the values are is checked by the next call: it raises ValueError "
     "if\nthey are too few or too many, TypeError for what is no tensor and\n"
     "tf.errors.InvalidArgumentError for another dtype or shape.\n\n"
     ">>> c = tf.constant(2.0)\n"
     ">>> f = tf.function(lambda x: x * c)\n"
     ">>> double = f.get_concrete_function(tf.TensorSpec([], tf.float32))\n"
     ">>> double.set_external_captures([tf.constant(3.0)])\n"
     ">>> double(tf.constant(5.0)).numpy().item()\n"
     "15.0"},
    {"replace_capture_with_deferred_capture",
     AsCFunction(Guarded<ReplaceCapture>), kByName,
     "replace_capture_with_deferred_capture($self, tensor, closure, spec, "
     "placeholder=None, default_value=None)\n--\n\n"
     "Puts what a closure gives at each call in place of one capture.\n\n"
     "Args:\n"
     "  tensor: one of `captured_inputs`.\n"
     "  closure: takes nothing, returns a tensor that matches `spec`.\n"
     "  spec: a tf.TensorSpec that fits what was captured.\n"
     "  placeholder: what stands for the capture inside, if `tensor` does not\n"
     "    tell.\n"
     "  default_value: accepted for compatibility.\n\n"
     "Raises ValueError if there is no such capture, or `spec` does not fit "
     "it.\n\n"
     ">>> c = tf.constant(2.0)\n"
     ">>> f = tf.function(lambda x: x * c)\n"
     ">>> scale = f.get_concrete_function(tf.TensorSpec([], tf.float32))\n"
     ">>> scale.replace_capture_with_deferred_capture(\n"
     "...     c, lambda: tf.constant(7.0), tf.TensorSpec([], tf.float32))\n"
     ">>> scale(tf.constant(5.0)).numpy().item()\n"
     "35.0"},
    {"add_to_graph", AsCFunction(Guarded<AddToGraph>), kByName,
     "add_to_graph($self, g=None, overwrite=False)\n--\n\n"
     "Puts the function, and all that it calls, into a graph's library.\n\n"
     "Args:\n"
     "  g: the graph; None is the one that is being built. Nothing happens\n"
     "    outside of any: functions are known everywhere there.\n"
     "  overwrite: accepted for compatibility. A function of the same name "
     "is\n"
     "    this function.\n\n"
     "Raises TypeError if `g` is no graph.\n\n"
     ">>> g = tf.Graph()\n"
     ">>> f = tf.function(lambda x: x + 1.0)\n"
     ">>> f.get_concrete_function(tf.TensorSpec([], "
     "tf.float32)).add_to_graph(g)\n"
     ">>> len(g.as_graph_def().library.function)\n"
     "1"},
    {"add_gradient_functions_to_graph",
     AsCFunction(Guarded<AddGradientFunctionsToGraph>), kByName,
     "add_gradient_functions_to_graph($self, g=None)\n--\n\n"
     "Accepted for compatibility: derivatives are made when they are asked\n"
     "for, in the graph that asks."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddExternalCaptures(TypeParts* concrete_function) {
  concrete_function->Add(kExternalCapturesMethods);
}

}  // namespace gk::py
