#include "python/src/function/function_signature.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/format.h"
#include "function/signature_rules.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/words.h"

namespace nb = nanobind;

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

namespace {

std::string Identifier(PyObject* name) {
  if (PyUnicode_IsIdentifier(name) == 1) {
    return std::string(StringView(name));
  }
  std::string text;
  for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(name); ++i) {
    const Py_UCS4 c = PyUnicode_READ_CHAR(name, i);
    if (i == 0 && c >= '0' && c <= '9') text = "arg_";
    text += c < 128 && (std::isalnum(static_cast<int>(c)) || c == '_')
                ? static_cast<char>(c)
                : '_';
  }
  return text;
}

// As Python prints them, sorted.
PyRef Sorted(PyObject* names) {
  PyRef list = PyRef::Steal(PySequence_List(names));
  return list && PyList_Sort(list.get()) == 0 ? std::move(list) : PyRef();
}

}  // namespace

PyRef SanitizedNames(PyObject* names) {
  const Py_ssize_t n = PyTuple_GET_SIZE(names);
  bool same = true;
  for (Py_ssize_t i = 0; i < n && same; ++i) {
    same = PyUnicode_IsIdentifier(PyTuple_GET_ITEM(names, i)) == 1;
  }
  if (same) return PyRef::Share(names);
  PyRef result = PyRef::Steal(PyTuple_New(n));
  PyRef distinct = PyRef::Steal(PySet_New(nullptr));
  for (Py_ssize_t i = 0; result && distinct && i < n; ++i) {
    PyObject* name = ToPyString(Identifier(PyTuple_GET_ITEM(names, i)));
    if (name == nullptr) return PyRef();
    PyTuple_SET_ITEM(result.get(), i, name);
    if (PySet_Add(distinct.get(), name) < 0) return PyRef();
  }
  if (!result || !distinct) return PyRef();
  if (PySet_GET_SIZE(distinct.get()) == n) return result;
  PyRef before = Sorted(names), after = Sorted(distinct.get());
  if (before && after) {
    PyErr_Format(PyExc_ValueError,
                 "Name collision after sanitization. Please rename "
                 "tf.function input parameters. Original: %R, Sanitized: %R",
                 before.get(), after.get());
  }
  return PyRef();
}

void FunctionSignature::Read(nb::handle signature) {
  std::vector<Parameter> parameters;
  for (nb::handle p : signature.attr("parameters").attr("values")()) {
    const auto kind =
        static_cast<ParameterKind>(nb::cast<int>(nb::int_(p.attr("kind"))));
    const nb::object value = p.attr("default");
    const nb::object name = p.attr("name");
    parameters.push_back(
        {nb::cast<std::string>(name), kind,
         value.is(p.attr("empty")) ? PyRef() : PyRef::Share(value.ptr())});
  }
  Take(std::move(parameters), signature);
  is_told_ = false;
}

void FunctionSignature::Take(std::vector<Parameter> parameters,
                             nb::handle function) {
  signature_ = PyRef::Share(function.ptr());
  is_told_ = true;
  parameters_ = std::move(parameters);
  has_varargs_ = has_varkw_ = false;
  for (const Parameter& p : parameters_) {
    has_varargs_ |= p.kind == ParameterKind::kVarPositional;
    has_varkw_ |= p.kind == ParameterKind::kVarKeyword;
  }
}

Ref<FunctionType> FunctionSignature::Type() const {
  std::vector<FunctionParameter> parameters;
  for (const Parameter& p : parameters_) {
    parameters.push_back(
        {p.name, p.kind, static_cast<bool>(p.default_value), nullptr});
  }
  return MakeRef<FunctionType>(std::move(parameters));
}

std::string FunctionSignature::WhyNot(const CallArguments& given) const {
  CallArguments call = given;
  PyRef names;
  if (call.num_named() > 0) {
    names = SanitizedNames(call.kwnames);
    if (!names) throw nb::python_error();
    call.kwnames = names.get();
  }
  const auto [args, kwargs] = call.AsTupleAndDict();
  PyRef signature = signature_;
  if (is_told_) {
    signature = PyRef::Steal(
        PyObject_GetAttrString(signature_.get(), "__signature__"));
  }
  PyRef bind = PyRef::Steal(
      signature ? PyObject_GetAttrString(signature.get(), "bind") : nullptr);
  if (!args || !bind) return {};
  PyRef bound =
      PyRef::Steal(PyObject_Call(bind.get(), args.get(), kwargs.get()));
  return bound ? std::string() : TakePythonErrorText();
}

