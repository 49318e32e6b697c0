// tf.experimental.dispatch_for_api.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/told_function.h"
#include "python/src/function/function_signature.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/dispatch.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;
using Parameter = FunctionSignature::Parameter;

// The parameters of a callable as Python tells them.
struct ToldParameters {
  explicit ToldParameters(Handle callable)
      : signature(nb::module_::import_("inspect").attr("signature")(callable)) {
    FunctionSignature read;
    read.Read(signature);
    all = read.parameters();
  }

  bool Has(std::string_view name) const {
    return std::any_of(all.begin(), all.end(),
                       [&](const Parameter& p) { return p.name == name; });
  }
  bool Has(ParameterKind kind) const {
    return std::any_of(all.begin(), all.end(),
                       [&](const Parameter& p) { return p.kind == kind; });
  }
  // (*args, **kwargs) alone?
  bool TakesAnything() const {
    return all.size() == 2 && all[0].kind == ParameterKind::kVarPositional &&
           all[1].kind == ParameterKind::kVarKeyword;
  }
  bool IsLike(const ToldParameters& other) const {
    return std::equal(all.begin(), all.end(), other.all.begin(),
                      other.all.end(),
                      [](const Parameter& a, const Parameter& b) {
                        return a.name == b.name && a.kind == b.kind;
                      });
  }
  // "(x, axis=None)".
  std::string Text() const {
    nb::list plain;
    for (Handle p : signature.attr("parameters").attr("values")()) {
      plain.append(p.attr("replace")(nb::arg("annotation") = p.attr("empty")));
    }
    return TextOf(nb::module_::import_("inspect").attr("Signature")(plain));
  }
  void AddName() {
    const Object parameter = nb::module_::import_("inspect").attr("Parameter");
    nb::list with(signature.attr("parameters").attr("values")());
    with.append(parameter("name", parameter.attr("POSITIONAL_OR_KEYWORD"),
                          nb::arg("default") = nb::none()));
    signature = signature.attr("replace")(nb::arg("parameters") = with);
    all.push_back(
        {"name", ParameterKind::kPositionalOrKeyword, PyRef::Share(Py_None)});
  }

  Object signature;
  std::vector<Parameter> all;
};

void CheckNamesOf(Handle form, const ToldParameters& api) {
  for (Handle name : form) {
    if (api.Has(TextOf(name))) continue;
    Throw(ValueError("signature includes annotation for unknown parameter {}.",
                     ReprOf(name)));
  }
}

// Calls `target` in the name scope that is given for its parameter `name`,
// which it has not.
Object CallInScope(Handle target, Handle signature, const nb::args& args,
                   const nb::kwargs& kwargs) {
  const Object bound = signature.attr("bind")(*args, **kwargs);
  const nb::dict values = nb::borrow<nb::dict>(Object(bound.attr("arguments")));
  const Object name = values.attr("pop")("name", nb::none());
  if (name.is_none()) return target(**values);
  const Object scope = NewNameScope(ScopeName(name.ptr()));
  scope.attr("__enter__")();
  const auto leave = [&] {
    scope.attr("__exit__")(nb::none(), nb::none(), nb::none());
  };
  Object result;
  try {
    result = target(**values);
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return result;
}

Object Decorated(const Object& target, Handle api, const ToldParameters& wanted,
                 const nb::tuple& signatures) {
  ToldParameters given(target);
  Object call = target;
  if (wanted.Has("name") && !given.Has("name") &&
      !given.Has(ParameterKind::kVarKeyword)) {
    given.AddName();
    call = nb::cpp_function([target, signature = given.signature](
                                nb::args args, nb::kwargs kwargs) {
      return CallInScope(target, signature, args, kwargs);
    });
  }
  if (!given.TakesAnything() && !given.IsLike(wanted)) {
    Throw(
        ValueError("Dispatch function's signature {} does not match API's "
                   "signature {}.",
                   given.Text(), wanted.Text()));
  }
  nb::tuple forms = signatures;
  if (nb::len(forms) == 0) {
    forms = nb::make_tuple(
        nb::module_::import_("typing").attr("get_type_hints")(target));
  }
  for (Handle one : forms) {
    nb::dict form;
    for (auto [name, type] : nb::cast<nb::dict>(one)) {
      if (!nb::str("return").equal(name)) form[name] = type;
    }
    CheckNamesOf(form, wanted);
    if (nb::len(form) == 0) {
      Throw(
          ValueError("The Dispatch function must have at least one annotated "
                     "parameter, or `dispatch_for_api` a signature."));
    }
    AddDispatchTarget(api, target, call, form);
  }
  return target;
}

Object ForApi(const Arguments& a) {
  const Object api = nb::borrow(a["api"]);
  const nb::tuple signatures = nb::cast<nb::tuple>(a["signatures"]);
  if (DispatchedCall(api, nb::make_tuple(), nb::dict()).key() == nullptr) {
    Throw(ValueError("{} does not support dispatch.", TextOf(api)));
  }
  const ToldParameters wanted(api);
  for (Handle form : signatures) CheckNamesOf(form, wanted);
  return nb::cpp_function([api, wanted, signatures](Object target) {
    return Decorated(target, api, wanted, signatures);
  });
}

constexpr ToldFunction kApiFunctions[] = {
    {R"(dispatch_for_api(api, *signatures)
Decorates a function that is called in the place of `api` for
arguments of certain types.

Args:
  api: a function of TensorFlow's API that computes with tensors.
  *signatures: each a dictionary, the name of an argument -> its type, a
    Union of types or a List of one. Without any the annotations of the
    function decorated count.

The function takes the parameters of `api`, whatever their defaults are, or
`*args, **kwargs`. It may leave out `name`, which is then the name scope that
it is called in.

Raises ValueError if `api` cannot be dispatched, or if the parameters of
the function are not those of `api`.

>>> class Masked(tf.experimental.ExtensionType):
...     values: tf.Tensor
...     mask: tf.Tensor
>>> @tf.experimental.dispatch_for_api(tf.math.reduce_max)
... def masked_max(input_tensor: Masked, axis=None, keepdims=False,
...                name=None):
...     kept = tf.boolean_mask(input_tensor.values, input_tensor.mask)
...     return tf.math.reduce_max(kept, axis, keepdims)
>>> tf.math.reduce_max(Masked([1, 9], [True, False])).numpy().item()
1)",
     &ForApi},
};

}  // namespace

void AddDispatchForApi(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), MethodsOf<kApiFunctions>()) < 0) {
    throw nb::python_error();
  }
}

}  // namespace gk::py
