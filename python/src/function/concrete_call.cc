#include "python/src/function/concrete_call.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.h"
#include "function/argument_names.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"
#include "python/src/function/concrete_function_facts.h"
#include "python/src/function/function_signature.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Why a call does not fit.
struct Misfit {
  std::string reason;
};

[[noreturn]] void ThrowRaised() {
  if (!PyErr_ExceptionMatches(BindingErrorType)) throw nb::python_error();
  throw Misfit{TakePythonErrorText()};
}

// Values of the parameters of the function that was traced, borrowed.
std::vector<PyObject*> ByParameter(
    const std::vector<FunctionParameter>& parameters,
    const CallArguments& call) {
  std::vector<PyObject*> values(parameters.size());
  size_t used = 0;
  for (size_t i = 0; i < parameters.size() && used < call.n; ++i) {
    if (parameters[i].kind != ParameterKind::kKeywordOnly) {
      values[i] = call.args[used++];
    }
  }
  if (used < call.n) throw Misfit{"too many positional arguments"};
  std::string unexpected;
  for (size_t i = 0; i < call.num_named(); ++i) {
    const std::string name(StringView(PyTuple_GET_ITEM(call.kwnames, i)));
    const auto p = std::ranges::find_if(parameters, [&](const auto& p) {
      return p.kind != ParameterKind::kPositionalOnly && p.name == name;
    });
    if (p == parameters.end()) {
      if (unexpected.empty()) unexpected = name;
      continue;
    }
    PyObject*& place = values[p - parameters.begin()];
    if (place != nullptr) {
      throw Misfit{Format("multiple values for argument '{}'", name)};
    }
    place = call.args[call.n + i];
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr) {
      throw Misfit{
          Format("missing a required argument: '{}'", parameters[i].name)};
    }
  }
  if (!unexpected.empty()) {
    throw Misfit{Format("got an unexpected keyword argument '{}'", unexpected)};
  }
  return values;
}

TensorVector StructuredInputs(const FunctionType& type, CallArguments call) {
  PyRef names;
  if (call.num_named() > 0) {
    names = SanitizedNames(call.kwnames);
    if (!names) throw nb::python_error();
    call.kwnames = names.get();
  }
  const std::vector<PyObject*> values = ByParameter(type.parameters(), call);
  std::vector<int> seen;
  std::vector<PyRef> parts;
  for (size_t i = 0; i < values.size(); ++i) {
    const TraceType& t = *type.parameters()[i].type;
    PyRef cast = PyRef::Steal(CastValue(t, values[i]));
    if (!cast || !FlattenInputs(t, cast.get(), &seen, &parts)) ThrowRaised();
  }
  TensorVector inputs;
  if (!ToInputs(parts, &inputs)) ThrowRaised();
  return inputs;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

TensorVector FlatInputs(const PyConcreteFunction& object,
                        const CallArguments& call) {
  const ConcreteFunction& f = *object.function;
  const std::vector<std::string> names = FlatNames(f);
  const std::string shown = ShortName(f) + "(" + Joined(names) + ")";
  if (call.n > object.most_positional) {
    throw Misfit{Format("{} takes {} positional arguments, got {}.", shown,
                        object.most_positional, call.n)};
  }
  std::vector<PyObject*> values(call.args, call.args + call.n);
  values.resize(names.size());
  std::vector<std::string> twice, unexpected, missing;
  for (size_t i = 0; i < call.num_named(); ++i) {
    const std::string name(StringView(PyTuple_GET_ITEM(call.kwnames, i)));
    const size_t at = std::ranges::find(names, name) - names.begin();
    if (at == names.size()) {
      unexpected.push_back(name);
    } else if (at < call.n) {
      twice.push_back(name);
    } else {
      values[at] = call.args[call.n + i];
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (values[i] == nullptr) missing.push_back(names[i]);
  }
  if (!missing.empty()) {
    throw Misfit{
        Format("{} missing required arguments: {}.", shown, Joined(missing))};
  }
  if (!twice.empty()) {
    throw Misfit{Format("{} got two values for '{}'.", shown, twice[0])};
  }
  if (!unexpected.empty()) {
    throw Misfit{Format("{} got unexpected keyword arguments: {}.", shown,
                        Joined(unexpected))};
  }
  std::vector<PyRef> parts;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsTensor(values[i]) && !IsVariable(values[i])) {
      PyRef text = PyRef::Steal(PyObject_Format(values[i], nullptr));
      PyRef kind = PyRef::Steal(PyType_GetName(Py_TYPE(values[i])));
      if (!text || !kind) throw nb::python_error();
      throw Misfit{Format(
          "{}: expected argument #{}(zero-based) to be a Tensor; got {} ({}).",
          shown, i, StringView(kind.get()), StringView(text.get()))};
    }
    parts.push_back(PyRef::Share(values[i]));
  }
  TensorVector inputs;
  if (!ToInputs(parts, &inputs)) ThrowRaised();
  return inputs;
}

// (args, kwargs); TypeError if they do not fit.
PyObject* CallFlat(PyObject* o, PyObject* given) {
  PyConcreteFunction* const f = ConcreteFunctionOf(o);
  PyObject *sequence, *kwargs;
  if (!PyArg_ParseTuple(given, "OO!", &sequence, &PyDict_Type, &kwargs)) {
    return nullptr;
  }
  const PyRef all = PyRef::Steal(PySequence_Tuple(sequence));
  if (!all) return nullptr;
  PyObject* const args = all.get();
  std::vector<PyObject*> values;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    values.push_back(PyTuple_GET_ITEM(args, i));
  }
  const size_t n = values.size();
  const PyRef names = PyRef::Steal(PySequence_Tuple(kwargs));
  if (!names) return nullptr;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) {
    values.push_back(value);
  }
  const Ref<ConcreteFunction> keep(f->function);
  TensorVector inputs;
  try {
    inputs = FlatInputs(*f, {values.data(), n, names.get()});
  } catch (const Misfit& flat) {
    return Raise(TypeError("{}", flat.reason));
  }
  return RunConcrete(f, inputs);
}

PyMethodDef kMethods[] = {
    {"_call_with_flat_signature", Guarded<CallFlat>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* CallStructured(PyConcreteFunction* f, PyObject* const* args, size_t n,
                         PyObject* kwnames) {
  const CallArguments call{args, n, kwnames};
  const Ref<ConcreteFunction> keep(f->function);
  const Ref<FunctionType> type = keep->signature().type;
  TensorVector inputs;
  std::string reason = "the function was not traced from Python";
  try {
    try {
      if (!type) throw Misfit{reason};
      inputs = StructuredInputs(*type, call);
    } catch (Misfit& structured) {
      reason = std::move(structured.reason);
      inputs = FlatInputs(*f, call);
    }
  } catch (const Misfit& flat) {
    PyRef signature =
        PyRef::Steal(FunctionTypeOf(reinterpret_cast<PyObject*>(f), nullptr));
    if (signature) {
      RaiseMisfit(
          reason, call, *FunctionTypeIn(signature.get()),
          "\nFallback to flat signature also failed due to: " + flat.reason);
    }
    return nullptr;
  }
  return RunConcrete(f, inputs);
}

void AddFlatCalls(TypeParts* concrete_function) {
  concrete_function->Add(kMethods);
}

}  // namespace gk::py
