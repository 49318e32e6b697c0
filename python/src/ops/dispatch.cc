#include "python/src/ops/dispatch.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/told_function.h"
#include "python/src/types/extension_fields.h"

namespace gk::py {

namespace nb = nanobind;

bool has_dispatch_targets = false;

namespace {

// The names of all parameters, in order.
std::vector<nb::object> NamesOf(const FunctionInfo& info) {
  std::vector<nb::object> names;
  for (size_t i = 0; i <= info.parameters().size(); ++i) {
    if (i == info.name_position()) names.push_back(nb::str("name"));
    if (i < info.parameters().size()) {
      names.push_back(nb::borrow(info.parameters()[i].name));
    }
  }
  return names;
}

std::string ShownValue(nb::handle value, bool repr = false) {
  return nb::cast<std::string>(repr ? nb::repr(value) : nb::str(value));
}

// The type that an argument must have.
struct Annotation {
  enum Kind { kType, kAnyOf, kListOf, kAnything };

  static Annotation Of(nb::handle annotation);
  bool Accepts(nb::handle value) const { return How(value) != kNot; }
  // Accepts it, and so that a function is called for it?
  bool Calls(nb::handle value) const { return How(value) == kCalls; }

  Kind kind;
  nb::object type = {};
  std::vector<Annotation> parts = {};

