#include "python/src/function/deferred_captures.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/op_registry.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/traced_values.h"
#include "python/src/function/typed_values.h"
#include "python/src/function/values_on_call.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// What a closure returns.
class DeferredValue final : public ValuesOnCall {
 public:
  DeferredValue(PyObject* closure, TraceTypeRef type)
      : closure_(Py_NewRef(closure), DeferredDecref), type_(std::move(type)) {}

  // Where in the flattened value the tensor of each placeholder is.
  std::vector<size_t> positions;

  bool Evaluate(TensorVector* values) override {
    PyRef value = PyRef::Steal(PyObject_CallNoArgs(closure_.get()));
    if (!value) return false;
    value = PyRef::Steal(CastValue(*type_, value.get()));
    if (!value) {
      if (PyErr_ExceptionMatches(BindingErrorType)) {
        Raise(TypeError("{}", TakePythonErrorText()));
      }
      return false;
    }
    std::vector<int> seen;
    std::vector<PyRef> parts;
    TensorVector flat;
    if (!FlattenInputs(*type_, value.get(), &seen, &parts) ||
        !ToInputs(parts, &flat)) {
      return false;
    }
    for (const size_t at : positions) values->push_back(flat[at]);
    return true;
  }

 private:
  std::shared_ptr<PyObject> closure_;
  TraceTypeRef type_;
};

// Stands in for a graph where placeholders of parameters are made.
class DeferredArguments {
 public:
  DeferredArguments(FuncGraph* graph, std::shared_ptr<DeferredValue> value)
      : graph_(graph), value_(std::move(value)) {}

  nb::object Add(const std::string& name, nb::handle dtype, nb::handle shape,
                 nb::handle, bool variable) {
    const auto check = [](const Status& status) {
      if (status.ok()) return;
      Raise(status);
      throw nb::python_error();
    };
    if (variable) {
      check(TypeError(
          "A variable cannot be captured by call time; its value can."));
    }
    const DataType type = AsDType(dtype.ptr());
    if (type == DataType::kInvalid) throw nb::python_error();
    const StatusOr<PartialTensorShape> dims = AsShape(shape.ptr());
    check(dims.status());
    const StatusOr<Tensor> placeholder = graph_->inputs().CaptureDeferred(
        ValueOf(value_, made_.size()), type, *dims, name);
    check(placeholder.status());
    made_.push_back(Graph::OutputOf(*placeholder).node);
    PyObject* wrapped = WrapTensor(*placeholder);
    if (wrapped == nullptr) throw nb::python_error();
    return nb::steal(wrapped);
  }
  const std::vector<const Node*>& made() const { return made_; }

 private:
  FuncGraph* graph_;
  std::shared_ptr<DeferredValue> value_;
  std::vector<const Node*> made_;
};

// Placeholders in the structure of `type`. New reference.
PyObject* Placeholders(FuncGraph* graph, PyObject* closure,
                       const TraceTypeRef& type) {
  const auto deferred = std::make_shared<DeferredValue>(closure, type);
  auto* arguments = new DeferredArguments(graph, deferred);
  nb::object owner = nb::cast(arguments, nb::rv_policy::take_ownership);
  PyRef value = PyRef::Steal(
      ValueOfType(owner.ptr(), type,
                  std::string(OpRegistry::Get().The(kPlaceholder).name)));
  std::vector<int> seen;
  std::vector<PyRef> flat;
  if (!value || !FlattenInputs(*type, value.get(), &seen, &flat)) {
    return nullptr;
  }
  for (const Node* made : arguments->made()) {
    const auto at = std::find_if(flat.begin(), flat.end(), [&](const PyRef& t) {
      return Graph::OutputOf(TensorOf(t.get())).node == made;
    });
    deferred->positions.push_back(at - flat.begin());
  }
  return value.Release();
}

}  // namespace

PyObject* DeferredExternalCaptures(PyObject* graph, void*) {
  PyRef known = PyRef::Steal(PyObject_GetAttrString(graph, "_closures"));
  if (known) return PySequence_List(known.get());
  PyErr_Clear();
  return PyList_New(0);
}

// `_deferred` holds (type, value) by key, `_closures` what was given.
PyObject* CaptureCallTimeValue(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *closure, *spec, *key = Py_None, *unused, *placeholder = Py_None;
  if (!ParseArguments(
          args, kwargs, "OO|OOO",
          {"closure", "spec", "key", "default_value", "placeholder"}, &closure,
          &spec, &key, &unused, &placeholder)) {
    return nullptr;
  }
  if (placeholder != Py_None) {
    return Raise(ValueError("`placeholder` must be None: it is made here."));
  }
  FuncGraph* f = BuilderOf(o);
  if (f == nullptr) return nullptr;
  nb::object graph = nb::borrow(o);
  if (!nb::hasattr(graph, "_deferred")) {
    graph.attr("_deferred") = nb::dict();
    graph.attr("_closures") = nb::list();
  }
  nb::object name =
      key == Py_None ? nb::object(nb::builtins()["object"])() : nb::borrow(key);
  nb::dict known(graph.attr("_deferred"));
  if (!known.contains(name)) {
    CallVariables none;
    StatusOr<TraceTypeRef> type = TraceTypeOf(spec, &none);
    if (!type.ok()) return Raise(type.status());
    nb::list(graph.attr("_closures")).append(nb::handle(closure));
    PyObject* value = Placeholders(f, closure, *type);
    if (value == nullptr) return nullptr;
    known[name] =
        nb::make_tuple(nb::steal(WrapTraceType(*type)), nb::steal(value));
  }
  return nb::object(known[name][1]).release().ptr();
}

void AddDeferredCaptures(nb::module_& m) {
  nb::class_<DeferredArguments>(m, "DeferredArguments",
                                "What makes placeholders of values to come.")
      .def("_add_argument", &DeferredArguments::Add, nb::arg("name"),
           nb::arg("dtype"), nb::arg("shape"), nb::arg("user_name"),
           nb::arg("variable") = false);
}

}  // namespace gk::py