int FunctionSignature::Visit(visitproc visit, void* arg) const {
  Py_VISIT(signature_.get());
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
    const std::string_view text = StringView(PyTuple_GET_ITEM(call.kwnames, i));
    if (PyErr_Occurred()) return Fit::kError;
    const auto p =
        std::find_if(parameters_.begin(), parameters_.end(),
                     [&](const Parameter& p) { return p.name == text; });
    // Names of others are free for **kwargs.
    const bool named = p != parameters_.end() &&
                       (p->kind == ParameterKind::kPositionalOrKeyword ||
                        p->kind == ParameterKind::kKeywordOnly);
    PyRef value = PyRef::Share(call.args[call.n + i]);
    if (!named) {
      if (!has_varkw_) return Fit::kNo;
      others->push_back(
          {std::string(text), ParameterKind::kKeywordOnly, std::move(value)});
      continue;
    }
    PyRef& place = (*values)[p - parameters_.begin()];
    if (place) return Fit::kNo;
    place = std::move(value);
  }
  std::sort(
      others->begin(), others->end(),
      [](const BoundValue& a, const BoundValue& b) { return a.name < b.name; });
  return Fit::kYes;
}

FunctionSignature::Fit FunctionSignature::Bind(
    const CallArguments& given, std::vector<BoundValue>* bound) const {
  CallArguments call = given;
  PyRef names;
  if (call.num_named() > 0) {
    names = SanitizedNames(call.kwnames);
    if (!names) return Fit::kError;
    call.kwnames = names.get();
  }
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

nb::object AnySignature() {
  const nb::module_ inspect = nb::module_::import_("inspect");
  const nb::object make = inspect.attr("Parameter");
  return inspect.attr("Signature")(
      nb::make_tuple(make("args", make.attr("VAR_POSITIONAL")),
                     make("kwargs", make.attr("VAR_KEYWORD"))));
}

nb::object SignatureOf(nb::handle function, bool skip_first) {
  const nb::module_ inspect = nb::module_::import_("inspect");
  nb::object signature;
  try {
    signature =
        inspect.attr("signature")(function, nb::arg("follow_wrapped") = false);
  } catch (nb::python_error& error) {
    // Functions written in C that do not tell.
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) {
      throw;
    }
    signature = AnySignature();
  }
  nb::list parameters(signature.attr("parameters").attr("values")());
  if (skip_first && nb::len(parameters) > 0) {
    const auto kind = static_cast<ParameterKind>(
        nb::cast<int>(nb::int_(parameters[0].attr("kind"))));
    if (kind != ParameterKind::kVarPositional &&
        kind != ParameterKind::kVarKeyword) {
      nb::del(parameters[0]);
    }
  }
  return signature.attr("replace")(
      nb::arg("parameters") = parameters,
      nb::arg("return_annotation") = signature.attr("empty"));
}

std::string ShownValue(PyObject* value, bool plain) {
  PyRef text = PyRef::Steal(plain ? PyObject_Str(value) : PyObject_Repr(value));
  PyRef bytes = PyRef::Steal(
      text ? PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace")
           : nullptr);
  if (!bytes) throw nb::python_error();
  return {PyBytes_AS_STRING(bytes.get()),
          static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

void RaiseMisfit(std::string_view reason, const CallArguments& call,
                 const FunctionType& signature, std::string_view more) {
  const auto [args, kwargs] = call.AsTupleAndDict();
  if (!args) return;
  PyRef text = PyRef::Steal(
      ToPyString(MisfitText(kPythonWords, reason, ShownValue(args.get(), true),
                            ShownValue(kwargs.get(), true), signature, more)));
  if (text) PyErr_SetObject(PyExc_TypeError, text.get());
}

}  // namespace gk::py