 private:
  enum Match { kNot, kPasses, kCalls };
  Match How(nb::handle value) const;
  Match HowAnyPart(nb::handle value) const;
};

// A function that takes tensors, too, is called for what is made of tensors
// alone: what it does with the tensors it calls the API for.
bool CallsForItself(nb::handle value) { return IsCompositeTensor(value); }

Annotation Annotation::Of(nb::handle annotation) {
  const nb::object typing = nb::module_::import_("typing");
  const nb::object origin = typing.attr("get_origin")(annotation);
  const auto is = [&](nb::handle cls) { return origin.is(cls); };
  Annotation made{kAnyOf};
  if (is(nb::borrow(reinterpret_cast<PyObject*>(&PyList_Type))) ||
      is(nb::borrow(reinterpret_cast<PyObject*>(&PyTuple_Type))) ||
      is(nb::module_::import_("collections.abc").attr("Sequence"))) {
    made.kind = kListOf;
  } else if (!is(typing.attr("Union")) &&
             !is(nb::module_::import_("types").attr("UnionType"))) {
    if (ShownValue(annotation, true) == "typing.Any") return {kAnything};
    if (!PyType_Check(annotation.ptr())) {
      Throw(
          ValueError("Type annotation {} is not currently supported by "
                     "dispatch. Supported annotations: type objects, "
                     "List[...], and Union[...]",
                     ShownValue(annotation)));
    }
    return {kType, nb::borrow(annotation)};
  }
  for (nb::handle part : typing.attr("get_args")(annotation)) {
    if (part.ptr() != Py_Ellipsis) made.parts.push_back(Of(part));
  }
  return made;
}

Annotation::Match Annotation::HowAnyPart(nb::handle value) const {
  Match best = kNot;
  for (const Annotation& part : parts) best = std::max(best, part.How(value));
  return best;
}

Annotation::Match Annotation::How(nb::handle value) const {
  Match how = kPasses;
  switch (kind) {
    case kType:
      if (!nb::isinstance(value, type)) return kNot;
      return CallsForItself(value) ? kCalls : kPasses;
    case kAnyOf:
      return HowAnyPart(value);
    case kListOf:
      if (!IsListOrTuple(value.ptr()) || nb::len(value) == 0) return kNot;
      for (nb::handle item : value) {
        const Match one = HowAnyPart(item);
        if (one == kNot) return kNot;
        how = std::max(how, one);
      }
      return how;
    case kAnything:
      break;
  }
  return kPasses;
}

// A function to call in the place of an API, where arguments have types.
struct Target {
  nb::object handler;  // what was decorated
  nb::object call;
  std::vector<std::pair<nb::object, Annotation>> form;
};

// A handler of all elementwise functions of operands of such types.
struct Handler {
  nb::object handler;
  nb::object types;  // a tuple
};
enum Kind { kUnary, kBinary, kAsserts };

struct Registry {
  std::map<const void*, std::vector<Target>> targets;
  std::array<std::vector<Handler>, 3> handlers;  // by Kind
};
Registry& TheRegistry() {
  static Registry& registry = *new Registry();
  return registry;
}

struct Found {
  nb::object handler;
  std::function<nb::object()> call;
};

bool Fits(const Target& target, nb::handle bound) {
  bool calls = false;
  for (const auto& [name, annotation] : target.form) {
    PyObject* given = PyDict_GetItem(bound.ptr(), name.ptr());
    if (given == nullptr || !annotation.Accepts(given)) return false;
    calls = calls || annotation.Calls(given);
  }
  return calls;
}

// Handlers get the function, of the operands alone.
nb::object CallHandler(nb::handle handler, const Operands& operands) {
  nb::object function = operands.api;
  if (nb::len(operands.rest) > 0 || nb::len(operands.named) > 0) {
    function = nb::cpp_function([operands](nb::args others) {
      std::vector<nb::object> values;
      for (nb::handle other : others) values.push_back(nb::borrow(other));
      return operands.Call(values);
    });
  }
  nb::list all;
  all.append(function);
  for (const nb::object& value : operands.values) all.append(value);
  return handler(*nb::tuple(all));
}

void Match(Kind kind, const DispatchedCall& call, std::vector<Found>* found) {
  const std::vector<Handler>& handlers = TheRegistry().handlers[kind];
  if (handlers.empty()) return;
  const Operands operands = call.First(kind == kUnary ? 1 : 2);
  for (const Handler& h : handlers) {
    const auto& values = operands.values;
    bool fits = values.size() == nb::len(h.types) &&
                std::any_of(values.begin(), values.end(), CallsForItself);
    for (size_t i = 0; fits && i < values.size(); ++i) {
      fits = nb::isinstance(values[i], h.types[i]);
    }
    if (fits) {
      found->push_back({h.handler, [handler = h.handler, operands] {
                          return CallHandler(handler, operands);
                        }});
    }
  }
}

nb::object Register(Kind kind, nb::object types) {
  std::string shown;
  for (nb::handle type : types) {
    shown += (shown.empty() ? "" : " ") + ShownValue(type);
  }
  return nb::cpp_function([kind, types, shown](nb::object handler) {
    constexpr const char* kWhat[] = {"unary elementwise", "binary elementwise",
                                     "binary elementwise assert"};
    std::vector<Handler>& handlers = TheRegistry().handlers[kind];
    for (const Handler& h : handlers) {
      if (h.types.equal(types)) {
        Throw(
            ValueError("A {} dispatch handler ({}) has already been registered "
                       "for {}.",
                       kWhat[kind], ShownValue(h.handler, true), shown));
      }
    }
    handlers.push_back({handler, types});
    has_dispatch_targets = true;
    return handler;
  });
}

nb::object OfUnary(const Arguments& a) {
  return Register(kUnary, nb::make_tuple(a["x_type"]));
}
template <Kind kKind>
nb::object OfTwo(const Arguments& a) {
  return Register(kKind, nb::make_tuple(a["x_type"], a["y_type"]));
}

nb::object Unregister(const Arguments& a) {
  const nb::handle target = a["dispatch_target"];
  size_t erased = 0;
  const auto ours = [&](const auto& one) { return one.handler.is(target); };
  for (auto& handlers : TheRegistry().handlers) {
    erased += std::erase_if(handlers, ours);
  }
  for (auto& [key, targets] : TheRegistry().targets) {
    erased += std::erase_if(targets, ours);
  }
  if (erased == 0) {
    Throw(
        ValueError("Function {} was not registered using a `@dispatch_for_*` "
                   "decorator.",
                   ShownValue(target)));
  }
  return nb::none();
}

constexpr ToldFunction kFunctions[] = {
    {R"(dispatch_for_unary_elementwise_apis(x_type)
Decorates a handler `handler(api_func, x)` of all functions that work
element by element on one argument, where that is an `x_type`.

Raises ValueError if the type has one.

>>> class Boxed(tf.experimental.ExtensionType):
...     value: tf.Tensor
>>> @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
... def boxed(api_func, x):
...     return Boxed(api_func(x.value))
>>> tf.abs(Boxed(-2)).value.numpy().item()
2)",
     &OfUnary},
    {R"(dispatch_for_binary_elementwise_apis(x_type, y_type)
Decorates a handler `handler(api_func, x, y)` of all functions that work
element by element on two arguments, where these are of the types.

Raises ValueError if there is one for these types.

>>> class Pair(tf.experimental.ExtensionType):
...     value: tf.Tensor
>>> @tf.experimental.dispatch_for_binary_elementwise_apis(Pair, Pair)
... def pairs(api_func, x, y):
...     return Pair(api_func(x.value, y.value))
>>> tf.add(Pair(1), Pair(2)).value.numpy().item()
3)",
     &OfTwo<kBinary>},
    {R"(dispatch_for_binary_elementwise_assert_apis(x_type, y_type)
Decorates a handler `handler(api_func, x, y)` of the assertions about
two arguments, `tf.debugging.assert_equal` and the like.

Raises ValueError if there is one for these types.

>>> class Point(tf.experimental.ExtensionType):
...     value: tf.Tensor
>>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(
...     Point, Point)
... def points(api_func, x, y):
...     return api_func(x.value, y.value)
>>> tf.debugging.assert_equal(Point(1), Point(1)))",
     &OfTwo<kAsserts>},
    {R"(unregister_dispatch_for(dispatch_target)
Forgets a function that one of the decorators registered.

Raises ValueError if none did.

>>> class Gone(tf.experimental.ExtensionType):
...     value: tf.Tensor
>>> @tf.experimental.dispatch_for_unary_elementwise_apis(Gone)
... def handler(api_func, x):
...     return x
>>> tf.experimental.unregister_dispatch_for(handler))",
     &Unregister},
};

}  // namespace

