#include "python/src/graph/host_function.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "data/background_work.h"
#include "framework/logical_device.h"
#include "function/func_graph.h"
#include "function/host_call.h"
#include "ops/fn/Identity.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/pending_exception.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/graph/graph_parts.h"
#include "python/src/graph/source_location.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/extension_fields.h"
#include "python/src/types/spec_of_value.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Python is about to take its lock for good: threads that it does not know
// must not ask for it any more.
std::atomic<bool> python_ends{false};

// At most some thousand characters: the text of an error stands twice in that
// of the call around it, and calls may be deep.
std::string Shortened(std::string text) {
  constexpr size_t kMost = 8000;
  if (text.size() <= kMost) return text;
  return Format("{}\n[{} characters]\n{}", text.substr(0, kMost / 2),
                text.size() - kMost, text.substr(text.size() - kMost / 2));
}

Code CodeOf(const nb::python_error& error) {
  constexpr auto kInvalid = Code::kInvalidArgument;
  const std::pair<PyObject*, Code> kCodes[] = {
      {PyExc_ValueError, kInvalid},
      {PyExc_TypeError, kInvalid},
      {PyExc_StopIteration, Code::kOutOfRange},
      {PyExc_MemoryError, Code::kResourceExhausted},
      {PyExc_NotImplementedError, Code::kUnimplemented}};
  for (const auto& [cls, code] : kCodes) {
    if (error.matches(cls)) return code;
  }
  return Code::kUnknown;
}

// What a function raised, with the user's lines that it came through. What is
// no Exception is left to who waits.
Status FailureOf(nb::python_error& error) {
  if (!error.matches(PyExc_Exception)) {
    error.restore();
    return PythonError();
  }
  const nb::module_ traceback = nb::module_::import_("traceback");
  nb::list frames;
  // An error of the extension's own came through no frame.
  const nb::object trace = nb::borrow(
      error.traceback().is_valid() ? error.traceback() : nb::handle(Py_None));
  for (nb::handle frame : traceback.attr("extract_tb")(trace)) {
    const auto file = nb::cast<std::string>(frame.attr("filename"));
    if (!file.starts_with(PackageDirectory())) frames.append(frame);
  }
  std::string lines;
  for (nb::handle text : traceback.attr("format_list")(frames)) {
    if (!lines.empty()) lines += "\n";
    lines += nb::cast<std::string>(text);
  }
  const std::string line = Shortened(
      Format("{}: {}", nb::cast<std::string>(error.type().attr("__name__")),
             TextOf(error.value())));
  return Status(CodeOf(error),
                Format("{}\nTraceback (most recent call last):\n\n{}\n{}\n\n",
                       line, lines, line));
}

// What a function returned. Arrays keep their types, which are checked then;
// of tensors there may be more than are wanted.
TensorVector Results(const std::string& token, nb::handle result,
                     const std::vector<DataType>& types, bool arrays) {
  nb::list values;
  if (IsListOrTuple(result.ptr())) {
    for (nb::handle value : result) values.append(value);
  } else if (!result.is_none()) {
    values.append(result);
  }
  TensorVector results;
  for (size_t i = 0; i < nb::len(values); ++i) {
    const nb::object value = values[i];
    if (arrays) {
      const bool is_tensor = IsTensor(value.ptr());
      results.push_back(Converted(
          is_tensor ? value
                    : nb::module_::import_("numpy").attr("asarray")(value)));
    } else if (nb::len(values) < types.size()) {
      results.emplace_back();  // one that nobody looks at
    } else if (i < types.size()) {
      StatusOr<Tensor> t = ToTensor(value.ptr(), types[i]);
      if (!t.ok()) Throw(t.status());
      results.push_back(*std::move(t));
    }
  }
  return results;
}

// Of a call whose arguments or results may be made of several tensors: how the
// arguments nest, what the results are, and how that prints.
struct Composites {
  StructureRef arguments;
  HostResults results;
  std::string wanted;
  bool in_graph;
};
using CompositesRef = std::shared_ptr<const Composites>;  // null: of none

std::vector<PyRef> TensorsIn(nb::handle value) {
  std::vector<PyRef> leaves;
  if (!StructureOf(value.ptr(), NestRules::kExpanded, &leaves)) {
    throw nb::python_error();
  }
  return leaves;
}

