#include "python/src/function/call_rules.h"

#include <algorithm>

#include "function/signature_rules.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/typed_values.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

// The arguments as tensors. False with an exception set.
bool ToTensors(const CallArguments& call, std::vector<PyRef>* values,
               bool* same) {
  for (size_t i = 0; i < call.n + call.num_named(); ++i) {
    PyObject* o = call.args[i];
    if (IsTensor(o) || IsTensorSpec(o)) {
      values->push_back(PyRef::Share(o));
      continue;
    }
    *same = false;
    StatusOr<Tensor> made = ToTensor(o);
    values->push_back(
        PyRef::Steal(made.ok() ? WrapTensor(*made) : Raise(made.status())));
    if (!values->back()) return false;
  }
  return true;
}

std::vector<PyObject*> Pointers(const std::vector<PyRef>& values) {
  std::vector<PyObject*> pointers;
  for (const PyRef& v : values) pointers.push_back(v.get());
  return pointers;
}

// The variables of a value of a type, by their aliases.
bool FindVariables(const TraceType& type, PyObject* value,
                   CallVariables* variables) {
  if (type.kind() == Kind::kVariable) {
    const size_t alias = type.alias();
    if (alias >= variables->size()) {
      variables->resize(alias + 1, PyRef::Share(Py_None));
    }
    if ((*variables)[alias].get() == Py_None) {
      (*variables)[alias] = PyRef::Share(value);
    }
    return true;
  }
  if (!type.is_container()) return true;
  return ForEachPart(type, value, [&](const TraceType& child, PyObject* part) {
    return FindVariables(child, part, variables);
  });
}

// Does `value` need no cast? What is no argument before it is cast does.
bool IsOf(const TraceType& type, PyObject* value, CallVariables* variables,
          bool* is) {
  StatusOr<TraceTypeRef> own = TraceTypeOf(value, variables);
  if (own.ok()) {
    *is = (*own)->IsSubtypeOf(type);
    return true;
  }
  Raise(own.status());
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyErr_Clear();
  *is = false;
  return true;
}

}  // namespace

void CallRules::Constrain(const FunctionSignature& signature,
                          nb::handle input_signature) {
  const nb::list specs(nb::borrow(input_signature));
  const auto parameters =
      SignParameters(*signature.Type(), PyList_GET_SIZE(specs.ptr()));
  if (!parameters.ok()) Throw(parameters.status());
  CallVariables variables;
  std::vector<FunctionParameter> types, shown;
  for (const SignedParameter& signed_one : *parameters) {
    PyRef spec = signed_one.type >= 0
                     ? PyRef::Share(specs[signed_one.type].ptr())
                     : signature.parameters()[signed_one.of].default_value;
    StatusOr<TraceTypeRef> type = TraceTypeOf(spec.get(), &variables);
    if (!type.ok()) Throw(type.status());
    shown.push_back(signed_one.parameter);
    shown.back().type = *std::move(type);
    types.push_back(shown.back());
    types.back().optional = false;
    specs_.push_back(std::move(spec));
  }
  constrained_type_ = MakeRef<FunctionType>(std::move(types));
  shown_type_ = MakeRef<FunctionType>(std::move(shown));
}

// Raises the one error of calls that do not fit. False.
bool CallRules::Refuse(const CallArguments& call,
                       std::string_view reason) const {
  RaiseMisfit(reason, call, *Type());
  return false;
}

int CallRules::Visit(visitproc visit, void* arg) const {
  for (const PyRef& spec : specs_) Py_VISIT(spec.get());
  return signature_.Visit(visit, arg);
}

bool CallRules::Ask(const CallArguments& given, AskedCall* asked) const {
  CallArguments call = given;
  asked->remember = true;
  std::vector<PyRef> tensors;
  std::vector<PyObject*> pointers;
  if (tensors_only_) {
    if (!ToTensors(given, &tensors, &asked->remember)) return false;
    pointers = Pointers(tensors);
    call.args = pointers.data();
  }
  const std::string misfit = GivenMisfit(call);
  if (PyErr_Occurred()) return false;
  if (!misfit.empty()) return Refuse(call, misfit);
  const auto fit = signature_.Bind(call, &asked->bound);
  if (fit == FunctionSignature::Fit::kError) return false;
  if (fit == FunctionSignature::Fit::kNo) {
    return Refuse(call, signature_.WhyNot(call));
  }
  return is_constrained() ? AskConstrained(call, asked) : AskTypes(asked);
}

bool CallRules::AskTypes(AskedCall* asked) const {
  std::vector<FunctionParameter> parameters;
  for (const BoundValue& b : asked->bound) {
    StatusOr<TraceTypeRef> type = TraceTypeOf(b.value.get(), &asked->variables);
    if (!type.ok()) {
      Raise(type.status());
      return false;
    }
    // Composite values have no words by which a call could be remembered.
    const Kind kind = (*type)->kind();
    asked->remember &= kind != Kind::kComposite && kind != Kind::kCustom;
    parameters.push_back({b.name, b.kind, false, *std::move(type)});
  }
  asked->type = MakeRef<FunctionType>(std::move(parameters));
  return true;
}

std::string CallRules::GivenMisfit(const CallArguments& call) const {
  if (!is_constrained()) return {};
  std::vector<std::string_view> names;
  for (size_t i = 0; i < call.num_named(); ++i) {
    names.push_back(StringView(PyTuple_GET_ITEM(call.kwnames, i)));
  }
  return GivenNamesMisfit(names, *constrained_type_);
}

std::string CallRules::BoundMisfit(const std::vector<BoundValue>& bound) const {
  std::vector<BoundName> names;
  for (const BoundValue& b : bound) names.push_back({b.name, b.kind});
  return BoundNamesMisfit(names, *constrained_type_);
}

bool CallRules::AskConstrained(const CallArguments& call,
                               AskedCall* asked) const {
  const std::string misfit = BoundMisfit(asked->bound);
  if (!misfit.empty()) return Refuse(call, misfit);
  const auto& parameters = constrained_type_->parameters();
  CallVariables given;
  for (size_t i = 0; i < asked->bound.size(); ++i) {
    BoundValue& b = asked->bound[i];
    const TraceType& type = *parameters[i].type;
    PyRef cast = PyRef::Steal(CastValue(type, b.value.get()));
    if (!cast) {
      if (!PyErr_ExceptionMatches(BindingErrorType)) return false;
      return Refuse(call, TakePythonErrorText());
    }
    bool same = false;
    if (!IsOf(type, b.value.get(), &given, &same)) return false;
    asked->remember &= same;
    b.value = std::move(cast);
  }
  asked->type = constrained_type_;
  for (size_t i = 0; i < asked->bound.size(); ++i) {
    if (!FindVariables(*parameters[i].type, asked->bound[i].value.get(),
                       &asked->variables)) {
      return false;
    }
  }
  return true;
}

void CallRules::AskSignature(AskedCall* asked) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    const FunctionParameter& p = constrained_type_->parameters()[i];
    asked->bound.push_back({p.name, p.kind, specs_[i]});
  }
  asked->type = constrained_type_;
}

bool FlattenCall(const FunctionType& type, const std::vector<BoundValue>& bound,
                 std::vector<PyRef>* inputs) {
  std::vector<int> seen;
  const auto& parameters = type.parameters();
  for (size_t i = 0; i < std::min(parameters.size(), bound.size()); ++i) {
    if (!FlattenInputs(*parameters[i].type, bound[i].value.get(), &seen,
                       inputs)) {
      return false;
    }
  }
  return true;
}

}  // namespace gk::py
