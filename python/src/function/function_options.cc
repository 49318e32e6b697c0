#include "python/src/function/function_options.h"

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "function/function_attributes.h"
#include "function/function_options.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/python_function.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using OptionKind = OptionRecord::Kind;

nb::object ValueOf(const nb::dict& options, std::string_view name) {
  PyObject* const value =
      PyDict_GetItemString(options.ptr(), std::string(name).c_str());
  return value == nullptr ? nb::none() : nb::borrow(value);
}

GivenOption Given(const nb::dict& options, const OptionRecord& option,
                  std::string_view name) {
  const nb::object value = ValueOf(options, name);
  if (value.is_none()) return {};
  if (option.kind == OptionKind::kFlag) {
    return {nb::cast<bool>(nb::bool_(value)), {}};
  }
  GivenOption given{GivenOption::Other(), ReprOf(value)};
  if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    int overflow = 0;
    const int64_t count = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    using Limits = std::numeric_limits<int64_t>;
    given.value = overflow == 0  ? count
                  : overflow > 0 ? Limits::max()
                                 : Limits::min();
  } else if (PyUnicode_Check(value.ptr())) {
    given.value = std::string(StringView(value.ptr()));
    PyErr_Clear();  // what is no UTF-8 is no option
  }
  return given;
}

// By name, with that of a function that this one stands for.
nb::dict AttributesOf(const nb::dict& options,
                      std::optional<bool> jit_compile) {
  nb::dict attributes;
  const nb::object given = ValueOf(options, "experimental_attributes");
  if (!given.is_none()) {
    const nb::object mapping =
        nb::module_::import_("collections.abc").attr("Mapping");
    if (!nb::isinstance(given, mapping)) {
      Throw(TypeError("experimental_attributes must be a dictionary, got {}",
                      ReprOf(given)));
    }
    for (nb::handle name : given) {
      if (!PyUnicode_Check(name.ptr())) {
        Throw(ValueError("`{} is not supported by tf.function as an attribute.",
                         TextOf(name)));
      }
      ThrowIfError(CheckFunctionAttribute(StringView(name.ptr())));
      attributes[name] = nb::object(given[name]);
    }
  }
  const nb::object known = ValueOf(options, "experimental_implements");
  if (!known.is_none()) {
    attributes[nb::str(kImplements.data(), kImplements.size())] = known;
  }
  if (jit_compile) {
    attributes[nb::str(kMustCompile.data(), kMustCompile.size())] =
        nb::cast(*jit_compile);
  }
  return attributes;
}

}  // namespace

PolymorphicFunctionOptions OptionsOf(std::string name,
                                     const nb::dict& options) {
  return ValueOrThrow(SettleOptions(
      std::move(name),
      [&](const OptionRecord& option, std::string_view option_name) {
        return Given(options, option, option_name);
      }));
}

nb::dict CheckedOptions(const nb::dict& given) {
  const nb::object signature = ValueOf(given, "input_signature");
  if (!signature.is_none()) CheckInputSignature(signature);
  const PolymorphicFunctionOptions settled = OptionsOf("", given);
  if (settled.jit_compile == true) {
    package::warn_first.Held()(
        "jit_compile=True has no effect yet: graphkiln plans every function "
        "ahead of its runs but makes no machine code of it. (Said once.)",
        nb::arg("times") = 1);
  }
  nb::dict options;
  options["jit_compile"] =
      settled.jit_compile ? nb::cast(*settled.jit_compile) : nb::none();
  options["attributes"] = AttributesOf(given, settled.jit_compile);
  options["reduce_retracing"] = settled.reduce_retracing
                                    ? nb::cast(true)
                                    : ValueOf(given, "reduce_retracing");
  for (const char* name : {"input_signature", "max_traces", "on_baked_change",
                           "autograph", "experimental_autograph_options"}) {
    options[name] = ValueOf(given, name);
  }
  return options;
}

void AddFunctionOptions(nb::module_& m) {
  m.def("function_options", CheckedOptions, nb::arg("given"),
        "What tf.function was given, checked, and each under one name.");
}

}  // namespace gk::py
