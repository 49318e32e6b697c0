#include "python/src/function/call_rules.h"

#include <algorithm>

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
  is_constrained_ = true;
  const nb::list specs(nb::borrow(input_signature));
  size_t used = 0;
  CallVariables variables;
  std::vector<FunctionParameter> types, shown;
  const auto add = [&](std::string name, ParameterKind kind, bool optional,
                       PyRef spec) {
    StatusOr<TraceTypeRef> type = TraceTypeOf(spec.get(), &variables);
    if (!type.ok()) Throw(type.status());
    types.push_back({name, kind, false, *type});
    shown.push_back({name, kind, optional, *type});
    constraints_.push_back({std::move(name), kind, *type, std::move(spec)});
  };
  const auto next = [&] { return PyRef::Share(specs[used++].ptr()); };
  for (const FunctionSignature::Parameter& p : signature.parameters()) {
    const bool optional = static_cast<bool>(p.default_value);
    const bool left = used < specs.size();
    if (p.is_positional()) {
      if (!left && !optional) {
        Throw(TypeError("input_signature missing type constraint for {}",
                        p.name));
      }
      add(p.name,
          signature.has_varargs() ? ParameterKind::kPositionalOnly : p.kind,
          optional, left ? next() : p.default_value);
    } else if (p.kind == ParameterKind::kVarPositional) {
      for (size_t i = 0; used < specs.size(); ++i) {
        add(Format("{}_{}", p.name, i), ParameterKind::kPositionalOnly, false,
            next());
      }
    } else if (p.kind == ParameterKind::kKeywordOnly) {
      if (!optional) {
        Throw(TypeError("Since input_signature is defined, keyword-only "
                        "parameter `{}` must have a default value",
                        p.name));
      }
      add(p.name, p.kind, optional, left ? next() : p.default_value);
    }
  }
  if (used < specs.size()) {
    Throw(TypeError("input_signature contains {} extra type constraints.",
                    specs.size() - used));
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
  for (const Constraint& c : constraints_) Py_VISIT(c.spec.get());
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
  if (const Constraint* c = GivenByName(call)) {
    return Refuse(call,
                  Format("got an unexpected keyword argument '{}'", c->name));
  }
  if (PyErr_Occurred()) return false;
  const auto fit = signature_.Bind(call, &asked->bound);
  if (fit == FunctionSignature::Fit::kError) return false;
  if (fit == FunctionSignature::Fit::kNo) {
    return Refuse(call, signature_.WhyNot(call));
  }
  return is_constrained_ ? AskConstrained(call, asked)
                         : AskTypes(asked);
}

bool CallRules::AskTypes(AskedCall* asked) const {
  std::vector<FunctionParameter> parameters;
  for (const BoundValue& b : asked->bound) {
    StatusOr<TraceTypeRef> type =
        TraceTypeOf(b.value.get(), &asked->variables);
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

const CallRules::Constraint* CallRules::GivenByName(
    const CallArguments& call) const {
  for (const Constraint& c : constraints_) {
    if (c.kind != ParameterKind::kPositionalOnly) continue;
    for (size_t i = 0; i < call.num_named(); ++i) {
      if (StringView(PyTuple_GET_ITEM(call.kwnames, i)) == c.name) return &c;
    }
  }
  return nullptr;
}

std::string CallRules::Mismatch(const std::vector<BoundValue>& bound) const {
  for (const BoundValue& b : bound) {
    const bool expected =
        std::any_of(constraints_.begin(), constraints_.end(),
                    [&](const Constraint& c) { return c.name == b.name; });
    if (expected) continue;
    return b.kind == ParameterKind::kKeywordOnly
               ? Format("got an unexpected keyword argument '{}'", b.name)
               : "too many positional arguments";
  }
  for (const Constraint& c : constraints_) {
    const bool given =
        std::any_of(bound.begin(), bound.end(),
                    [&](const BoundValue& b) { return b.name == c.name; });
    if (!given) {
      return Format("missing a required argument: '{}'", c.name);
    }
  }
  return {};
}

bool CallRules::AskConstrained(const CallArguments& call,
                               AskedCall* asked) const {
  const std::string mismatch = Mismatch(asked->bound);
  if (!mismatch.empty()) return Refuse(call, mismatch);
  CallVariables given;
  for (size_t i = 0; i < asked->bound.size(); ++i) {
    BoundValue& b = asked->bound[i];
    const TraceType& type = *constraints_[i].type;
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
    if (!FindVariables(*constraints_[i].type, asked->bound[i].value.get(),
                       &asked->variables)) {
      return false;
    }
  }
  return true;
}

void CallRules::AskSignature(AskedCall* asked) const {
  for (const Constraint& c : constraints_) {
    asked->bound.push_back({c.name, c.kind, c.spec});
  }
  asked->type = constrained_type_;
}

bool FlattenCall(const FunctionType& type,
                 const std::vector<BoundValue>& bound,
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