// What `shown` returned, in the tensors of which it is made.
nb::list TakenApart(nb::handle shown, nb::handle given,
                    const Composites& call) {
  const bool several = IsListOrTuple(given.ptr());
  nb::list values = several ? nb::list(given) : nb::list();
  if (!several) values.append(given);
  nb::list tensors;
  for (size_t i = 0; i < call.results.size() && i < nb::len(values); ++i) {
    const nb::object value = values[i];
    const bool composite = IsCompositeTensor(value);
    if (composite || call.results.spec(i).kind != TypeSpec::Kind::kTensor) {
      const TypeSpec spec = CoreSpec(SpecOfValue(value));
      Tried([&] {
        call.results.Check(
            i, spec, TextOf(nb::repr(value)),
            {TextOf(shown), TextOf(nb::repr(values)), call.wanted});
      });
    }
    if (!composite) {
      tensors.append(value);
      continue;
    }
    for (const PyRef& t : TensorsIn(value)) tensors.append(nb::handle(t.get()));
  }
  return tensors;
}

TensorVector CallPythonFunction(nb::handle function, const std::string& token,
                                const TensorVector& values,
                                const std::vector<DataType>& types, bool arrays,
                                const Composites* composites) {
  if (composites != nullptr) {
    std::vector<PyRef> leaves;
    for (const Tensor& t : values)
      leaves.push_back(PyRef::Steal(WrapTensor(t)));
    const nb::object args = Owned(PackValue(*composites->arguments, leaves));
    const nb::object given = function(*nb::tuple(args));
    // A graph calls what holds the function.
    const nb::object shown = composites->in_graph
                                 ? nb::object(function.attr("func"))
                                 : nb::borrow(function);
    return Results(token, TakenApart(shown, given, *composites), types, arrays);
  }
  nb::list args;
  for (const Tensor& t : values) {
    nb::object value = Wrapped(t);
    args.append(arrays ? nb::object(value.attr("numpy")()) : value);
  }
  return Results(token, function(*nb::tuple(args)), types, arrays);
}

// Calls what `weak` refers to, which lives with the Python face of the graph.
HostBody BodyOf(nb::handle function, PythonCall call) {
  std::shared_ptr<PyObject> weak(PyWeakref_NewRef(function.ptr(), nullptr),
                                 DeferredDecref);
  if (!weak) throw nb::python_error();
  return [weak, call = std::move(call)](const std::string& token,
                                        const TensorVector& values,
                                        const std::vector<DataType>& types) {
    if (!Py_IsInitialized() ||
        (python_ends && PyGILState_GetThisThreadState() == nullptr)) {
      throw Error(Cancelled("Python has ended"));
    }
    const ScopedGil gil;
    // An iterator that is dropped because of it ends its generator.
    const PendingException pending;
    Status status;
    try {
      const nb::object function = nb::borrow(PyWeakref_GetObject(weak.get()));
      if (function.is_none()) {
        throw Error(FailedPrecondition(
            "The Python function {} is gone: the tf.function that it was made "
            "in was deleted.",
            token));
      }
      return call(function, token, values, types);
    } catch (nb::python_error& error) {
      status = FailureOf(error);
    }
    if (status.code() == Code::kPythonException && QuietHostCalls::Any()) {
      PyErr_Clear();
      status = Cancelled("a Python function was interrupted");
    }
    throw Error(status);
  };
}

// The results at once; exceptions have the classes that a graph gives them.
TensorVector CallNow(nb::handle function, const TensorVector& inputs,
                     const std::vector<DataType>& types,
                     const Composites* composites) {
  Status status;
  nb::object cause;
  try {
    const nb::object name = nb::getattr(function, "__name__", nb::str("func"));
    const auto token = nb::cast<std::string>(name);
    TensorVector results =
        CallPythonFunction(function, token, inputs, types, false, composites);
    CheckHostResults(token, results, types);
    for (Tensor& t : results) {  // where this thread makes tensors
      if (DeviceOf(t) != CurrentDevice()) t = ops::Identity(t);
    }
    return results;
  } catch (nb::python_error& error) {
    cause = nb::borrow(error.value());
    status = FailureOf(error);
    if (status.code() == Code::kPythonException) throw nb::python_error();
  } catch (const Error& error) {
    status = error.status();
  }
  Raise(Status(status.code(), status.message() + " [Op:EagerPyFunc] name: "));
  nb::python_error raised;
  if (cause.is_valid()) {
    PyException_SetCause(raised.value().ptr(), cause.release().ptr());
  }
  throw raised;
}

bool IsSpec(nb::handle type) {
  return PyObject_TypeCheck(type.ptr(), TypeSpecType);
}