void AddDispatchTarget(nb::handle api, nb::object handler, nb::object target,
                       const nb::dict& types) {
  std::vector<std::pair<nb::object, Annotation>> form;
  for (const auto& [name, annotation] : types) {
    form.emplace_back(nb::borrow(name), Annotation::Of(annotation));
  }
  const DispatchedCall call(api, nb::make_tuple(), nb::dict());
  TheRegistry().targets[call.key()].push_back(
      {std::move(handler), std::move(target), std::move(form)});
  has_dispatch_targets = true;
}

nb::object Operands::Call(std::span<const nb::object> others) const {
  nb::list all;
  for (const nb::object& value : others) all.append(value);
  for (nb::handle value : rest) all.append(value);
  return api(*nb::tuple(all), **nb::borrow<nb::dict>(named));
}

DispatchedCall::DispatchedCall(nb::handle api, nb::handle args,
                               nb::handle kwargs)
    : api_(api), args_(args), kwargs_(kwargs) {
  info_ = InfoOf(api.ptr());
  key_ = info_;
  if (info_ == nullptr && nb::hasattr(api, "_is_dispatched")) key_ = api.ptr();
}

std::vector<nb::handle> DispatchedCall::Values() const {
  std::vector<nb::handle> values;
  const auto add = [&](nb::handle value) {
    if (!IsListOrTuple(value.ptr())) return values.push_back(value);
    values.insert(values.end(), value.begin(), value.end());
  };
  for (nb::handle value : args_) add(value);
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs_.ptr(), &at, &name, &value);) {
    add(value);
  }
  return values;
}

Operands DispatchedCall::First(size_t count) const {
  const size_t given = std::min(count, nb::len(args_));
  const Py_ssize_t size = PyTuple_GET_SIZE(args_.ptr());
  Operands operands{nb::borrow(api_),
                    {},
                    Owned(PyTuple_GetSlice(args_.ptr(), given, size)),
                    Owned(PyDict_Copy(kwargs_.ptr()))};
  for (size_t i = 0; i < given; ++i) operands.values.push_back(args_[i]);
  if (info_ == nullptr) return operands;
  const std::vector<nb::object> names = NamesOf(*info_);
  for (size_t i = given; i < std::min(count, names.size()); ++i) {
    PyObject* value = PyDict_GetItem(operands.named.ptr(), names[i].ptr());
    if (value == nullptr) continue;
    operands.values.push_back(nb::borrow(value));
    PyDict_DelItem(operands.named.ptr(), names[i].ptr());
  }
  return operands;
}

nb::object DispatchedCall::Bound() const {
  if (info_ == nullptr) {
    try {
      const nb::object signature =
          nb::module_::import_("inspect").attr("signature")(api_);
      return signature.attr("bind")(*args_, **kwargs_).attr("arguments");
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
      return {};  // which the function will say
    }
  }
  const std::vector<nb::object> names = NamesOf(*info_);
  nb::object bound = Owned(PyDict_Copy(kwargs_.ptr()));
  const size_t rest = info_->rest_position(), n = nb::len(args_);
  if (rest < n) {
    bound[names[rest]] = Owned(PyTuple_GetSlice(args_.ptr(), rest, n));
  } else if (n > names.size()) {
    return {};
  }
  for (size_t i = 0; i < std::min(n, rest); ++i) bound[names[i]] = args_[i];
  return bound;
}

nb::object AskTargets(const DispatchedCall& call) {
  std::vector<Found> found;
  const auto own = TheRegistry().targets.find(call.key());
  if (own != TheRegistry().targets.end() && !own->second.empty()) {
    if (const nb::object bound = call.Bound(); bound.is_valid()) {
      for (const Target& t : own->second) {
        if (Fits(t, bound)) {
          found.push_back({t.handler, [&call, target = t.call] {
                             return target(*call.args(), **call.kwargs());
                           }});
        }
      }
    }
  }
  if (call.maps() == 1) Match(kUnary, call, &found);
  if (call.maps() == 2) Match(kBinary, call, &found);
  if (call.compares() == 2) Match(kAsserts, call, &found);
  if (found.empty()) return nb::borrow(Py_NotImplemented);
  if (found.size() > 1) {
    Throw(
        ValueError("Multiple dispatch targets that were registered with "
                   "tf.dispatch_for ({} and {}) match the arguments to {}",
                   ShownValue(found[0].handler), ShownValue(found[1].handler),
                   ShownValue(call.api().attr("__name__"))));
  }
  return found[0].call();
}

void AddDispatch(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), MethodsOf<kFunctions>()) < 0) {
    throw nb::python_error();
  }
  m.def(
      "dispatch",
      [](nb::handle api, nb::tuple args, nb::dict kwargs) {
        const DispatchedCall call(api, args, kwargs);
        if (has_dispatch_targets) {
          nb::object result = AskTargets(call);
          if (!result.is(nb::borrow(Py_NotImplemented))) return result;
        }
        return CallOfComposites(call);
      },
      "The result of a call by what its arguments are, or NotImplemented.");
}

}  // namespace gk::py
