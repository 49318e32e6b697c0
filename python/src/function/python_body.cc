#include "python/src/function/python_body.h"

#include <utility>
#include <vector>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/graph_parts.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/source_location.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

void RefuseResult(PyObject* function, PyObject* value) {
  PyRef name = PyRef::Steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(Py_TYPE(value)), "__name__"));
  if (!name) return;
  PyErr_Format(
      PyExc_TypeError,
      "To be compatible with tf.function, Python functions must return zero or "
      "more Tensors or ExtensionTypes or None values; in compilation of %S, "
      "found return value of type %S, which is not a Tensor or "
      "ExtensionType.",
      function, name.get());
}

// A leaf of a result as a tensor. Null with an exception set.
PyRef ResultTensor(PyObject* function, PyObject* value) {
  if (IsTensor(value)) return PyRef::Share(value);
  if (!PyCallable_Check(value) && !IsDType(value)) {
    StatusOr<Tensor> t = ToTensor(value);
    PyRef tensor =
        PyRef::Steal(t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status()));
    if (tensor || (!PyErr_ExceptionMatches(PyExc_TypeError) &&
                   !PyErr_ExceptionMatches(PyExc_ValueError))) {
      return tensor;
    }
    PyErr_Clear();
  }
  RefuseResult(function, value);
  return {};
}

// What a function may do about a tensor of a part of it that it returned.
void ExplainScope(PyObject* function) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  PyRef text = PyRef::Steal(error ? PyObject_Str(error) : nullptr);
  const bool scope = text && StringView(text.get()).find("is out of scope") !=
                                 std::string_view::npos;
  if (!scope) {
    PyErr_Clear();
    return PyErr_Restore(type, error, trace);
  }
  PyErr_Format(type,
               "%U\nIt is returned by %S. A tensor leaves a loop's or branch's "
               "body through a local variable only, one that is assigned there "
               "and also before the loop or in the other branch: return that.",
               text.get(), function);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
}

}  // namespace

PythonBody::PythonBody(nb::handle graph, FuncGraph* builder,
                       const FunctionType& type, nb::handle function,
                       bool convert, nb::handle features)
    : function_(nb::borrow(function)),
      features_(nb::borrow(features)),
      convert_(convert),
      type_(type),
      arguments_(builder, graph.ptr()) {}

Status PythonBody::Call() {
  const std::vector<PyRef>& values = arguments_.values();
  before_ = ArgumentSnapshot(type_, values);
  std::vector<PyObject*> given, named;
  PyRef names = PyRef::Steal(PyList_New(0));
  for (size_t i = 0; i < values.size(); ++i) {
    const FunctionParameter& p = type_.parameters()[i];
    if (p.kind != ParameterKind::kKeywordOnly) {
      given.push_back(values[i].get());
      continue;
    }
    named.push_back(values[i].get());
    const PyRef name = PyRef::Steal(ToPyString(p.name));
    if (!names || !name || PyList_Append(names.get(), name.get()) < 0) {
      return PythonError();
    }
  }
  const size_t positional = given.size();
  given.insert(given.end(), named.begin(), named.end());
  names = PyRef::Steal(names ? PyList_AsTuple(names.get()) : nullptr);
  if (!names) return PythonError();

  const ConversionScope conversion(convert_);
  const PyRef called = convert_ ? PyRef::Steal(package::convert.Call(
                                      {function_.ptr(), features_.ptr()}))
                                : PyRef::Share(function_.ptr());
  if (!called) return PythonError();
  result_ = PyRef::Steal(
      PyObject_Vectorcall(called.get(), given.data(), positional, names.get()));
  return result_ ? OkStatus() : PythonError();
}

Status PythonBody::CheckArguments() {
  before_.Check(function_);
  return OkStatus();
}

StatusOr<StructureRef> PythonBody::Results(AddResult add) {
  StructureRef structure =
      StructureOf(result_.get(), NestRules::kResult, [&](PyObject* leaf) {
        PyRef tensor = ResultTensor(function_.ptr(), leaf);
        if (!tensor) return false;
        const Status added = add(TensorOf(tensor.get()));
        if (added.ok()) return true;
        Raise(added);
        if (PyErr_ExceptionMatches(PyExc_ValueError)) {
          ExplainScope(function_.ptr());
        }
        return false;
      });
  if (!structure) return PythonError();
  return structure;
}

Status PythonBody::NotAlone(Status error) {
  PyErr_SetString(PyExc_AssertionError, error.message().c_str());
  return PythonError();
}

namespace {

// What is called when the graph is left; programs set it.
constexpr char kExitCallbacks[] = "_scope_exit_callbacks";

class PartsReleased {
 public:
  explicit PartsReleased(nb::handle graph) : graph_(graph) {}
  ~PartsReleased() {
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    try {
      ReleaseBodies(graph_);
    } catch (nb::python_error& failed) {
      failed.discard_as_unraisable(graph_);
    }
    PyErr_Restore(type, error, trace);
  }
  PartsReleased(const PartsReleased&) = delete;

 private:
  const nb::handle graph_;
};

}  // namespace

StatusOr<nb::object> PythonTraced(
    nb::handle graph, FunctionRef<StatusOr<Ref<ConcreteFunction>>()> trace) {
  const PartsReleased released(graph);
  StatusOr<Ref<ConcreteFunction>> function = [&] {
    const TracedHere here;
    return trace();
  }();
  GK_RETURN_IF_ERROR(function.status());
  for (nb::handle call : nb::getattr(graph, kExitCallbacks, nb::tuple())) {
    call();
  }
  nb::object made = Owned(NewConcreteFunction(*std::move(function)));
  made.attr("graph") = graph;
  KeepParts(graph);
  return made;
}

}  // namespace gk::py
