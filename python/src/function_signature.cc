#include "function_signature.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"

namespace gk::py {

std::pair<PyRef, PyRef> CallArguments::AsTupleAndDict() const {
  PyRef tuple = PyRef::Steal(PyTuple_New(n));
  PyRef dict = PyRef::Steal(PyDict_New());
  if (!tuple || !dict) return {};
  for (size_t i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
  }
  for (size_t i = 0; i < num_named(); ++i) {
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, i), args[n + i]) <
        0) {
      return {};
    }
  }
  return {std::move(tuple), std::move(dict)};
}

bool FunctionSignature::Read(PyObject* list) {
  PyRef items = PyRef::Steal(PySequence_Tuple(list));
  if (!items) return false;
  parameters_.clear();
  has_varargs_ = has_varkw_ = false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject *name, *value;
    int kind, has_default;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(items.get(), i), "UipO", &name,
                          &kind, &has_default, &value)) {
      return false;
    }
    const auto k = static_cast<ParameterKind>(kind);
    has_varargs_ |= k == ParameterKind::kVarPositional;
    has_varkw_ |= k == ParameterKind::kVarKeyword;
    parameters_.push_back({std::string(StringView(name)), PyRef::Share(name),
                           k, has_default ? PyRef::Share(value) : PyRef()});
  }
  return !PyErr_Occurred();
}

int FunctionSignature::Visit(visitproc visit, void* arg) const {
  for (const Parameter& p : parameters_) Py_VISIT(p.default_value.get());
  return 0;
}

// Values of the parameters by position; null where not given. The one of
// *args stays null.
bool FunctionSignature::BindPositional(const CallArguments& call,
                                       std::vector<PyRef>* values) const {
  size_t at = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterKind kind = parameters_[i].kind;
    if (kind != ParameterKind::kPositionalOnly &&
        kind != ParameterKind::kPositionalOrKeyword) {
      break;
    }
    if (at < call.n) (*values)[i] = PyRef::Share(call.args[at++]);
  }
  return at == call.n || has_varargs_;
}

// `others`: what **kwargs gets, by name.
FunctionSignature::Fit FunctionSignature::BindNamed(
    const CallArguments& call, std::vector<PyRef>* values,
    std::vector<BoundValue>* others) const {
  for (size_t i = 0; i < call.num_named(); ++i) {
    PyObject* name = PyTuple_GET_ITEM(call.kwnames, i);
    // Other names are made ones that parameters can have: by Python.
    if (PyUnicode_IsIdentifier(name) != 1) return Fit::kNo;
    const std::string_view text = StringView(name);
    if (PyErr_Occurred()) return Fit::kError;
    const auto p =
        std::find_if(parameters_.begin(), parameters_.end(),
                     [&](const Parameter& p) { return p.name == text; });
    const bool variadic =
        p != parameters_.end() && (p->kind == ParameterKind::kVarPositional ||
                                   p->kind == ParameterKind::kVarKeyword);
    PyRef value = PyRef::Share(call.args[call.n + i]);
    if (p == parameters_.end() || variadic) {
      if (!has_varkw_) return Fit::kNo;
      others->push_back({std::string(text), ParameterKind::kKeywordOnly,
                         std::move(value)});
      continue;
    }
    PyRef& place = (*values)[p - parameters_.begin()];
    if (place || p->kind == ParameterKind::kPositionalOnly) return Fit::kNo;
    place = std::move(value);
  }
  std::sort(others->begin(), others->end(),
            [](const BoundValue& a, const BoundValue& b) {
              return a.name < b.name;
            });
  return Fit::kYes;
}

FunctionSignature::Fit FunctionSignature::Bind(
    const CallArguments& call, std::vector<BoundValue>* bound) const {
  std::vector<PyRef> values(parameters_.size());
  std::vector<BoundValue> others;
  if (!BindPositional(call, &values)) return Fit::kNo;
  const Fit named = BindNamed(call, &values, &others);
  if (named != Fit::kYes) return named;
  size_t used = 0;  // positional arguments that parameters took
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    switch (p.kind) {
      case ParameterKind::kVarPositional:
        for (size_t k = used; k < call.n; ++k) {
          bound->push_back({Format("{}_{}", p.name, k - used),
                            ParameterKind::kPositionalOnly,
                            PyRef::Share(call.args[k])});
        }
        continue;
      case ParameterKind::kVarKeyword:
        std::move(others.begin(), others.end(), std::back_inserter(*bound));
        continue;
      case ParameterKind::kPositionalOnly:
      case ParameterKind::kPositionalOrKeyword:
        used = std::min(used + 1, call.n);
        break;
      case ParameterKind::kKeywordOnly:
        break;
    }
    PyRef value = values[i] ? values[i] : p.default_value;
    if (!value) return Fit::kNo;
    bound->push_back(
        {p.name,
         has_varargs_ && p.kind == ParameterKind::kPositionalOrKeyword
             ? ParameterKind::kPositionalOnly
             : p.kind,
         std::move(value)});
  }
  return Fit::kYes;
}

}  // namespace gk::py
