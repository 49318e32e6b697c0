#include "python/src/data/users_function.h"

#include <cctype>
#include <utility>

#include "data/debug_mode.h"
#include "function/graph_facts.h"
#include "function/host_call.h"
#include "function/variable_creation.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/words.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/python_body.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_parts.h"
#include "python/src/graph/host_function.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {

namespace nb = nanobind;

namespace {

// "Dataset_map_lambda".
std::string TracedName(std::string_view caller, nb::handle function) {
  std::string text;
  const auto append = [&](std::string_view name) {
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') text += c;
    }
  };
  for (const char c : caller) append({c == '.' ? "_" : &c, 1});
  text += '_';
  nb::object name = nb::getattr(function, "__name__", nb::none());
  if (!PyUnicode_Check(name.ptr()) || PyUnicode_GET_LENGTH(name.ptr()) == 0) {
    name = function.type().attr("__name__");
  }
  append(StringView(name.ptr()));
  PyErr_Clear();  // what is no UTF-8 is left out
  return text;
}

nb::object AsValue(nb::handle leaf) {
  const bool value =
      !IsVariable(leaf.ptr()) && (leaf.is_none() || IsCompositeElement(leaf));
  return value ? nb::borrow(leaf) : Wrapped(Converted(leaf));
}

// The components of what a function returned, and its spec.
TensorVector ComponentsOfResult(nb::object result, const char* caller,
                                nb::object* spec) {
  try {
    nb::list leaves;
    for (nb::handle leaf : ElementLeaves(result)) leaves.append(AsValue(leaf));
    result = PackedElement(result, leaves);
    *spec = SpecOfElement(result);
    return Tensors(ComponentsOfElement(*spec, result));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) {
      throw;
    }
    Raise(TypeError("Unsupported return value from function passed to {}: {}.",
                    caller, TextOf(result)));
    nb::python_error unsupported;
    PyException_SetCause(unsupported.value().ptr(),
                         nb::borrow(error.value()).release().ptr());
    throw unsupported;
  }
}

// What `f` gives for an element.
TensorVector Called(nb::handle f, const char* caller, nb::handle spec,
                    const UsersFunction::Adjust& adjust, bool convert,
                    const nb::object& components, nb::object* output) {
  nb::object given = ElementOfComponents(spec, components);
  if (!PyTuple_CheckExact(given.ptr())) given = nb::make_tuple(given);
  nb::object result = convert
                          ? package::call_converted(f, given)
                          : Owned(PyObject_CallObject(f.ptr(), given.ptr()));
  if (adjust) result = adjust(result);
  if (PyList_Check(result.ptr())) result = nb::tuple(result);
  return ComponentsOfResult(std::move(result), caller, output);
}

// A Python function of components: `f`, as it stands in the user's program.
nb::object RunEagerly(nb::handle f, const char* caller, nb::handle spec,
                      const UsersFunction::Adjust& adjust) {
  return nb::cpp_function([f = nb::borrow(f), caller, spec = nb::borrow(spec),
                           adjust](nb::args components) -> nb::object {
    nb::object output;
    return Wrapped(Called(f, caller, spec, adjust, /*convert=*/false,
                          nb::list(components), &output));
  });
}

// Where the graph runs, `eager` is called.
TensorVector OnHost(const nb::object& eager, std::span<const Tensor> components,
                    const ElementSignature& results) {
  nb::list types;
  for (const DataType type : results.types) types.append(Wrapped(type));
  TensorVector made = Tensors(
      CallOnHost(eager, Wrapped(components), types,
                 static_cast<int>(HostCallKind::kDifferentiable), nb::none()));
  for (size_t i = 0; i < made.size(); ++i) {
    Tried([&] { ThrowIfError(SetStaticShape(made[i], results.shapes[i])); });
  }
  return made;
}

}  // namespace

nb::object TracedElements(const std::string& name,
                          const ElementSignature& arguments,
                          OfComponents body) {
  nb::object made;
  const auto trace = [&]() -> Status {
    const auto builder = MakeRef<FuncGraph>(name);
    const nb::object graph = Owned(WrapGraph(builder->graph().get()));
    KeepBody(graph);
    GK_ASSIGN_OR_RETURN(made, PythonTraced(graph, [&] {
                          return TraceElements(builder.get(), arguments, body);
                        }));
    return OkStatus();
  };
  Tried([&] { ThrowIfError(TraceMakingVariables(kPythonWords, trace)); });
  return made;
}

ElementFunction CoreFunction(nb::handle function) {
  if (!IsConcreteFunction(function.ptr())) {
    Throw(TypeError("not a ConcreteFunction"));
  }
  const Ref<ConcreteFunction> f(ConcreteFunctionOf(function.ptr())->function);
  if (!f) Throw(RuntimeError("this function has been collected"));
  return Tried([&] { return AsElementFunction(*f); });
}

UsersFunction::UsersFunction(nb::handle f, const char* caller, nb::handle spec,
                             const Adjust& adjust, bool convert) {
  if (!PyCallable_Check(f.ptr())) {
    Throw(ValueError(
        "Argument `func` must be a callable. Received func={} (of type {})",
        TextOf(f), TextOf(f.type())));
  }
  const auto body = [&](std::span<const Tensor> components) {
    return Called(f, caller, spec, adjust, convert, Wrapped(components),
                  &output_);
  };
  const std::string name = TracedName(caller, f);
  const ElementSignature arguments = SignatureOfSpec(spec);
  function_ = TracedElements(name, arguments, body);
  if (!DatasetDebugMode()) return;
  // What was traced says what comes out.
  const ElementSignature results = SignatureOfSpec(output_);
  const nb::object eager = RunEagerly(f, caller, spec, adjust);
  function_ =
      TracedElements(name, arguments, [&](std::span<const Tensor> components) {
        return OnHost(eager, components, results);
      });
}

ElementFunction UsersFunction::core() const {
  ElementFunction made = CoreFunction(function_);
  made.result = SignatureOfSpec(output_);
  return made;
}

nb::object UsersFunction::Elements(void (*none)(steps::Text)) const {
  if (!IsDatasetSpec(output_)) none([&] { return TextOf(output_); });
  return output_.attr("element_spec");
}

}  // namespace gk::py