// Null if all arguments and results are tensors. Else what is no composite
// value among the arguments becomes a tensor.
CompositesRef CompositesOf(nb::list& arguments, const nb::list& types) {
  bool any = false;
  for (nb::handle type : types) any |= IsSpec(type);
  for (nb::handle value : arguments) any = any || IsCompositeTensor(value);
  if (!any) return nullptr;
  std::vector<TypeSpec> wanted;
  nb::list shown;
  for (nb::handle type : types) {
    if (IsSpec(type)) {
      wanted.push_back(CoreSpec(type));
      shown.append(type);
      continue;
    }
    const DataType dtype = AsDType(type.ptr());
    if (dtype == DataType::kInvalid) throw nb::python_error();
    wanted.push_back(TypeSpec::Tensor(dtype, PartialTensorShape()));
    shown.append(nb::handle(DTypeObject(dtype)));
  }
  for (size_t i = 0; i < nb::len(arguments); ++i) {
    const nb::object value = arguments[i];
    if (!IsCompositeTensor(value)) arguments[i] = Wrapped(Converted(value));
  }
  StructureRef nested =
      StructureOf(arguments.ptr(), NestRules::kExpanded, nullptr);
  if (!nested) throw nb::python_error();
  return std::make_shared<Composites>(
      Composites{std::move(nested), HostResults(std::move(wanted)),
                 TextOf(nb::repr(shown)), FuncGraph::Current() != nullptr});
}

}  // namespace

TensorVector AddPythonCall(nb::handle function, PythonCall call,
                           std::span<const Tensor> inputs,
                           const std::vector<DataType>& types,
                           HostCallKind kind, std::string_view name) {
  HostCallNode made = Tried([&] {
    return AddHostCall(BodyOf(function, std::move(call)), inputs, types, kind,
                       name);
  });
  // Python's collector sees what it holds.
  KeepPart(function);
  KeepPart(nb::capsule(made.function.Release(), [](void* p) noexcept {
    Ref<HostFunction>::Adopt(static_cast<HostFunction*>(p));
  }));
  return std::move(made.results);
}

nb::object CallOnHost(nb::object function, nb::handle given, nb::handle types,
                      int kind, nb::handle name) {
  const auto call = static_cast<HostCallKind>(kind);
  const bool several = IsListOrTuple(types.ptr());
  nb::list all = several ? nb::list(types) : nb::list();
  if (!several) all.append(types);
  nb::list arguments(given);
  CompositesRef composites;
  if (call == HostCallKind::kDifferentiable) {
    composites = CompositesOf(arguments, all);
  }
  TensorVector inputs;
  std::vector<DataType> wanted;
  if (composites) {
    for (const PyRef& t : TensorsIn(arguments)) {
      inputs.push_back(Converted(t.get()));
    }
    wanted = composites->results.types();
  } else {
    for (nb::handle value : arguments) inputs.push_back(Converted(value));
    for (nb::handle type : all) {
      wanted.push_back(AsDType(type.ptr()));
      if (wanted.back() == DataType::kInvalid) throw nb::python_error();
    }
  }
  TensorVector results;
  if (FuncGraph::Current() == nullptr) {
    results = CallNow(function, inputs, wanted, composites.get());
  } else {
    // A method of an object can be referred to.
    const nb::object kept =
        nb::module_::import_("functools").attr("partial")(function);
    const bool arrays = call != HostCallKind::kDifferentiable;
    results = AddPythonCall(
        kept,
        [arrays, composites](nb::handle f, const std::string& token,
                             const TensorVector& values,
                             const std::vector<DataType>& types) {
          return CallPythonFunction(f, token, values, types, arrays,
                                    composites.get());
        },
        inputs, wanted, call,
        name.is_none() ? std::string() : nb::cast<std::string>(name));
    if (results.empty()) return Owned(MadeOperation());
  }
  nb::list values;
  if (composites) {
    const std::vector<TensorVector> parts =
        Tried([&] { return composites->results.Apart(results); });
    for (size_t i = 0; i < parts.size(); ++i) {
      values.append(
          ValueOfParts(composites->results.spec(i), all[i], parts[i]));
    }
  } else {
    for (const Tensor& t : results) values.append(Wrapped(t));
  }
  return several ? nb::object(values) : nb::object(values[0]);
}

void AddHostFunctions(nb::module_& m) {
  m.def("call_on_host", &CallOnHost, nb::arg("function"), nb::arg("arguments"),
        nb::arg("types"), nb::arg("kind"), nb::arg("name").none());
  m.def(
      "_stop_background_work",
      [] {
        constexpr int kPatience = 2000;  // milliseconds
        GilRelease unlocked(true);
        StopBackgroundWork(kPatience);
        python_ends = true;
      },
      "Ends what iterators do in advance; for the end of the program.");
}

}  // namespace gk::py
